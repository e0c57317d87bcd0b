"""Tests of `leaf_data.leaf_json`'s `reader` and `scratch`."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import leaf_files
import numpy as np
import pytest
import tensorflow as tf

from leaf_data.errors import DataError
from leaf_data.leaf_json.reader import read_leaf_json


def _write(path: pathlib.Path, clients: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(leaf_files.document(clients)))


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


@pytest.mark.filterwarnings("ignore:dropped")
@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        (None, {"u": ([[1.0]], [1])}, r"train: no \*.json files"),
        ({"u": ([], [])}, {"u": ([], [])}, "train: no client has any examples"),
        ({"u": ([[1.0]], [10**9])}, {"u": ([], [])}, "'u', field 'y': has the label 1000000000"),
        ({"u": ([[1.0]], [1])}, {"v": ([[1.0]], [0])}, "test/a.json, client 'v': has test examp"),
    ],
)
def test_without_training_examples_there_is_no_data_set(tmp_path, train, test, message):
    for split, clients in (("train", train), ("test", test)):
        if clients is not None:
            _write(tmp_path / split / "a.json", clients)
    with pytest.raises(DataError, match=message):
        read_leaf_json(tmp_path)


def test_empty_clients_are_dropped_and_counted(tmp_path):
    """Two have no training examples; two have, and stay although they have no test examples."""
    empty, one = ([], []), ([[1.5, 2.0]], [1])
    _write(tmp_path / "train" / "a.json", {"u": empty, "v": one, "w": empty, "only": one})
    _write(tmp_path / "test" / "a.json", {"u": one, "v": empty, "x": empty})
    with pytest.warns(UserWarning, match="dropped 2 clients without training examples"):
        dataset = read_leaf_json(tmp_path)
    assert dataset.client_ids == ["v", "only"]
    assert dataset.test.num_examples.tolist() == [0, 0]
    assert dataset.test.examples("v")["x"].shape == (0, 2)
    assert list(dataset.test.create_tf_dataset_for_client("v")) == []


def test_integers_stay_integers_only_if_all_are(tmp_path):
    _write(tmp_path / "train" / "a.json", {"u": ([[1]], [1]), "v": ([[2]], [0])})
    _write(tmp_path / "test" / "a.json", {"v": ([[3]], [0])})
    assert read_leaf_json(tmp_path).train.arrays["x"].dtype == np.int32
    _write(tmp_path / "test" / "a.json", {"v": ([[3.5]], [0])})
    dataset = read_leaf_json(tmp_path)
    assert dataset.train.arrays["x"].dtype == dataset.test.arrays["x"].dtype == np.float32
    assert dataset.train.element_type_structure == dataset.test.element_type_structure


def test_text_is_read_raw(tmp_path):
    """As LEAF prepares Sent140: id, date, query, account and tweet; a text has no class index."""
    tweet = ["1", "Mon", "NO_QUERY", "u", "caf\u00e9 :("]
    leaf_files.write_leaf(tmp_path / "n", {"u": ([tweet], [1])}, {"u": ([tweet], [0])})
    dataset = read_leaf_json(tmp_path / "n")
    assert dataset.train.element_type_structure["x"] == tf.TensorSpec([5], tf.string)
    example = next(iter(dataset.train.create_tf_dataset_for_client("u")))
    assert example["x"][4].numpy().decode("utf-8") == "caf\u00e9 :("
    assert dataset.num_classes == 2
    leaf_files.write_leaf(tmp_path / "t", {"u": (["to b"], ["e"])}, {"u": (["o be"], [","])})
    of_texts = read_leaf_json(tmp_path / "t")
    assert of_texts.num_classes is None
    assert of_texts.train.element_type_structure["y"] == tf.TensorSpec([], tf.string)


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
