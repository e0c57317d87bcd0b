"""Tests of `leaf_data.client_data` and `federated_dataset`."""

from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.client_data import ArrayClientData, client_examples, num_examples_per_client
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.fingerprint import fingerprint


def _clients() -> dict[str, dict[str, np.ndarray]]:
    """Three clients of 2, 0 and 3 examples; example k of all has x = [k, 10 k] and y = k."""
    x = np.array([[k, 10 * k] for k in range(5)], np.float32)
    y = np.arange(5, dtype=np.int32)
    return {
        "b": {"x": x[:2], "y": y[:2]},
        "empty": {"x": x[:0], "y": y[:0]},
        "a": {"x": x[2:], "y": y[2:]},
    }


@pytest.fixture
def client_data() -> ArrayClientData:
    return ArrayClientData(_clients())


def _labels(dataset: tf.data.Dataset) -> list[int]:
    return [int(example["y"]) for example in dataset.as_numpy_iterator()]


def test_arrays_are_flat_with_row_splits(client_data):
    """2, 0 and 3 examples begin at rows 0, 2 and 2, and end at 5."""
    assert client_data.client_ids == ["b", "empty", "a"]
    assert [client_data.client_index(i) for i in ("b", "empty", "a")] == [0, 1, 2]
    np.testing.assert_array_equal(client_data.row_splits, [0, 2, 2, 5])
    np.testing.assert_array_equal(client_data.num_examples, [2, 0, 3])
    assert client_data.num_examples.dtype == np.int64
    np.testing.assert_array_equal(client_data.arrays["y"], np.arange(5))
    assert client_data.arrays["x"].shape == (5, 2)
    assert client_data.examples("empty")["x"].shape == (0, 2)
    # Examples are read-only views.
    examples = client_data.examples("a")
    assert list(examples) == ["x", "y"]
    np.testing.assert_array_equal(examples["x"], [[2, 20], [3, 30], [4, 40]])
    assert np.shares_memory(examples["x"], client_data.arrays["x"])
    with pytest.raises(ValueError, match="read-only"):
        examples["x"][0, 0] = 1.0


@pytest.mark.parametrize(
    "make", ["create_tf_dataset_for_client", "serializable_dataset_fn", "dataset_computation"]
)
def test_data_sets_hold_the_examples_in_order(client_data, make):
    expected = collections.OrderedDict(
        x=tf.TensorSpec([2], tf.float32), y=tf.TensorSpec([], tf.int32)
    )
    assert client_data.element_type_structure == expected
    dataset = getattr(client_data, make)("a")
    assert _labels(dataset) == [2, 3, 4]
    assert isinstance(next(iter(dataset)), collections.OrderedDict)
    assert dataset.element_spec == expected
    assert _labels(getattr(client_data, make)("empty")) == []


def test_unknown_client_is_an_error(client_data):
    for find in (client_data.create_tf_dataset_for_client, client_data.client_index):
        with pytest.raises(ValueError, match="client_id is 'z'"):
            find("z")
    with pytest.raises(tf.errors.InvalidArgumentError, match="not one of"):
        list(client_data.serializable_dataset_fn("z"))


def test_client_examples_of_any_client_data_crosses_batches():
    """3,000 examples are more than one batch of the reading loop, and come back in order."""
    y = np.arange(3000)
    theirs = tff.simulation.datasets.TestClientData({"a": collections.OrderedDict(y=y)})
    np.testing.assert_array_equal(client_examples(theirs, "a")["y"], y)
    np.testing.assert_array_equal(num_examples_per_client(theirs), [3000])


def test_text_becomes_utf8_bytes():
    """Trailing null characters and letters outside ASCII survive: "é" is C3 A9 in UTF-8."""
    client_data = ArrayClientData(
        [("a", {"x": [["é\0", "b"]], "y": ["c"]}), ("b", {"x": [[b"", "d"]], "y": [b"\xff"]})]
    )
    assert client_data.examples("a")["x"].tolist() == [[b"\xc3\xa9\0", b"b"]]
    assert client_data.element_type_structure["x"] == tf.TensorSpec([2], tf.string)
    for dataset in (
        client_data.create_tf_dataset_for_client("a"),
        client_data.serializable_dataset_fn("a"),
    ):
        assert next(iter(dataset))["x"].numpy().tolist() == [b"\xc3\xa9\0", b"b"]
    assert client_examples(client_data.preprocess(lambda d: d), "b")["y"].tolist() == [b"\xff"]


def test_a_fingerprint_is_of_ids_order_dtypes_and_examples():
    """Whatever holds them. The last two have the same bytes in all."""

    def made(x=("ab", "c"), y=(0, 1), ids="ab", dtype=np.int32):
        examples = (
            {"x": [text, "d"], "y": np.array([label, 2], dtype)} for text, label in zip(x, y)
        )
        return ArrayClientData(zip(ids, examples))

    found = fingerprint(made())
    assert found == fingerprint(made().preprocess(lambda dataset: dataset))
    others = (made(y=(0, 0)), made(y=(1, 0)), made(ids="ba"), made(dtype=np.int64))
    others = (*others, made(x=("a", "bc")), made(x=("abc", "")))
    assert len({found, *map(fingerprint, others)}) == 7


@pytest.mark.parametrize(
    ("clients", "message"),
    [
        ([("a", {"x": [None], "y": [1]})], "None is neither"),
        ([(7, {"y": [1]})], "client id 7"),
        ([("caf\udce9", {"y": [1]})], "cannot be written as UTF-8"),
        ({}, "clients is empty"),
        ([("a", {"y": [1]}), ("a", {"y": [2]})], "'a' occurs more than once"),
        ([("a", {"x": [1], "y": [1, 2]})], "same number of examples"),
        ([("a", {})], "same number of examples"),
        ([("a", {"y": [1]}), ("b", {"z": [1]})], "'b'.*fields"),
        ([("a", {"y": [1]}), ("b", {"y": [[1]]})], r"clients\['b'\]\['y'\].*shape"),
        ([("a", {"y": [1]}), ("b", {"y": [1.5]})], r"clients\['b'\]\['y'\].*dtype"),
    ],
)
def test_bad_clients_are_refused(clients, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ArrayClientData(clients)


@pytest.mark.parametrize("row_splits", [[0, 2], [1, 2, 3], [0, 4, 3], [0.0]])
def test_bad_row_splits_are_refused_and_good_ones_share_memory(row_splits):
    y, good = np.arange(3), np.array([0, 1, 3])
    assert np.shares_memory(ArrayClientData.from_arrays(["p", "q"], {"y": y}, good).arrays["y"], y)
    assert y.flags.writeable and good.flags.writeable
    with pytest.raises(ValueError, match="row_splits"):
        ArrayClientData.from_arrays(["a", "b"], {"y": np.arange(3)}, np.array(row_splits))


def _client_data(*client_ids: str) -> ArrayClientData:
    return ArrayClientData([(client_id, {"y": [0]}) for client_id in client_ids])


def test_splits_must_have_the_same_clients_in_the_same_order():
    for test_ids in (["a", "b"], ["b"]):
        with pytest.raises(ValueError, match="'toy' must have the same client ids"):
            FederatedDataset("toy", _client_data("b", "a"), _client_data(*test_ids))
    with pytest.raises(ValueError, match="client_id is 'c'.*'toy'"):
        FederatedDataset("toy", _client_data("a"), _client_data("a")).client_index("c")
