from __future__ import annotations

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.program.cohort import ClientThreads, LocalCohort
from tff_weights.runtime.program.values import Clients

_AT_CLIENTS = tff.FederatedType(np.int32, tff.CLIENTS)
_AT_SERVER = tff.FederatedType(np.int32, tff.SERVER)


@tff.tensorflow.computation(np.int32)
def _negative(number):
    return -number


def test_a_value_that_all_clients_have_is_there_without_any_client():
    @tff.federated_computation(_AT_SERVER)
    def everywhere(number):
        return (
            tff.federated_broadcast(number),
            tff.federated_map(_negative, tff.federated_broadcast(number)),
            tff.federated_value(5, tff.CLIENTS),
        )

    assert everywhere(3) == (3, [], 5)


def test_a_zip_of_nothing_is_nothing_at_every_client():
    cohort = LocalCohort(3, ClientThreads(1), before_each=lambda: None)
    assert cohort.zip(()) == Clients([(), (), ()])


def test_something_is_evaluated_at_every_client():
    @tff.tensorflow.computation
    def three():
        return np.int32(3)

    @tff.federated_computation(_AT_CLIENTS)
    def threes(numbers):
        evaluated = tff.federated_eval(three, tff.CLIENTS)
        return (
            tff.federated_zip((numbers, evaluated)),
            tff.federated_eval(three, tff.SERVER),
            tff.federated_sum(tff.federated_value(1, tff.CLIENTS)),
        )

    assert threes([1, 2]) == ([(1, 3), (2, 3)], 3, 2)


@pytest.mark.parametrize(
    ("keys", "expected"), [([[0, 2], [1, 1]], [[3, 5], [4, 4]]), ([[], []], [[], []])]
)
def test_every_client_selects_what_its_keys_name(keys, expected):
    @tff.tensorflow.computation(tff.TensorType(np.int32, [3]), np.int32)
    def entry(table, key):
        return table[key]

    @tff.federated_computation(
        tff.FederatedType(tff.TensorType(np.int32, [len(keys[0])]), tff.CLIENTS),
        tff.FederatedType(tff.TensorType(np.int32, [3]), tff.SERVER),
    )
    def select(keys, table):
        return tff.federated_select(keys, tff.federated_value(3, tff.SERVER), table, entry)

    selected = select(list(np.array(keys, np.int32)), np.int32([3, 4, 5]))
    assert [list(one.as_numpy_iterator()) for one in selected] == expected


def test_a_sequence_is_mapped_and_reduced_outside_of_tensorflow():
    """Reduced in order: −1, then −12, then −123."""

    @tff.tensorflow.computation(np.int32, np.int32)
    def append(accumulator, number):
        return 10 * accumulator + number

    @tff.federated_computation(tff.SequenceType(np.int32))
    def digits(numbers):
        return tff.sequence_reduce(tff.sequence_map(_negative, numbers), 0, append)

    assert digits([1, 2, 3]) == -123
    assert digits(tf.data.Dataset.from_tensor_slices(np.int32([4, 5]))) == -45
    assert digits([]) == 0


def test_sequences_of_structures_keep_their_fields():
    pair = tff.to_type(collections.OrderedDict(b=np.int32, a=np.float32))

    @tff.tensorflow.computation(pair)
    def swap(x):
        return collections.OrderedDict(z=x["a"], y=x["b"])

    @tff.federated_computation(tff.SequenceType(pair))
    def swapped(pairs):
        return tff.sequence_map(swap, pairs)

    result = swapped([collections.OrderedDict(b=1, a=2.0), collections.OrderedDict(b=3, a=4.0)])
    assert list(result.as_numpy_iterator()) == [{"z": 2.0, "y": 1}, {"z": 4.0, "y": 3}]


@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_sequences_of_tuples_are_mapped_whole(size, is_named):
    """The last of `(3, 30, 300)`, of as many as the tuple has, from a data set and a list."""
    numbers = [np.int32(3 * 10**k) for k in range(size)]
    fields = collections.namedtuple("Fields", list("abc"[:size])) if is_named else lambda *x: x
    element_type = tff.to_type(fields(*[np.int32] * size))

    @tff.tensorflow.computation(element_type)
    def last(x):
        return x[-1]

    @tff.federated_computation(tff.SequenceType(element_type))
    def of_each(sequence):
        return tff.sequence_map(last, sequence)

    element = fields(*numbers)
    for given in (tf.data.Dataset.from_tensors(element), [element]):
        assert list(of_each(given).as_numpy_iterator()) == [numbers[-1]]
