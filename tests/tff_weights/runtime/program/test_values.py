from __future__ import annotations

import collections
from typing import NamedTuple

import attrs
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.program import values


class _Pair(NamedTuple):
    a: int
    b: float


@attrs.define
class _AttrsPair:
    a: int
    b: float


_PAIR = tff.to_type(collections.OrderedDict(a=np.int32, b=np.float32))


@pytest.mark.parametrize(
    "pair",
    [
        {"b": 2.5, "a": 1},
        collections.OrderedDict(a=1, b=2.5),
        _Pair(1, 2.5),
        _AttrsPair(1, 2.5),
        (1, 2.5),
        [1, 2.5],
        tff.structure.Struct([("a", 1), ("b", 2.5)]),
        tff.structure.Struct([(None, 1), ("b", 2.5)]),
        {"a": np.int32(1), "b": np.array(2.5, np.float32)},
        {"a": tf.constant(1), "b": tf.Variable(2.5)},
    ],
    ids=lambda pair: type(pair).__name__,
)
def test_every_container_that_tff_takes_is_taken(pair):
    value = values.from_python(pair, _PAIR)
    assert isinstance(value, tuple)
    assert [tensor.numpy() for tensor in value] == [1, 2.5]
    assert [tensor.dtype for tensor in value] == [tf.int32, tf.float32]
    dataset = values.from_python([pair] * 3, tff.SequenceType(_PAIR)).as_dataset(_PAIR)
    assert list(dataset.as_numpy_iterator()) == [{"a": 1, "b": 2.5}] * 3


@pytest.mark.parametrize(
    "container", [collections.OrderedDict, tuple, list, dict, _Pair, _AttrsPair]
)
def test_results_come_in_the_container_of_their_type(container):
    elements = [("a", np.int32), ("b", np.float32)]
    if container in (tuple, list):
        elements = [(None, dtype) for _, dtype in elements]
    type_spec = tff.types.StructWithPythonType(elements, container)
    result = values.to_python((tf.constant(1), tf.constant(2.5)), type_spec)
    assert type(result) is container
    numbers = result.values() if isinstance(result, dict) else result
    if container is _AttrsPair:
        numbers = attrs.astuple(result)
    assert [type(number) for number in numbers] == [np.int32, np.float32]


def test_strings_stay_bytes():
    type_spec = tff.TensorType(np.str_, [2])
    for given in (["ä", "b"], np.array(["ä", "b"]), np.array([b"\xc3\xa4", b"b"], object)):
        value = values.from_python(given, type_spec)
        assert values.to_python(value, type_spec).tolist() == ["ä".encode(), b"b"]
    assert values.to_python(tf.constant("x"), tff.TensorType(np.str_)) == b"x"


class _BeforeA(NamedTuple):
    b: float
    a: int


@pytest.mark.parametrize(
    ("value", "type_spec", "sentence"),
    [
        (1.5, tff.TensorType(np.int32), "cannot be 1.5"),
        ("x", tff.TensorType(np.float32), "cannot be 'x'"),
        (np.float64(1), tff.TensorType(np.float32), "float64"),
        (np.float32(1), tff.TensorType(np.int32), "float32"),
        (np.zeros(3, np.float32), tff.TensorType(np.float32, [2]), r"the shape \(3,\)"),
        (tf.zeros([2, 1]), tff.TensorType(np.float32, [None]), r"the shape \(2, 1\)"),
        ((1, 2.0, 3), _PAIR, "must have 2 elements, got 3"),
        ({"a": 1, "c": 2.0}, _PAIR, "must have 'b' where 'c' was given"),
        (7, _PAIR, "must be a structure, got int"),
        (7, tff.FederatedType(np.int32, tff.CLIENTS), "must be a list"),
        ((1, 2), tff.SequenceType(np.int32), "tf.data.Dataset, or a list"),
        (
            tf.data.Dataset.range(3),
            tff.SequenceType(np.int32),
            r"must not be a data set of type int64\*",
        ),
        (
            tf.data.Dataset.from_tensors(_BeforeA(b=2.0, a=1)),
            tff.SequenceType(collections.OrderedDict(b=np.float32, a=np.int32)),
            r"in the order \['a', 'b'\], got \['b', 'a'\]",
        ),
        (print, tff.FunctionType(np.int32, np.int32), "cannot be handed to a computation"),
    ],
)
def test_a_value_of_another_type_is_a_sentence(value, type_spec, sentence):
    with pytest.raises(TypeError, match=sentence):
        values.from_python(value, type_spec)


@pytest.mark.parametrize(
    ("value", "type_spec"),
    [
        (2**31, tff.TensorType(np.int32)),
        (-1, tff.TensorType(np.uint8)),
        ([2**40, 1], tff.TensorType(np.int32, [2])),
        (np.array([1, 2], np.int64), tff.TensorType(np.int32, [2])),
        (1e300, tff.TensorType(np.float32)),
        (True, tff.TensorType(np.int32)),
        (1, tff.TensorType(np.float32)),
        (np.int16(1), tff.TensorType(np.float32)),  # NumPy would cast it, and lose nothing.
        ([{"a": 1, "b": 1e300}], tff.FederatedType(_PAIR, tff.CLIENTS)),
    ],
)
def test_no_number_is_changed_to_fit_its_type(value, type_spec):
    """TFF's own context raises `TypeError` for each of these; smaller ones are widened."""
    with pytest.raises(TypeError):
        values.from_python(value, type_spec)
    assert values.from_python(np.int16(3), tff.TensorType(np.int64)).dtype == tf.int64


def test_the_number_of_clients_is_read_off_the_argument():
    clients, server = (
        tff.FederatedType(np.int32, tff.CLIENTS),
        tff.FederatedType(np.int32, tff.SERVER),
    )
    both = tff.to_type(collections.OrderedDict(x=clients, y=clients, z=server))
    assert values.num_clients([1, 2, 3], clients) == 3
    assert values.num_clients(1, server) is None
    assert values.num_clients(5, tff.FederatedType(np.int32, tff.CLIENTS, all_equal=True)) is None
    assert values.num_clients({"x": [1, 2], "y": [3, 4], "z": 5}, both) == 2
    with pytest.raises(ValueError, match=r"\[1, 2\] clients"):
        values.num_clients({"x": [1, 2], "y": [3], "z": 5}, both)


def test_a_data_set_known_from_another_computation_is_compared_again():
    dataset = tf.data.Dataset.from_tensor_slices(np.zeros((3, 2), np.float32))
    values.from_python(dataset, tff.SequenceType(tff.TensorType(np.float32, [2])))
    values.from_python(dataset, tff.SequenceType(tff.TensorType(np.float32, [None])))
    with pytest.raises(TypeError, match="must not be a data set"):
        values.from_python(dataset, tff.SequenceType(tff.TensorType(np.float32, [3])))
