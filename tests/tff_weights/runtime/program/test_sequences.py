"""Every call reads a data set from its start, as on TFF's worker, which is sent it again."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.program import values

_Dataset = tf.data.Dataset
_SEQUENCE = tff.SequenceType(np.int64)


@tff.tensorflow.computation(_SEQUENCE)
def _digits(dataset):
    """The numbers of a data set, one digit after the other."""
    return dataset.reduce(np.int64(0), lambda digits, number: 10 * digits + number)


@tff.federated_computation(tff.FederatedType(_SEQUENCE, tff.CLIENTS))
def _digits_twice(datasets):
    return tff.federated_map(_digits, datasets), tff.federated_map(_digits, datasets)


def _shuffled():
    return _Dataset.range(9).shuffle(9, seed=42)


_OF_PYTHON = {"output_signature": tf.TensorSpec([], tf.int64)}
_captured = _shuffled()

# What TFF's own context gives, in each of several calls; there is none for Python's functions.
_DATASETS = {
    "shuffle": (_shuffled, 685732140),
    "shuffle, the same order": (
        lambda: _Dataset.range(9).shuffle(9, seed=42, reshuffle_each_iteration=False),
        501423687,
    ),
    "shuffle and repeat": (lambda: _Dataset.range(3).shuffle(3, seed=42).repeat(3), 21021021),
    "shuffle, cache": (lambda: _shuffled().cache(), 685732140),
    "shuffle of old": (lambda: tf.compat.v1.data.Dataset.range(9).shuffle(9, seed=42), 685732140),
    "a captured shuffle": (
        lambda: _Dataset.range(2).flat_map(lambda _: _captured).take(12),
        685732140042,
    ),
    "by its variant": (
        lambda: tf.data.experimental.from_variant(
            tf.data.experimental.to_variant(_shuffled()), tf.TensorSpec([], tf.int64)
        ),
        685732140,
    ),
    "random numbers": (lambda: _Dataset.random(seed=1).take(3).map(lambda x: x % 10), 793),
    "a random mixture": (
        lambda: _Dataset.sample_from_datasets([_Dataset.range(5), _Dataset.range(5, 9)], seed=7),
        506127834,
    ),
    "Python's numbers": (
        lambda: _Dataset.from_generator(lambda: range(9), **_OF_PYTHON).shuffle(1, seed=1),
        12345678,
    ),
}


@pytest.mark.parametrize(("make", "expected"), _DATASETS.values(), ids=list(_DATASETS))
def test_every_call_and_every_reader_of_a_call_begins_from_the_start(make, expected):
    dataset = make()
    for _ in range(2):
        assert _digits_twice([dataset, dataset]) == ([expected] * 2, [expected] * 2)


def test_a_variable_that_a_shuffled_data_set_reads_may_change():
    offset = tf.Variable(0, dtype=tf.int64)
    dataset = _Dataset.range(3).shuffle(1, seed=1).map(lambda number: number + offset)
    for value, expected in ((0, 12), (4, 456)):
        offset.assign(value)
        assert _digits(dataset) == expected


def test_a_shuffle_without_seed_differs_from_call_to_call():
    dataset = _Dataset.range(1000).shuffle(1000).take(9).map(lambda number: number % 10)
    assert len({int(_digits(dataset)) for _ in range(5)}) > 1


def test_a_shuffle_that_a_computation_makes_begins_from_the_start_for_every_reader():
    """7, 8, 5, 1, 3, 0, 4, 2, 6 is what TFF's own context gives."""

    @tff.tensorflow.computation(_SEQUENCE)
    def shuffle(dataset):
        return dataset.shuffle(9, seed=5).repeat(2).take(9)

    @tff.federated_computation(tff.FederatedType(_SEQUENCE, tff.CLIENTS))
    def shuffle_and_read(datasets):
        shuffled = tff.federated_map(shuffle, datasets)
        return tff.federated_map(_digits, shuffled), tff.federated_map(_digits, shuffled)

    @tff.tensorflow.computation
    def shuffle_in_a_function():
        return tf.function(lambda: _Dataset.range(9).shuffle(9, seed=5))()

    @tff.federated_computation
    def read_twice():
        shuffled = shuffle_in_a_function()
        return _digits(shuffled), _digits(shuffled)

    assert len(set(read_twice())) == 1
    assert shuffle_and_read([_Dataset.range(9)]) == ([785130426], [785130426])
    result = shuffle(_Dataset.range(9))
    assert [_digits(result) for _ in range(3)] == [785130426] * 3


@pytest.mark.parametrize(
    ("elements", "dtype"),
    [
        ([2**40], np.int32),
        ([1, 1.5], np.int32),
        ([1e300], np.float32),
        ([1 + 2j], np.float32),
        ([float("nan")], np.int32),
        ([1], np.str_),
        ([[1, 2]], np.int32),
    ],
)
def test_no_element_of_a_list_loses_its_value(elements, dtype):
    with pytest.raises(TypeError, match=np.dtype(dtype).name):
        values.from_python(elements, tff.SequenceType(dtype))


@pytest.mark.parametrize(
    ("elements", "dtype", "expected"),
    [
        ([np.float64(0.1)], np.float32, [np.float32(0.1)]),
        ([float("inf"), float("nan")], np.float32, [np.inf, np.nan]),
        ([np.int64(7)], np.int32, [7]),
        (["ä", b"x\0"], np.str_, ["ä".encode(), b"x\0"]),
    ],
)
def test_elements_of_other_types_are_taken_where_they_keep_their_value(elements, dtype, expected):
    sequence = values.from_python(elements, tff.SequenceType(dtype))
    dataset = sequence.as_dataset(tff.TensorType(dtype))
    np.testing.assert_equal(list(dataset.as_numpy_iterator()), expected)


def test_large_integers_of_an_element_keep_their_digits():
    """NumPy makes floats of a list of integers above and below 2⁶³."""
    pairs = tff.SequenceType(tff.TensorType(np.uint64, [2]))
    dataset = values.from_python([[2**63 + 1, 1]], pairs).as_dataset(pairs.element)
    assert [pair.tolist() for pair in dataset.as_numpy_iterator()] == [[2**63 + 1, 1]]


def test_a_long_list_is_one_data_set():
    """Of 20,000 concatenated data sets TensorFlow's recursion would end the process."""
    assert _digits([0] * 20_000 + [5, 7]) == 57


def test_batches_of_different_sizes_stay_in_their_order():
    batches = [[1, 2], [3], [], [4, 5], [6, 7]]
    type_spec = tff.SequenceType(tff.TensorType(np.int64, [None]))
    dataset = values.from_python(batches, type_spec).as_dataset(type_spec.element)
    assert [batch.tolist() for batch in dataset.as_numpy_iterator()] == batches
