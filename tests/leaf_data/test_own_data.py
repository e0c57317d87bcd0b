"""Tests of `leaf_data.own_data`."""

import collections
import decimal
import math

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
import tensorflow_federated as tff

import leaf_data
from leaf_data.client_data import ArrayClientData
from leaf_data.errors import DataError
from leaf_data.statistics import label_entropy_per_client

_X = np.arange(12.0).reshape(6, 2)
_Y = np.array([0, 1, 2, 0, 1, 2])
_CLIENT = np.array(["b", "a", "b", "a", "b", "b"])
_IS_TEST = np.array([False, False, True, True, False, False])


def _from_arrays(**changed):
    arguments = {"x": _X, "y": _Y, "client": _CLIENT, "is_test": _IS_TEST, **changed}
    return leaf_data.from_arrays(**arguments)


def test_clients_come_in_the_order_of_their_first_examples():
    """b has the rows 0, 2, 4 and 5, where 2 is a test example; a has 1, and 3 as a test example."""
    dataset = _from_arrays()
    assert dataset.client_ids == ["b", "a"]
    assert (dataset.name, dataset.seed, dataset.num_classes) == ("own", None, 3)
    assert not hasattr(leaf_data, "from_list")
    for split, client, rows in (
        ("train", "b", [0, 4, 5]),
        ("train", "a", [1]),
        ("test", "b", [2]),
        ("test", "a", [3]),
    ):
        examples = getattr(dataset, split).examples(client)
        np.testing.assert_array_equal(examples["x"], _X[rows])
        np.testing.assert_array_equal(examples["y"], _Y[rows])
        assert (examples["x"].dtype, examples["y"].dtype) == (np.float32, np.int32)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(np.uint8, np.uint8), (np.uint16, np.int32), (np.float16, np.float32), (bool, np.float32)],
)
def test_bytes_stay_bytes_and_numbers_have_32_bits(given, kept):
    assert _from_arrays(x=(_X > 2).astype(given)).train.arrays["x"].dtype == kept
    assert _from_arrays(x=np.full((6, 2), 2**40)).train.arrays["x"].dtype == np.float32


@pytest.mark.parametrize("dtype", [object, bytes])
def test_labels_as_text_are_numbered_in_their_order(dtype):
    """Sorted the classes are ill, lame and well."""
    dataset = _from_arrays(y=np.array(["well", "ill", "lame", "ill", "well", "ill"], dtype))
    assert dataset.num_classes == 3
    np.testing.assert_array_equal(dataset.train.examples("b")["y"], [2, 2, 0])
    np.testing.assert_array_equal(dataset.test.examples("a")["y"], [0])


_NAN_AT_4 = np.where(np.arange(12).reshape(6, 2) == 8, np.nan, _X)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": _Y[:5]}, r"lengths are .*'x': 6, 'y': 5.* all must be the same"),
        ({"is_test": _IS_TEST.astype(int)}, "is_test has the dtype int64"),
        ({"x": np.zeros((0, 2)), "y": [], "client": [], "is_test": None}, "at least 1"),
        ({"x": np.zeros(6)}, r"x has the shape \(6,\); it must be \[n, ...\]"),
        ({"x": np.full((6, 1), "text")}, "features must be numbers"),
        ({"x": _NAN_AT_4}, "x is nan at example 4; all numbers must be finite"),
        ({"x": np.full((6, 1), 1e39)}, "x is inf at example 0; .* of 32 bits"),
        ({"y": [0, 1, 2, 0, 1, -1]}, "y has the label -1 at example 5; .* integers from 0 on"),
        ({"y": _Y + 0.5, "num_classes": 4}, "y has the label 0.5 at example 0"),
        ({"y": ["a"] * 6, "regression": True}, "y has the shape"),
        ({"num_classes": 2}, r"y has the label 2 at example 2; labels must be integers in 0..1"),
        ({"y": np.array([np.int64(0), 1, 2, 0, 1, -1], object)}, "y has the label -1.0 at"),
        ({"y": ["a", "b", None, "a", "b", "c"]}, "y is None at example 2, among objects; all"),
        ({"y": ["a", "b", math.nan, "a", "b", "c"]}, "y is nan at example 2, among objects; all"),
        ({"y": _Y + 250_000}, "the label 250002, which would make 250003 classes of 6 examples"),
        ({"y": [1j] * 6}, "it must be .n. integers, a class index for each example, or text"),
        ({"y": np.eye(6)}, r"y has the shape \(6, 6\)"),
        ({"x": np.ma.masked_array(_X, mask=_X > 7)}, "x is masked"),
        ({"is_test": _CLIENT == "a"}, "client 'a' has no training examples; leave out the 1 that"),
        ({"is_test": None, "client": range(6)}, "no client has test examples"),
    ],
)
def test_bad_arrays_are_refused(changed, message):
    with pytest.raises(DataError, match=message):
        _from_arrays(**changed)


def _frame():
    return pd.DataFrame(
        {
            "hospital": ["north", "south"] * 5,
            "age": range(10),
            "weight": np.linspace(50, 90, 10),
            "outcome": [0, 1] * 5,
            "held_out": [False] * 8 + [True] * 2,
        }
    )


def test_a_frame_is_its_columns():
    dataset = leaf_data.from_frame(
        _frame(), client="hospital", label="outcome", is_test="held_out", name="hospitals"
    )
    assert (dataset.name, dataset.client_ids) == ("hospitals", ["north", "south"])
    of_south = dataset.train.examples("south")
    np.testing.assert_allclose(of_south["x"], _frame()[["age", "weight"]].iloc[1:8:2])
    np.testing.assert_array_equal(of_south["y"], [1, 1, 1, 1])
    chosen = leaf_data.from_frame(_frame(), client="hospital", label="outcome", features=["age"])
    assert chosen.train.element_type_structure["x"] == tf.TensorSpec([1], tf.int32)


@pytest.mark.parametrize(
    ("changed", "given", "message"),
    [
        ({}, {"client": "clinic"}, "no column 'clinic', only"),
        ({}, {"features": ["age", "hospital"]}, "each must be another"),
        ({}, {"features": []}, "there must be a feature"),
        ({"hospital": ["north"] * 9 + [None]}, {}, "column 'hospital' is empty in row 9"),
        ({"outcome": ["ill", None] * 5}, {}, "column 'outcome' is empty in row 1"),
    ],
)
def test_bad_frames_are_refused(changed, given, message):
    arguments = {"client": "hospital", "label": "outcome", "is_test": "held_out", **given}
    with pytest.raises(DataError, match=message):
        leaf_data.from_frame(_frame().assign(**changed), **arguments)
    twice = pd.concat([_frame(), _frame()[["age"]]], axis=1)
    with pytest.raises(DataError, match="more than one column 'age'"):
        leaf_data.from_frame(twice, client="hospital", label="outcome")
    with pytest.raises(ValueError, match="features is 'age'; it must be a list"):
        leaf_data.from_frame(_frame(), client="hospital", label="outcome", features="age")


def _tff_data(counts):
    """TFF's own kind: each client's pixels and labels are its number."""
    return tff.simulation.datasets.TestClientData(
        {
            client_id: collections.OrderedDict(
                label=np.full(count, number, np.int64),
                pixels=np.full((count, 2, 2), number, np.float32),
            )
            for number, (client_id, count) in enumerate(counts.items())
        }
    )


def test_any_client_data_of_tffs_is_taken():
    """With its order and its fields; who is only in the test data is left out."""
    train, test = _tff_data({"b": 3, "a": 2}), _tff_data({"b": 1, "c": 4})
    dataset = leaf_data.from_client_data(train, test, x="pixels", y="label")
    assert dataset.client_ids == train.client_ids
    assert isinstance(dataset.train, ArrayClientData)
    assert dict(zip(dataset.client_ids, dataset.train.num_examples.tolist())) == {"b": 3, "a": 2}
    assert dict(zip(dataset.client_ids, dataset.test.num_examples.tolist())) == {"b": 1, "a": 0}
    assert dataset.train.element_type_structure["x"] == tf.TensorSpec([2, 2], tf.float32)
    assert dataset.num_classes == 2
    as_pairs = train.preprocess(lambda d: d.map(lambda each: (each["pixels"], each["label"])))
    assert sorted(leaf_data.from_client_data(as_pairs).train.num_examples) == [1, 2]


def test_bad_client_data_is_refused():
    train = _tff_data({"b": 3, "a": 2})
    with pytest.raises(DataError, match="no field 'x', only"):
        leaf_data.from_client_data(train)
    with pytest.raises(ValueError, match="is_test is not used here"):
        leaf_data.from_client_data(train, x="pixels", y="label", is_test=[True])
    with_nobody = ArrayClientData(
        {"a": {"x": np.ones((2, 1)), "y": np.ones(2)}, "b": {"x": np.ones((0, 1)), "y": np.ones(0)}}
    )
    with pytest.raises(DataError, match="client 'b' has no training examples; leave it out"):
        leaf_data.from_client_data(with_nobody)


@pytest.mark.parametrize(
    ("y", "given"),
    [
        (_Y - 0.25, {}),
        ([[0.5, 1], [1, 2], [2, 3], [0, 1], [1, 2], [2, 4]], {}),
        ([-1, -2, -3, 4, 5, 6], {"regression": True}),
        (np.array([decimal.Decimal("0.5")] * 6, object), {}),
    ],
)
def test_labels_of_a_regression_are_numbers(y, given):
    """Fractions say it, or the caller; there are no classes then, and no entropy."""
    dataset = leaf_data.from_arrays(np.zeros([6, 2]), y, ["a", "a", "a", "b", "b", "b"], **given)
    assert dataset.num_classes is None
    pooled = np.concatenate([dataset.train.arrays["y"], dataset.test.arrays["y"]])
    assert pooled.dtype == np.float32
    np.testing.assert_array_equal(np.sort(pooled, 0), np.sort(np.asarray(y, np.float32), 0))
    assert np.isnan(label_entropy_per_client(dataset)).all()
    with pytest.raises(ValueError, match="num_classes"):
        leaf_data.from_arrays(np.zeros([6, 2]), y, [0] * 6, regression=True, num_classes=3)
