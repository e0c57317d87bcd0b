"""Tests of `leaf_data.image_datasets.femnist`."""

import image_files
import numpy as np
import pytest

from leaf_data.errors import DataError
from leaf_data.image_datasets.femnist import femnist


def _write_emnist(folder, **sizes):
    sizes = {"num_classes": 62, "per_class": 60, **sizes}
    image_files.write_npz(folder / "emnist_byclass.npz", **sizes)


def _small(folder, **arguments):
    return femnist(data_dir=str(folder), **{"num_clients": 10, **arguments})


def _assert_letters(dataset):
    """Five neighbouring letters each, renumbered from 0, and 80 % for training."""
    assert dataset.num_classes == 10
    for client, client_id in enumerate(dataset.client_ids):
        train, test = dataset.train.examples(client_id), dataset.test.examples(client_id)
        labels = np.concatenate([train["y"], test["y"]])
        assert set(labels) == {(client + j) % 10 for j in range(5)}
        assert len(train["y"]) == len(labels) * 8 // 10


def test_letters_of_emnist(tmp_path):
    """Classes 36 to 45 of 62; the first pixel of an image is its class."""
    _write_emnist(tmp_path)
    dataset = _small(tmp_path, seed=2, ink="light")
    _assert_letters(dataset)
    x, y = dataset.train.arrays["x"], dataset.train.arrays["y"]
    np.testing.assert_array_equal(x[:, 0, 0], y + 36)
    assert set(x[:, 0, 1]) == {0, 1}  # Training and test set are pooled.
    assert (dataset.origin, dataset.seed) == ("emnist_byclass.npz", 2)


def test_letters_by_writer_have_the_colours_of_the_others(tmp_path):
    """TFF's background is 1.0, EMNIST's 0: a pixel 0.2 is 51, or 255 - 51 with light ink."""
    labels = np.arange(30, 50).repeat(30)
    pixels = np.full((len(labels), 28, 28), 1.0)
    pixels[:, 0, 0] = 0.2
    image_files.write_emnist_sqlite(
        tmp_path / "emnist_all.sqlite",
        {"train": {"a": (pixels, labels)}, "test": {"a": (pixels[:20], labels[:20])}},
    )
    dataset = _small(tmp_path)
    _assert_letters(dataset)
    assert set(dataset.train.arrays["x"][:, 0, 0]) == {51}
    assert set(dataset.train.arrays["x"][:, 1, 1]) == {255}
    light = _small(tmp_path, ink="light").train.arrays["x"]
    assert (set(light[:, 0, 0]), set(light[:, 1, 1])) == ({204}, {0})
    assert dataset.origin == "emnist_all.sqlite"


@pytest.mark.parametrize(
    ("letters", "name"),
    [("devanagari", "devanagari_letters.npz"), ("emnist_letters", "emnist_letters_a_to_m.npz")],
)
@pytest.mark.usefixtures("offline")
def test_other_letters_are_read_where_they_are_asked_for(tmp_path, letters, name):
    with pytest.raises(DataError, match=f"letters={letters} needs"):
        _small(tmp_path, letters=letters)
    image_files.write_npz(tmp_path / name, num_classes=13, per_class=60)
    with pytest.warns(UserWarning, match=f"{name} stands in for EMNIST's letters"):
        dataset = _small(tmp_path, ink="light", letters=letters)
    _assert_letters(dataset)
    np.testing.assert_array_equal(dataset.train.arrays["x"][:, 0, 0], dataset.train.arrays["y"])
    assert dataset.origin == name
    with pytest.raises(DataError, match=f"femnist.*--dataset_option=letters={letters}"):
        _small(tmp_path)


@pytest.mark.usefixtures("offline")
def test_missing_letters_name_every_file_that_would_do(tmp_path):
    files = r"emnist_byclass.npz or .*emnist_all.sqlite or .*femnist\*.npz or .*https"
    with pytest.raises(DataError, match=files):
        _small(tmp_path)
    _write_emnist(tmp_path, num_classes=40, per_class=10)
    with pytest.raises(DataError, match="emnist_byclass.npz: has only 4 of the 10 letters"):
        _small(tmp_path)
