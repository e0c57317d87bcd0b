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


@tff.tensorflow.computation(np.int32, np.int32)
def _ten_times_plus(accumulator, number):
    return 10 * accumulator + number


@tff.tensorflow.computation(np.int32)
def _negative(number):
    return -number


def test_an_aggregate_is_folded_in_the_cohorts_order():
    """((0 · 10 + 1) · 10 + 2) · 10 + 3 = 123, and the report changes its sign."""

    @tff.federated_computation(_AT_CLIENTS)
    def digits(numbers):
        return tff.federated_aggregate(numbers, 0, _ten_times_plus, _ten_times_plus, _negative)

    assert digits([1, 2, 3]) == -123
    assert digits([3, 2, 1]) == -321
    assert digits([]) == 0


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


def test_zips_keep_every_clients_values_together():
    @tff.federated_computation(_AT_CLIENTS, _AT_CLIENTS, _AT_SERVER)
    def zipped(one, other, common):
        return tff.federated_zip(
            collections.OrderedDict(
                pair=(one, other), common=tff.federated_broadcast(common), one=one
            )
        )

    result = zipped([1, 2], [3, 4], 5)
    assert [tuple(tf.nest.flatten(client)) for client in result] == [
        (5, 1, 1, 3),
        (5, 2, 2, 4),
    ]


def test_a_sum_over_broadcast_values_counts_the_clients():
    @tff.federated_computation(_AT_CLIENTS)
    def count(numbers):
        ones = tff.federated_map(
            tff.tensorflow.computation(lambda _: np.int32(1), np.int32), numbers
        )
        return tff.federated_sum(ones), tff.federated_sum(tff.federated_value(1, tff.CLIENTS))

    assert count([7, 8, 9]) == (3, 3)


def test_something_is_evaluated_at_every_client():
    @tff.tensorflow.computation
    def three():
        return np.int32(3)

    @tff.federated_computation(_AT_CLIENTS)
    def threes(numbers):
        evaluated = tff.federated_eval(three, tff.CLIENTS)
        return tff.federated_zip((numbers, evaluated)), tff.federated_eval(three, tff.SERVER)

    assert threes([1, 2]) == ([(1, 3), (2, 3)], 3)


@pytest.mark.parametrize("keys", [[[0, 2], [1], []], [[2, 2, 2]]])
def test_every_client_selects_what_its_keys_name(keys):
    table = {"row": np.arange(6, dtype=np.float32).reshape(3, 2)}

    @tff.tensorflow.computation(
        collections.OrderedDict(row=tff.TensorType(np.float32, [3, 2])), np.int32
    )
    def select(table, key):
        return collections.OrderedDict(row=table["row"][key], key=key)

    @tff.tensorflow.computation(
        tff.SequenceType(collections.OrderedDict(row=tff.TensorType(np.float32, [2]), key=np.int32))
    )
    def total(selected):
        return selected.reduce(
            tf.zeros([2]), lambda state, x: 10.0 * state + x["row"] + tf.cast(x["key"], tf.float32)
        )

    for size in {len(of_client) for of_client in keys}:
        cohort = [np.array(of_client, np.int32) for of_client in keys if len(of_client) == size]

        @tff.federated_computation(
            tff.FederatedType(tff.TensorType(np.int32, [size]), tff.CLIENTS),
            tff.FederatedType(select.type_signature.parameter[0], tff.SERVER),
        )
        def selected_totals(keys, server_value):
            selected = tff.federated_select(
                keys, tff.federated_value(3, tff.SERVER), server_value, select
            )
            return tff.federated_map(total, selected)

        for given, result in zip(cohort, selected_totals(cohort, table)):
            expected = np.zeros(2)
            for key in given:
                expected = 10 * expected + table["row"][key] + key
            np.testing.assert_array_equal(result, expected)


def test_a_sequence_is_mapped_and_reduced_outside_of_tensorflow():
    """(1 − 2) + 10 · ... : reduced in order, −1, then −12, then −123."""

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


def test_a_data_set_may_be_a_result_and_then_an_argument():
    @tff.tensorflow.computation
    def make():
        return tf.data.Dataset.range(4)

    @tff.tensorflow.computation(tff.SequenceType(np.int64))
    def total(numbers):
        return numbers.reduce(np.int64(0), lambda x, y: x + y)

    @tff.federated_computation
    def total_of_made():
        return total(make())

    assert total_of_made() == 6
    assert total(make()) == 6


def test_a_data_set_may_call_python():
    """Nothing is serialised: TFF's worker cannot run this."""

    @tff.tensorflow.computation(tff.SequenceType(np.int64))
    def total(numbers):
        return numbers.reduce(np.int64(0), lambda x, y: x + y)

    dataset = tf.data.Dataset.from_generator(
        lambda: iter([1, 2, 3]), output_signature=tf.TensorSpec([], tf.int64)
    )
    assert total(dataset) == 6
