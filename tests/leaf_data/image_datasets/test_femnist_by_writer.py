"""Tests of FEMNIST by writer: `leaf_femnist`, `emnist_by_writer` and `femnist_npz`."""

from __future__ import annotations

import sqlite3

import image_files
import numpy as np
import pytest
from leaf_files import write_leaf

from leaf_data import registry
from leaf_data.errors import DataError
from leaf_data.image_datasets.femnist import femnist
from leaf_data.image_datasets.leaf_femnist import leaf_femnist


def _pixels(count: int, seed: int) -> np.ndarray:
    """Multiples of 1/255, as LEAF's are."""
    return np.random.default_rng(seed).integers(0, 256, (count, 28, 28)) / 255.0


_TRAIN = {"f0001_41": (_pixels(3, 0), [0, 35, 61]), "f0000_14": (_pixels(2, 1), [10, 36])}
_TEST = {"f0001_41": (_pixels(1, 2), [5]), "f0000_14": (_pixels(2, 3), [1, 1])}


@pytest.fixture
def sqlite_dir(tmp_path):
    image_files.write_emnist_sqlite(
        tmp_path / "emnist_all.sqlite", {"train": _TRAIN, "test": _TEST}
    )
    return tmp_path


def test_writers_are_clients(sqlite_dir):
    dataset = leaf_femnist(data_dir=str(sqlite_dir))
    assert dataset.client_ids == ["f0000_14", "f0001_41"]
    assert (dataset.name, dataset.num_classes) == ("leaf_femnist", 62)
    assert dataset.origin == "emnist_all.sqlite"
    assert dataset.documented.num_clients == 3400
    for writers, client_data in ((_TRAIN, dataset.train), (_TEST, dataset.test)):
        for client_id, (pixels, labels) in writers.items():
            examples = client_data.examples(client_id)
            assert examples["x"].dtype == np.uint8
            np.testing.assert_array_equal(examples["x"], np.rint(pixels * 255))
            assert examples["y"].dtype == np.int32
            assert examples["y"].tolist() == labels


def test_leaf_json_gives_the_same(sqlite_dir, tmp_path):
    leaf_dir = write_leaf(
        tmp_path,
        *(
            {w: (pixels.reshape(-1, 784).tolist(), labels) for w, (pixels, labels) in split.items()}
            for split in (_TRAIN, _TEST)
        ),
    )
    from_json = registry.load("leaf_femnist", leaf_dir=leaf_dir)
    from_sqlite = registry.load("leaf_femnist", data_dir=str(sqlite_dir))
    assert set(from_json.client_ids) == set(from_sqlite.client_ids)
    for client_id in from_json.client_ids:
        ours, theirs = (d.train.examples(client_id) for d in (from_json, from_sqlite))
        for field in ("x", "y"):
            np.testing.assert_array_equal(ours[field], theirs[field])
    assert from_json.origin == "LEAF's JSON"


@pytest.mark.parametrize(
    ("pixels", "labels", "message"),
    [
        (np.full((1, 28, 28), np.nan), [0], "has pixels that are not in"),
        (np.zeros((1, 28, 28)), [62], "has the label 62; labels must be"),
        (np.zeros((1, 27, 28)), [0], "cannot be read"),
    ],
)
def test_malformed_files_are_refused(tmp_path, pixels, labels, message):
    image_files.write_emnist_sqlite(
        tmp_path / "emnist_all.sqlite",
        {"train": {"a": (pixels, labels)}, "test": {"a": (pixels, labels)}},
    )
    with pytest.raises(DataError, match=f"emnist_all.sqlite, client 'a', train: {message}"):
        leaf_femnist(data_dir=str(tmp_path))


def test_a_writer_without_test_examples_is_refused(sqlite_dir):
    with sqlite3.connect(sqlite_dir / "emnist_all.sqlite") as database:
        database.execute("DELETE FROM client_metadata WHERE num_examples = 1")
    with pytest.raises(DataError, match="emnist_all.sqlite: .*different writers"):
        leaf_femnist(data_dir=str(sqlite_dir))
    with sqlite3.connect(sqlite_dir / "emnist_all.sqlite") as database:
        database.execute("DELETE FROM client_metadata")
    with pytest.raises(DataError, match="emnist_all.sqlite: has no writers in train"):
        leaf_femnist(data_dir=str(sqlite_dir))


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


_WRITER = np.repeat(np.arange(3), 62 * 6)
_SMALL = {
    f"{split}_x": np.zeros((n, 8, 8), np.uint8) for split, n in (("train", 1116), ("test", 186))
}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"train_writer": None}, "train_writer"),
        ({"writers": np.array(["a", "a", "c"])}, "writers"),
        ({"status": np.array([2, 2])}, "status"),
        ({"status": np.array([0, 0, 0])}, "status"),
        ({"train_writer": _WRITER + 0.5}, "train_writer"),
        ({"train_writer": _WRITER + 1}, "train_writer"),
        ({"train_writer": np.minimum(_WRITER, 1)}, "train_writer"),
        ({"train_y": np.full(1116, 62)}, "train_y"),
        (_SMALL, "train_x"),
    ],
)
def test_what_is_not_by_writer_is_refused(tmp_path, changed, field):
    image_files.write_femnist_npz(tmp_path / "femnist.npz", **changed)
    with pytest.raises(DataError, match=f"femnist.npz, field '{field}'"):
        leaf_femnist(data_dir=str(tmp_path))
