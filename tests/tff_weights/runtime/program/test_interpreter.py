"""Tests of `tff_weights.runtime.program.interpreter`; what it computes, the others compare."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.runtime.compilation import compile_natively
from tff_weights.runtime.program.cohort import ClientThreads, LocalCohort
from tff_weights.runtime.program.functions import Functions
from tff_weights.runtime.program.interpreter import Interpretation
from tff_weights.runtime.program.values import Clients

_AT_CLIENTS = tff.FederatedType(np.int32, tff.CLIENTS)


@tff.tensorflow.computation(np.int32)
def _negative(number):
    return -number


@tff.tensorflow.computation(np.int32, np.int32)
def _ten_times_plus(accumulator, number):
    return 10 * accumulator + number


@tff.federated_computation(_AT_CLIENTS)
def _digits(numbers):
    return tff.federated_aggregate(numbers, 0, _ten_times_plus, _ten_times_plus, _negative)


@tff.federated_computation(_AT_CLIENTS)
def _negatives(numbers):
    return tff.federated_map(_negative, numbers)


@pytest.fixture
def copies(monkeypatch):
    """How many copies of a graph each call has run, in order."""
    found = []

    def counting(execute):
        def counted(functions, inputs, copies):
            found.append(copies)
            return execute(functions, inputs, copies)

        return counted

    monkeypatch.setattr(Functions, "map", counting(Functions.map))
    monkeypatch.setattr(Functions, "fold", counting(Functions.fold))
    return found


def _run(block, argument, num_clients=0):
    cohort = LocalCohort(num_clients, ClientThreads(1), lambda: None)
    return Interpretation(block, lambda _: None)(argument, cohort)


def _run_at_clients(computation, numbers):
    block = compile_natively(computation, simulate_secure_aggregation=False)
    return _run(block, Clients(map(tf.constant, numbers)), len(numbers))


def test_a_map_and_an_accumulator_that_tff_wraps_in_a_lambda_take_few_calls(copies):
    """−(((0 · 10 + 1) · 10 + 2) · 10 + …): four clients in one call, and the report in another."""
    assert _run_at_clients(_digits, [1, 2, 3, 4]) == -1234
    assert sorted(copies)[-2:] == [1, 4]
    assert sum(copies) - copies.count(1) == 4
    copies.clear()
    assert _run_at_clients(_negatives, [1, 2, 3]) == [-1, -2, -3]
    assert copies == [2, 1]


def test_a_lambda_around_a_lambda_and_what_it_captures(copies):
    """A lambda that is more than its graph is computed as it stands."""

    @tff.federated_computation(np.int32, np.int32)
    def both(first, second):
        @tff.federated_computation(np.int32)
        def with_first(number):
            return _ten_times_plus(first, number), _negative(number)

        return with_first(second), _negative(first)

    result = _run(both.to_building_block(), (tf.constant(3), tf.constant(4)))
    assert tf.nest.flatten(result) == [34, -4, -3]
    assert copies == [1, 1, 1]


def test_a_lambda_whose_graph_is_not_its_result_is_not_that_graph():
    """`x -> (let y = −x in x)`."""
    integer = tff.TensorType(np.int32)
    number = tff.framework.Reference("x", integer)
    call = tff.framework.Call(_negative.to_building_block(), number)
    block = tff.framework.Lambda("x", integer, tff.framework.Block([("y", call)], number))
    assert _run(block, tf.constant(5)) == 5


def test_what_is_let_go_of_is_needed_no_more():
    """`x` is looked up again after three others: x = −5, then 5, −5, 5; 10 · (−5) + 5; 45."""
    integer = tff.TensorType(np.int32)

    def negative_of(name):
        reference = tff.framework.Reference(name, integer)
        return tff.framework.Call(_negative.to_building_block(), reference)

    both = tff.framework.Struct([tff.framework.Reference(name, integer) for name in ("x", "three")])
    block = tff.framework.Block(
        [
            ("x", negative_of("argument")),
            ("one", negative_of("x")),
            ("two", negative_of("one")),
            ("three", negative_of("two")),
            ("sum", tff.framework.Call(_ten_times_plus.to_building_block(), both)),
            ("result", negative_of("sum")),
        ],
        tff.framework.Reference("result", integer),
    )
    assert _run(tff.framework.Lambda("argument", integer, block), tf.constant(5)) == 45
