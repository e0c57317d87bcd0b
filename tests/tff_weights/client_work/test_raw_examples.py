"""Tests of `tff_weights.client_work.raw_examples`."""

import collections
import itertools

import numpy as np
import pytest
import tensorflow as tf

from tff_weights import client_data
from tff_weights.client_work import dense_examples, raw_examples
from tff_weights.client_work.raw_examples import as_one_batch

_X = np.arange(80, dtype=np.float32).reshape(40, 2)
_Y = np.arange(40, dtype=np.int32)
_EXAMPLES = tf.data.Dataset.from_tensor_slices(collections.OrderedDict(x=_X, y=_Y))
_SPEC = {"x": tf.TensorSpec([2], tf.float32), "y": tf.TensorSpec([], tf.int32)}


def _generated(elements, **specs):
    return tf.data.Dataset.from_generator(
        lambda: elements, output_signature={**_SPEC, **{k: specs[k] for k in specs}}
    )


@pytest.mark.parametrize("num_examples", [0, 1, 7])
def test_a_data_set_becomes_tensors_in_its_order(num_examples):
    x = np.arange(2 * num_examples, dtype=np.uint8).reshape(num_examples, 2)
    text = np.array([b"ab"] * num_examples, object)
    dataset = tf.data.Dataset.from_tensor_slices(
        collections.OrderedDict(x=x, y=tf.constant(text, tf.string, shape=[num_examples]))
    )
    dense = dense_examples.to_dense(as_one_batch(dataset))
    assert list(dense) == ["x", "y"]
    assert dense["x"].dtype == tf.uint8
    np.testing.assert_array_equal(dense["x"], x)
    np.testing.assert_array_equal(dense["y"], text)
    assert int(dense_examples.count_rows(dense)) == num_examples


def test_a_generator_that_ends_is_read_with_the_shapes_that_it_has():
    """Its signature leaves the number of features open."""
    elements = [{"x": x, "y": y} for x, y in zip(_X, _Y)]
    examples = client_data(3, _generated(elements, x=tf.TensorSpec([None], tf.float32)))["examples"]
    assert examples.element_spec["x"] == tf.TensorSpec([None, 2], tf.float32)
    np.testing.assert_array_equal(next(iter(examples))["x"], _X)


def test_a_large_data_set_is_read_in_parts(monkeypatch):
    monkeypatch.setattr(raw_examples, "_BATCH_SIZE", 16)
    (batch,) = as_one_batch(_EXAMPLES)
    np.testing.assert_array_equal(batch["x"], _X)
    np.testing.assert_array_equal(batch["y"], _Y)


_NEVER_ENDS = [_EXAMPLES.repeat(), _EXAMPLES.repeat().map(lambda x: x), _EXAMPLES.repeat(10**12)]
_BATCHES = [_EXAMPLES.batch(20), _EXAMPLES.padded_batch(7), _EXAMPLES.repeat().batch(8)]
_RAGGED = [
    tf.data.Dataset.from_tensor_slices({"x": tf.ragged.constant([[1, 2], [3]]), "y": [0, 1]}),
    tf.data.Dataset.from_tensor_slices({"x": tf.sparse.from_dense(_X), "y": _Y}),
    _EXAMPLES.window(5),
    _generated(
        [{"x": _X[0, :1], "y": 0}, {"x": _X[0], "y": 0}], x=tf.TensorSpec([None], tf.float32)
    ),
    tf.data.Dataset.from_generator(lambda: [0, 1], output_types=tf.int32).map(lambda x: {"x": x}),
]


@pytest.mark.parametrize("examples", [*_NEVER_ENDS, *_BATCHES, *_RAGGED])
def test_what_cannot_be_held_as_rows_of_one_shape_is_refused(examples):
    with pytest.raises(ValueError, match="^examples must"):
        client_data(0, examples)


@pytest.mark.parametrize("examples", [None, [1, 2], {"x": _X, "y": _Y}])
def test_examples_are_a_data_set(examples):
    with pytest.raises(TypeError, match="^examples must"):
        client_data(0, examples)


@pytest.mark.parametrize(("bound", "value"), [("MOST_EXAMPLES", 20), ("MOST_BYTES", 240)])
@pytest.mark.parametrize(
    "endless",
    [
        _EXAMPLES.repeat().filter(lambda example: example["y"] >= 0),
        _generated({"x": _X[0], "y": 0} for _ in itertools.count()),
    ],
)
def test_where_nobody_knows_the_end_there_is_a_bound(monkeypatch, endless, bound, value):
    """An example has two numbers of 4 bytes and a label of 4: 240 bytes are 20 of them."""
    monkeypatch.setattr(raw_examples, bound, value)
    with pytest.raises(ValueError, match="^examples must end: more than 20 were read"):
        as_one_batch(endless)
    known = _EXAMPLES.take(30).filter(lambda example: example["y"] >= 0)
    known = known.apply(tf.data.experimental.assert_cardinality(30))
    (batch,) = as_one_batch(known)
    assert len(batch["y"]) == 30
