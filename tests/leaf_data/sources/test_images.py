"""Tests of `leaf_data.sources`' images: `npz`, `image_zip`, `images` and `stand_ins`."""

from __future__ import annotations

import os
import pathlib
import pickle
import types
import zipfile

import image_files
import numpy as np
import pytest

from leaf_data.errors import DataError
from leaf_data.sources import images, read_images
from leaf_data.sources.image_zip import read_image_zip
from leaf_data.sources.npz import FIELDS, read_npz
from leaf_data.sources.stand_ins import stand_in

_ARRAYS = image_files.random_arrays(image_shape=(4, 5), per_class=10)


def _written(tmp_path: pathlib.Path, **changes) -> pathlib.Path:
    path = tmp_path / "images.npz"
    arrays = {**_ARRAYS, **changes}
    path.write_bytes(
        image_files.npz_bytes(**{name: a for name, a in arrays.items() if a is not None})
    )
    return path


@pytest.mark.parametrize(("save", "dtype"), [(np.savez, np.uint8), (np.savez_compressed, ">i4")])
def test_reads_what_numpy_writes(tmp_path, save, dtype):
    """Whatever the order in memory is, and the integers of the labels."""
    arrays = {**_ARRAYS, "train_x": np.asfortranarray(_ARRAYS["train_x"])}
    arrays["test_y"] = arrays["test_y"].astype(dtype)
    save(tmp_path / "images.npz", **arrays, classes=np.array(["a", "b"]))
    read = read_npz(tmp_path / "images.npz")
    assert list(read) == list(FIELDS)
    for name in FIELDS:
        np.testing.assert_array_equal(read[name], _ARRAYS[name])
        assert read[name].dtype == (np.uint8 if name.endswith("x") else np.int32)
    with pytest.raises(DataError, match="none.npz: is no whole .npz file"):
        read_npz(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_x": None}, "field 'test_x': is missing; the file holds"),
        ({"train_x": np.zeros((100, 20), np.uint8)}, "'train_x': has shape .100, 20. and dtype"),
        ({"train_x": np.zeros((100, 4, 5), np.float32)}, "'train_x': has .* float32; images must"),
        ({"test_x": np.zeros((10, 5, 4), np.uint8)}, "'test_x': has images of shape .5, 4."),
        ({"train_y": np.zeros(100)}, "'train_y': has .* float64; labels must be integers"),
        ({"train_y": np.full(100, 2**32)}, "'train_y': has the label 4294967296 at example 0"),
        ({"test_y": np.zeros(9, np.uint8)}, "'test_y': has 9 labels for 10 images"),
    ],
)
def test_other_forms_are_refused(tmp_path, changes, message):
    with pytest.raises(DataError, match=message) as caught:
        read_npz(_written(tmp_path, **changes))
    assert str(caught.value).startswith(str(tmp_path / "images.npz"))


class _Touch:
    """Pickled, it makes a file when it is unpickled."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_nothing_is_unpickled(tmp_path):
    trap = tmp_path / "trap"
    objects = np.array([_Touch(trap)] * 100, object)
    with pytest.raises(DataError, match="field 'train_y': holds pickled objects"):
        read_npz(_written(tmp_path, train_y=objects))
    (tmp_path / "images.npz").write_bytes(pickle.dumps(_Touch(trap)))
    with pytest.raises(DataError, match="is no whole .npz file"):
        read_npz(tmp_path / "images.npz")
    assert not trap.exists()


def test_a_header_that_claims_too_much_is_refused_before_memory_is_taken(tmp_path):
    """The header says 10^15 examples where there are 1000."""
    path = tmp_path / "images.npz"
    np.savez(path, **image_files.random_arrays(image_shape=(4, 5)))
    content = path.read_bytes()
    assert content.count(b"(1000, 4, 5)") == 1
    claimed = content.replace(b"(1000, 4, 5), }" + b" " * 12, b"(1000000000000000, 4, 5), }")
    assert len(claimed) == len(content)
    path.write_bytes(claimed)
    with pytest.raises(DataError, match="field 'train_x': has 20000 bytes for .10000000"):
        read_npz(path)


_SHAPE = (8, 8, 3)


def test_labels_are_the_alphabetical_places_of_the_classes(tmp_path):
    """Cats (dark) are class 0 and dogs (bright) 1, although dogs were written first."""
    image_files.write_image_zip(tmp_path / "images.zip")
    with pytest.warns(UserWarning, match="images.zip: its images are JPEG, which is lossy"):
        arrays = read_image_zip(tmp_path / "images.zip", image_shape=_SHAPE)
    assert arrays["train_y"].tolist() == [0, 0, 0, 1, 1, 1]
    assert arrays["test_y"].tolist() == [0, 1]
    assert arrays["train_y"].dtype == np.int32
    assert arrays["train_x"].dtype == np.uint8
    np.testing.assert_allclose(arrays["train_x"][0], np.full(_SHAPE, 20), atol=3)
    np.testing.assert_allclose(arrays["test_x"][1], np.full(_SHAPE, 200), atol=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda name, content: None if "test/" in name else content, "has no test/<class>/<name>"),
        (lambda name, content: None if name.startswith("test/cat") else content, "in test"),
        (lambda name, content: b"no image", "train/cat/0000.jpg: is no whole JPEG"),
    ],
)
def test_other_content_and_other_shapes_and_truncated_files_are_refused(tmp_path, change, message):
    """Each member is what `change(name, content)` makes of it; None leaves it out."""
    path = tmp_path / "images.zip"
    image_files.write_image_zip(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
    with pytest.raises(DataError, match=message) as caught:
        read_image_zip(path, image_shape=_SHAPE)
    assert str(caught.value).startswith(str(path))
    image_files.write_image_zip(path)
    with pytest.raises(DataError, match=r"is an image of shape \(8, 8, 3\), not \(32, 32, 3\)"):
        read_image_zip(path, image_shape=(32, 32, 3))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="images.zip: is no whole zip file"):
        read_image_zip(path, image_shape=_SHAPE)


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
        ({"image_shape": (28, 28, 3)}, r"has images of shape \(28, 28, 3\)"),
        ({"num_classes": 11}, "field 'train_y': has the label 10 at example"),
    ],
)
def test_mislabelled_files_are_refused(tmp_path, arguments, message):
    image_files.write_npz(tmp_path / "mnist.npz", per_class=10, **arguments)
    with pytest.raises(DataError, match=message):
        read_images("mnist", data_dir=tmp_path)


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


def test_stand_ins_are_named():
    assert stand_in("cifar10_jpeg.zip")
    assert stand_in("cifar10.npz") is stand_in(None) is None
