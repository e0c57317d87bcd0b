from __future__ import annotations

import collections
import gc

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime import local_worker


@pytest.fixture
def sent(monkeypatch):
    """What was really sent to the worker, whole, by every executor."""
    sent = []
    create_value = tff.framework.RemoteExecutor.create_value

    async def record(self, value, type_spec=None):
        sent.append(value)
        return await create_value(self, value, type_spec)

    monkeypatch.setattr(tff.framework.RemoteExecutor, "create_value", record)
    return sent


def _computations(sent):
    return [value for value in sent if isinstance(value, tff.framework.ConcreteComputation)]


def _add(number):
    @tff.tensorflow.computation(np.int32)
    def add(value):
        return value + number

    return add


def test_a_computation_is_sent_once_and_its_arguments_every_time(sent):
    add_two = _add(2)
    with local_worker():
        assert [add_two(value) for value in (1, 2, 3)] == [3, 4, 5]

    assert len(_computations(sent)) == 1
    assert len(sent) == 4


def test_each_computation_is_sent(sent):
    computations = [_add(1), _add(2)]
    with local_worker():
        assert [add(1) for add in computations * 2] == [2, 3, 2, 3]

    assert len(_computations(sent)) == 2


def test_a_new_worker_is_sent_it_again(sent):
    add_two = _add(2)
    for _ in range(2):
        with local_worker():
            assert add_two(1) == 3

    assert len(_computations(sent)) == 2


def test_every_size_of_cohort_has_an_executor_of_its_own(sent):
    @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
    def total(values):
        return tff.federated_sum(values)

    with local_worker():
        assert [total(values) for values in ([1, 2], [1, 2, 3], [3, 4])] == [3, 6, 7]

    assert len(_computations(sent)) == 2


def test_many_computations_that_are_let_go_of_do_not_stay():
    """TFF keeps what it compiled for 128 computations; those before them are gone for good."""
    with local_worker():
        for number in range(135):
            assert _add(number)(1) == number + 1
        gc.collect()
        executors = [
            value
            for value in gc.get_objects()
            if type(value).__name__ == "RememberingExecutor" and value._computations
        ]

        assert max(len(executor._computations) for executor in executors) <= 130


@tff.tensorflow.computation(tff.SequenceType(np.int32))
def _sum(dataset):
    return dataset.reduce(0, lambda total, value: total + value)


@tff.federated_computation(tff.FederatedType(tff.SequenceType(np.int32), tff.CLIENTS))
def _sum_of_all(datasets):
    return tff.federated_sum(tff.federated_map(_sum, datasets))


def _dataset(*values):
    return tf.data.Dataset.from_tensor_slices(np.array(values, np.int32))


def _cohorts(sent):
    return [value for value in sent if not isinstance(value, tff.framework.ConcreteComputation)]


def test_a_cohort_that_stays_the_same_is_sent_no_more_than_twice(sent):
    first, second = _dataset(1, 2), _dataset(30)
    with local_worker():
        assert [_sum_of_all([first, second]) for _ in range(5)] == [33] * 5

    assert len(_cohorts(sent)) == 2


def test_cohorts_that_change_are_sent_and_not_kept(sent):
    a, b, c = _dataset(1), _dataset(20), _dataset(300)
    with local_worker():
        results = [_sum_of_all(cohort) for cohort in ([a, b], [a, c], [b, c], [a, b], [a, b])]
        executors = [
            value for value in gc.get_objects() if type(value).__name__ == "RememberingExecutor"
        ]
        kept = [executor._cohort_at_worker for executor in executors if executor._cohort == [a, b]]

    assert results == [21, 301, 320, 21, 21]
    assert len(_cohorts(sent)) == 5
    assert len(kept) == 1  # After the second time in succession.
    assert kept[0] is not None


def test_the_same_clients_in_another_order_or_number_are_another_cohort(sent):
    @tff.federated_computation(tff.FederatedType(tff.SequenceType(np.int32), tff.CLIENTS))
    def collect(datasets):
        return tff.federated_map(_sum, datasets)

    a, b = _dataset(1), _dataset(20)
    with local_worker():
        results = [list(collect(cohort)) for cohort in ([a, b], [a, b], [b, a], [a], [a, b])]

    assert results == [[1, 20], [1, 20], [20, 1], [1], [1, 20]]


def test_the_same_data_in_another_structure_is_sent():
    sequence = tff.SequenceType(np.int32)

    def sum_of(structure):
        @tff.tensorflow.computation(structure)
        def difference(data):
            return _reduce(data["minuend"]) - _reduce(data["subtrahend"])

        @tff.federated_computation(tff.FederatedType(structure, tff.CLIENTS))
        def total(datasets):
            return tff.federated_sum(tff.federated_map(difference, datasets))

        return total

    def _reduce(dataset):
        return dataset.reduce(0, lambda total, value: total + value)

    data = {"minuend": _dataset(1), "subtrahend": _dataset(20)}
    with local_worker():
        for names in (list(data), list(data)[::-1], list(data)):
            total = sum_of(collections.OrderedDict((name, sequence) for name in names))
            client = collections.OrderedDict((name, data[name]) for name in names)
            assert [total([client]) for _ in range(3)] == [-19] * 3


def test_equal_data_in_new_data_sets_is_sent(sent):
    with local_worker():
        assert [_sum_of_all([_dataset(1), _dataset(2)]) for _ in range(4)] == [3] * 4

    assert len(_cohorts(sent)) == 4


def test_other_values_of_clients_are_sent(sent):
    @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
    def total(values):
        return tff.federated_sum(values)

    values = [1, 2]
    with local_worker():
        assert [total(values) for _ in range(3)] == [3] * 3

    assert len(_cohorts(sent)) == 3
