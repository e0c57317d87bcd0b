"""Tests of `leaf_data.leaf_json.reader`."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.errors import DataError
from leaf_data.leaf_json.reader import read_leaf_json


def _write(path: pathlib.Path, clients: dict[str, Any]) -> None:
    """One file in which client id maps to (x, y)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "users": list(clients),
        "num_samples": [len(y) for _, y in clients.values()],
        "user_data": {client_id: {"x": x, "y": y} for client_id, (x, y) in clients.items()},
    }
    path.write_text(json.dumps(document))


def test_files_in_order_of_their_names_clients_in_order_of_the_file(tmp_path):
    """The test files' order and number do not matter."""
    _write(tmp_path / "train" / "b.json", {"d": ([[1.0]], [0])})
    _write(tmp_path / "train" / "a.json", {"z": ([[2.0]], [1]), "c": ([[3.0], [4.0]], [2, 0])})
    _write(tmp_path / "test" / "t.json", {"c": ([[5.0]], [1]), "d": ([[6.0]], [0])})
    (tmp_path / "train" / "notes.txt").write_text("not data")
    dataset = read_leaf_json(tmp_path, name="toy")
    assert dataset.name == "toy"
    assert dataset.client_ids == ["z", "c", "d"]
    assert dataset.num_classes == 3
    assert dataset.seed is None
    np.testing.assert_array_equal(dataset.train.examples("c")["x"], [[3.0], [4.0]])
    np.testing.assert_array_equal(dataset.test.examples("c")["x"], [[5.0]])


def test_client_only_in_train_has_an_empty_test_split(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": ([[1.5, 2.0]], [1]), "v": ([[1.0, 2.0]], [0])})
    _write(tmp_path / "test" / "a.json", {"v": ([[1.0, 2.5]], [0])})
    dataset = read_leaf_json(tmp_path)
    assert dataset.test.num_examples.tolist() == [0, 1]
    assert dataset.test.examples("u")["x"].shape == (0, 2)
    assert list(dataset.test.create_tf_dataset_for_client("u")) == []


def test_client_only_in_test_is_an_error(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": ([[1.0]], [1])})
    _write(tmp_path / "test" / "a.json", {"u": ([[1.0]], [1]), "v": ([[1.0]], [0])})
    with pytest.raises(DataError, match="test/a.json, client 'v': has test examples, but is in"):
        read_leaf_json(tmp_path)


def test_empty_clients_are_dropped_and_counted(tmp_path):
    """Two have no training examples; one has, and stays although its test split is empty."""
    empty = ([], [])
    _write(tmp_path / "train" / "a.json", {"u": empty, "v": ([[1.0]], [1]), "w": empty})
    _write(tmp_path / "test" / "a.json", {"u": ([[1.0]], [1]), "v": empty, "x": empty})
    with pytest.warns(UserWarning, match="dropped 2 clients without training examples"):
        dataset = read_leaf_json(tmp_path)
    assert dataset.client_ids == ["v"]
    assert dataset.test.num_examples.tolist() == [0]


def test_integers_stay_integers_only_if_all_are(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": ([[1]], [1]), "v": ([[2]], [0])})
    _write(tmp_path / "test" / "a.json", {"v": ([[3]], [0])})
    assert read_leaf_json(tmp_path).train.arrays["x"].dtype == np.int32
    _write(tmp_path / "test" / "a.json", {"v": ([[3.5]], [0])})
    dataset = read_leaf_json(tmp_path)
    assert dataset.train.arrays["x"].dtype == dataset.test.arrays["x"].dtype == np.float32
    assert dataset.train.element_type_structure == dataset.test.element_type_structure


def test_text_is_read_raw(tmp_path):
    """As LEAF prepares Sent140: id, date, query, account and tweet, and 0 or 1."""
    tweet = ["1", "Mon", "NO_QUERY", "u", "caf\u00e9 :("]
    _write(tmp_path / "train" / "a.json", {"u": ([tweet], [1])})
    _write(tmp_path / "test" / "a.json", {"u": ([tweet], [0])})
    dataset = read_leaf_json(tmp_path)
    assert dataset.train.element_type_structure["x"] == tf.TensorSpec([5], tf.string)
    example = next(iter(dataset.train.create_tf_dataset_for_client("u")))
    assert example["x"][4].numpy().decode("utf-8") == "caf\u00e9 :("
    assert dataset.num_classes == 2


def test_text_labels_have_no_number_of_classes(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": (["to b"], ["e"])})
    _write(tmp_path / "test" / "a.json", {"u": (["o be"], [","])})
    dataset = read_leaf_json(tmp_path)
    assert dataset.num_classes is None
    assert dataset.train.element_type_structure["y"] == tf.TensorSpec([], tf.string)


def test_number_of_classes_may_be_given(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": ([[1.0]], [1])})
    _write(tmp_path / "test" / "a.json", {"u": ([[1.0]], [4])})
    assert read_leaf_json(tmp_path, num_classes=7).num_classes == 7
    with pytest.raises(DataError, match="test/a.json, client 'u', field 'y': has the label 4"):
        read_leaf_json(tmp_path, num_classes=4)


@pytest.mark.parametrize("split", ["train", "test"])
def test_missing_folder(tmp_path, split):
    other = "test" if split == "train" else "train"
    _write(tmp_path / other / "a.json", {"u": ([[1.0]], [1])})
    with pytest.raises(DataError, match=rf"{split}: no \*.json files"):
        read_leaf_json(tmp_path)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ({"v": ([[1.0, 2.0]], [0])}, {}, "train/b.json, client 'v', field 'x': is ragged"),
        ({}, {"u": ([[1.0, 2.0]], [0])}, "test/b.json, client 'u', field 'x': is ragged"),
        ({}, {"u": ([["text"]], [0])}, "test/b.json, client 'u', field 'x': mixes numbers"),
        ({"u": ([[1.0]], [0])}, {}, "train/b.json, client 'u': is in .*a.json as well"),
    ],
)
def test_files_must_agree(tmp_path, train, test, message):
    _write(tmp_path / "train" / "a.json", {"u": ([[1.0]], [1])})
    _write(tmp_path / "train" / "b.json", train)
    _write(tmp_path / "test" / "b.json", test)
    with pytest.raises(DataError, match=message):
        read_leaf_json(tmp_path)


def test_nobody_has_examples(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": ([], [])})
    _write(tmp_path / "test" / "a.json", {"u": ([], [])})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DataError, match="train: no client has any examples"):
            read_leaf_json(tmp_path)
