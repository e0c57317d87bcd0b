"""Tests of `leaf_data.image_datasets.femnist_npz`, and of the data sets that are read from it."""

from __future__ import annotations

import image_files
import numpy as np
import pytest

from leaf_data.errors import DataError
from leaf_data.image_datasets.femnist import femnist
from leaf_data.image_datasets.leaf_femnist import leaf_femnist


def test_whole_writers_are_the_clients(tmp_path):
    """Of a, b and c all but b; 62 classes of 6 training images each; ink is dark, 0 on 255."""
    image_files.write_femnist_npz(tmp_path / "femnist_part.npz")
    dataset = leaf_femnist(data_dir=str(tmp_path))
    assert (dataset.client_ids, dataset.origin) == (["a", "c"], "femnist_part.npz")
    assert dataset.train.num_examples.tolist() == [372, 372]
    assert dataset.test.num_examples.tolist() == [62, 62]
    for place, writer in ((0, "a"), (2, "c")):
        for is_test, split in enumerate((dataset.train, dataset.test)):
            examples = split.examples(writer)
            np.testing.assert_array_equal(255 - examples["x"][:, 0, 0], examples["y"])
            assert set(255 - examples["x"][:, 0, 1]) == {place}
            assert set(255 - examples["x"][:, 0, 2]) == {is_test}
            assert examples["x"][:, 1:].min() == 255


def test_letters_are_those_of_all_writers(tmp_path):
    """Three writers have 7 images each of the ten letters, 36 to 45 of the classes: 21 of each."""
    image_files.write_femnist_npz(tmp_path / "femnist.npz")
    image_files.write_npz(tmp_path / "devanagari_letters.npz", num_classes=36, per_class=60)
    options = {"num_clients": 4, "ink": "light", "hand_out_all": True, "classes_per_client": 10}
    dataset = femnist(data_dir=str(tmp_path), **options)
    assert dataset.origin == "femnist.npz"
    x, y = (
        np.concatenate([split.arrays[field] for split in (dataset.train, dataset.test)])
        for field in "xy"
    )
    np.testing.assert_array_equal(np.bincount(y), [21] * 10)
    np.testing.assert_array_equal(x[:, 0, 0], y + 36)
    assert set(x[:, 0, 1]) == {0, 1, 2}


def test_tffs_whole_file_comes_first(tmp_path):
    image_files.write_femnist_npz(tmp_path / "femnist.npz")
    writers = {"w": (np.zeros((2, 28, 28)), [36, 37])}
    image_files.write_emnist_sqlite(
        tmp_path / "emnist_all.sqlite", {"train": writers, "test": writers}
    )
    assert leaf_femnist(data_dir=str(tmp_path)).client_ids == ["w"]


_WRITER = np.repeat(np.arange(3), 62 * 6)
_SMALL = {
    f"{split}_x": np.zeros((n, 8, 8), np.uint8) for split, n in (("train", 1116), ("test", 186))
}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"train_writer": None}, "train_writer"),
        ({"writers": None}, "writers"),
        ({"writers": np.array(["a", "a", "c"])}, "writers"),
        ({"writers": np.arange(3)}, "writers"),
        ({"status": np.array([2, 2])}, "status"),
        ({"status": np.array([0, 0, 0])}, "status"),
        ({"train_writer": _WRITER[:-1]}, "train_writer"),
        ({"train_writer": _WRITER + 0.5}, "train_writer"),
        ({"train_writer": _WRITER + 1}, "train_writer"),
        ({"train_writer": _WRITER - 1}, "train_writer"),
        ({"train_writer": np.minimum(_WRITER, 1)}, "train_writer"),
        ({"train_y": np.full(1116, 62)}, "train_y"),
        (_SMALL, "train_x"),
    ],
)
def test_what_is_not_by_writer_is_refused(tmp_path, changed, field):
    image_files.write_femnist_npz(tmp_path / "femnist.npz", **changed)
    with pytest.raises(DataError, match=f"femnist.npz, field '{field}'"):
        leaf_femnist(data_dir=str(tmp_path))
