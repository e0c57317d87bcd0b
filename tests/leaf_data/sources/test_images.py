"""Tests of `leaf_data.sources.images`."""

from __future__ import annotations

import dataclasses
import types

import image_files
import numpy as np
import pytest

from leaf_data.errors import DataError
from leaf_data.sources import images, read_images


def test_local_npz_comes_first(tmp_path):
    arrays = image_files.write_npz(tmp_path / "mnist.npz", per_class=10)
    read = read_images("mnist", data_dir=tmp_path)
    for split, x, y in (("train", read.train_x, read.train_y), ("test", read.test_x, read.test_y)):
        assert sorted(map(bytes, x)) == sorted(map(bytes, arrays[f"{split}_x"]))
        np.testing.assert_array_equal(x[:, 0, 0], y)  # The first pixel is the label.
    assert (read.num_classes, read.origin) == (10, "mnist.npz")
    image_files.write_npz(tmp_path / "mnist.npz", image_shape=(28, 28, 1), per_class=10)
    assert read_images("mnist", data_dir=tmp_path).train_x.shape == (100, 28, 28)
    with pytest.raises(ValueError, match="name is 'imagenet'; it must be one of mnist, "):
        read_images("imagenet")


def test_the_order_of_the_source_does_not_matter(tmp_path):
    """Nor does it where an image occurs with two labels."""
    arrays = image_files.random_arrays(per_class=10)
    arrays["train_x"][:50] = arrays["train_x"][0]
    reads = []
    for seed in (0, 1):
        order = np.random.default_rng(seed).permutation(100)
        shuffled = {"train_x": arrays["train_x"][order], "train_y": arrays["train_y"][order]}
        np.savez(tmp_path / "mnist.npz", **{**arrays, **shuffled})
        reads.append(read_images("mnist", data_dir=tmp_path))
    np.testing.assert_array_equal(reads[0].train_x, reads[1].train_x)
    np.testing.assert_array_equal(reads[0].train_y, reads[1].train_y)


def test_the_lossless_cifar_comes_before_the_lossy_one(tmp_path):
    image_files.write_image_zip(tmp_path / "cifar10_jpeg.zip", shape=(32, 32, 3))
    with pytest.warns(UserWarning, match="lossy"):
        assert read_images("cifar10", data_dir=tmp_path).origin == "cifar10_jpeg.zip"
    image_files.write_npz(tmp_path / "cifar10.npz", image_shape=(32, 32, 3), per_class=10)
    assert read_images("cifar10", data_dir=tmp_path).origin == "cifar10.npz"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"image_shape": (32, 32)}, r"'train_x': has images of shape \(32, 32\), not \(28, 28\)"),
        ({"image_shape": (28, 28, 3)}, r"has images of shape \(28, 28, 3\)"),
        ({"num_classes": 11}, "field 'train_y': has the label 10 at example"),
    ],
)
def test_mislabelled_files_are_refused(tmp_path, arguments, message):
    image_files.write_npz(tmp_path / "mnist.npz", per_class=10, **arguments)
    with pytest.raises(DataError, match=message):
        read_images("mnist", data_dir=tmp_path)


def test_offline_ends_in_one_sentence(tmp_path, monkeypatch):
    """The name of an address that can have none: RFC 2606 reserves .invalid."""
    address = "http://mnist.invalid/images.gz"
    source = dataclasses.replace(images._SOURCES["mnist"], address=address)
    monkeypatch.setitem(images._SOURCES, "mnist", source)
    with pytest.raises(
        DataError,
        match=r"^data set 'mnist': there is no .*/mnist.npz or .*/tensorflow_datasets/mnist/\S+,"
        rf" and {address} cannot be had \(no .*\); put .* with --data_dir\.$",
    ):
        read_images("mnist", data_dir=tmp_path)
    assert list(tmp_path.rglob("*.npz")) == []


def test_emnist_of_tfds_is_turned_upright(tmp_path, monkeypatch):
    """TFDS' EMNIST has rows and columns exchanged, and a channel axis."""
    upright = np.zeros((2, 28, 28), np.uint8)
    upright[0, 0, 3], upright[1, 0, 2] = 1, 1
    split = {"image": upright.swapaxes(1, 2)[..., None], "label": np.array([36, 61])}
    builder = types.SimpleNamespace(info=types.SimpleNamespace(full_name="emnist/byclass/3.1.0"))
    monkeypatch.setattr(images.tfds_cache, "prepare_tfds", lambda *_, **__: builder)
    monkeypatch.setattr(images.tfds_cache, "read_split", lambda *_: split)
    read = read_images("emnist_byclass", data_dir=tmp_path)
    np.testing.assert_array_equal(read.train_x, upright)
    assert read.train_x.flags.c_contiguous
    assert read.test_y.tolist() == [36, 61]
    assert read.test_y.dtype == np.int32
    assert read.origin == "tensorflow_datasets emnist/byclass/3.1.0"
