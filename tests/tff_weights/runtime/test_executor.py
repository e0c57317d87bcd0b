from __future__ import annotations

import gc

import numpy as np
import pytest
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
    executors = []
    with local_worker():
        for number in range(135):
            assert _add(number)(1) == number + 1
        gc.collect()
        executors = [
            value
            for value in gc.get_objects()
            if type(value).__name__ == "RememberingExecutor" and value._sent
        ]

        assert max(len(executor._sent) for executor in executors) <= 130
