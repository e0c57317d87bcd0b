from __future__ import annotations

import collections
import pickle

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.cluster.packing import HeldSequence, num_bytes, pack, pack_sequence, unpack
from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.values import Sequence, of_dataset


def _sent(packed):
    return pickle.loads(pickle.dumps(packed))


def _elements(sequence, element_type):
    return list(sequence.as_dataset(element_type).as_numpy_iterator())


@pytest.mark.parametrize(
    ("tensor", "size"),
    [
        (tf.constant(3, tf.int64), 8),
        (tf.constant([[1.5, -2.0]], tf.float32), 8),
        (tf.constant([True, False]), 2),
        (tf.zeros([0, 3], tf.float64), 0),
        (tf.constant([1.5], tf.bfloat16), 2),
        (tf.constant(b"a\x00"), 2),
        (tf.constant([b"", b"abc\x00"]), 4),
        (tf.zeros([100, 3], tf.bfloat16), 0),  # As zeros; that with a sign is none.
        (-tf.zeros([100, 3]), 1200),
    ],
)
def test_tensors_come_back_as_they_were(tensor, size):
    packed = _sent(pack(tensor, None))
    assert num_bytes(packed) == size
    back = unpack(packed)
    assert back.dtype == tensor.dtype
    assert back.shape == tensor.shape
    np.testing.assert_array_equal(back.numpy(), tensor.numpy())


_STRUCTURED = tff.to_type(
    collections.OrderedDict(
        y=tff.TensorType(np.int32), x=tff.TensorType(np.float32, [2]), text=tff.TensorType(np.str_)
    )
)


def _structured(number):
    return tf.data.Dataset.from_tensor_slices(
        collections.OrderedDict(
            y=np.arange(number, dtype=np.int32),
            x=np.arange(2 * number, dtype=np.float32).reshape(number, 2),
            text=np.array([b"%d\x00" % i for i in range(number)], object).reshape(number),
        )
    )


@pytest.mark.parametrize("number", [1, 5])
def test_data_sets_keep_fields_and_order(number):
    packed = pack_sequence(of_dataset(_structured(number)), None)
    assert num_bytes(packed) == number * (4 + 8 + 2)
    back = _elements(unpack(_sent(packed)), _STRUCTURED)
    expected = list(_structured(number).as_numpy_iterator())
    assert [list(element) for element in back] == [["y", "x", "text"]] * number
    for ours, theirs in zip(back, expected):
        np.testing.assert_equal(dict(ours), dict(theirs))


@pytest.mark.parametrize("sizes", [[2, 2, 1], [1, 2, 1, 3, 3, 1, 2], [0], []])
def test_elements_of_many_sizes_stay_apart(sizes):
    """Those that are alike and follow each other are sent as one array."""
    batches = [np.full([size, 3], place, np.float32) for place, size in enumerate(sizes)]
    dataset = tf.data.Dataset.from_generator(
        lambda: iter(batches), output_signature=tf.TensorSpec([None, 3], tf.float32)
    )
    packed = pack_sequence(of_dataset(dataset), None)
    assert num_bytes(packed) == 12 * sum(sizes)
    back = _elements(unpack(_sent(packed)), tff.TensorType(np.float32, [None, 3]))
    assert [element.tolist() for element in back] == [batch.tolist() for batch in batches]


def test_random_numbers_without_a_seed_are_new_at_every_reading():
    drawn = tf.data.Dataset.range(3).map(lambda _: tf.random.uniform([]))
    back = unpack(_sent(pack_sequence(of_dataset(drawn), None)))
    type_spec = tff.TensorType(np.float32)
    assert _elements(back, type_spec) != _elements(back, type_spec)


def test_a_data_set_of_a_graph_needs_its_type_and_every_one_an_end():
    variant = tf.data.experimental.to_variant(tf.data.Dataset.range(3))
    packed = pack(Sequence(variant), tff.SequenceType(np.int64))
    assert _elements(unpack(_sent(packed)), tff.TensorType(np.int64)) == [0, 1, 2]
    with pytest.raises(NotImplementedError, match="cannot be sent to a cluster"):
        pack((Sequence(variant),), None)
    with pytest.raises(ValueError, match="never ends"):
        pack_sequence(of_dataset(tf.data.Dataset.range(3).repeat()), None)


def test_what_the_receiver_has_is_found_there():
    sequence = of_dataset(tf.data.Dataset.range(1))
    function = object()
    captured = Origin(2, {"x": np.float32(7.0)})
    found = []

    def find(origin):
        found.append((origin.number, origin.captured["x"].numpy()))
        return function

    packed = _sent((HeldSequence(5), ((), captured)))
    assert unpack(packed, {5: sequence}, find) == (sequence, ((), function))
    assert found == [(2, 7.0)]
