"""Tests of `tff_weights.algorithms.scaffold`."""

import dataclasses
import functools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from built import broken_data, five_rounds, unknown_data, weights_of
from reference import algorithms
from reference.federation import (
    CLIENTS,
    COHORTS,
    LOCAL_TRAINING,
    cohort_data,
    run_rounds,
    simulate_rounds,
)
from reference.problem import NUM_WEIGHTS, functional_model, initial_vector, to_vector
from reference.simulation import Participant

from tff_weights import CosineDecay, build_fed_avg, build_scaffold, prune_client_store

_NUM_CLIENTS = len(CLIENTS)
_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)
_COMPILED = dataclasses.replace(_PLAIN, compile_with_xla=True)


def _build(store_dir, **arguments):
    given = {"local_training": _PLAIN, "num_clients": _NUM_CLIENTS, **arguments}
    return build_scaffold(functional_model(), variates_dir=store_dir, **given)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("variates")


@pytest.fixture(scope="module")
def process(folder):
    """One for all: a new run must not see what lies in its directory."""
    return _build(folder)


def _next(process, state, clients):
    return process.next(state, cohort_data(clients)).state


def _server_variate(state):
    return to_vector(state.client_work.server.own.server_variate)


def _last_rounds(state):
    return list(state.client_work.server.last_round)


def _variate(folder, index, round_number):
    path = str(folder / f"{index}/{round_number}")
    return tf.io.parse_tensor(tf.io.read_file(path), tf.float32).numpy()


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        ({"server_learning_rate": 0.7}, {"server_learning_rate": 0.7}),
        pytest.param({"local_training": _COMPILED}, {}, marks=pytest.mark.long),
        pytest.param({"num_clients": 50}, {"num_clients": 50}, marks=pytest.mark.long),
    ],
    ids=["server rate", "compiled", "most never take part"],
)
def test_five_rounds(tmp_path, arguments, parameters):
    """Clients of one to nine batches take unequal steps, and none is in every cohort."""
    algorithm = functools.partial(
        algorithms.scaffold, **{"num_clients": _NUM_CLIENTS, **parameters}
    )
    expected = simulate_rounds(algorithm, _PLAIN)
    trajectory, _, _ = run_rounds(_build(tmp_path, **arguments))
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    without_variates = functools.partial(algorithms.fed_avg, weighting="uniform")
    assert np.abs(trajectory[-1] - simulate_rounds(without_variates, _PLAIN)[-1]).max() > 1e-3


def test_a_new_run_in_an_old_directory_does_not_see_what_lies_there(process):
    """Its first round is the simple mean: all variates are 0."""
    first, _, _ = run_rounds(process, COHORTS[:3])
    again, _, _ = run_rounds(process, COHORTS[:3])
    np.testing.assert_allclose(again, first, atol=1e-6)
    uniform = five_rounds(build_fed_avg, weighting="uniform", local_training=_PLAIN).trajectory
    np.testing.assert_allclose(first[0], uniform[0], atol=1e-6)


def test_variates_by_hand(process, folder):
    """After one round c_i⁺ = (w_t − y) / (τ_i η), and c = (1/N) Σ c_i⁺, for N = 6."""
    state = _next(process, process.initialize(), [1, 2])
    w, variates = initial_vector(), []
    for index in (1, 2):
        trained = Participant(index, CLIENTS[index], 0, _PLAIN).train(w)
        variates.append((w - trained.weights) / (0.1 * trained.num_steps))
        np.testing.assert_allclose(_variate(folder, index, 0), variates[-1], atol=1e-5)
    np.testing.assert_allclose(_server_variate(state), sum(variates) / 6, atol=1e-5)
    assert _last_rounds(state) == [-1, 0, 0, -1, -1, -1]


def test_a_run_that_is_resumed_goes_on_as_if_it_had_not_stopped(process, folder):
    """It was killed after later rounds; their variates lie there and must not be seen.

    That the variates of the rounds before are pruned must not matter.
    """
    trajectory, _, _ = run_rounds(process, COHORTS[:4])
    _, _, saved = run_rounds(process, COHORTS[:2])
    _next(process, _next(process, saved, [0, 1, 2, 3, 4, 5]), [5, 4])
    prune_client_store(folder, oldest_round=2)
    resumed = _next(process, _next(process, saved, COHORTS[2]), COHORTS[3])
    np.testing.assert_allclose(weights_of(process, resumed), trajectory[-1], atol=1e-6)


def test_a_client_that_is_left_out_keeps_its_variate(process, folder):
    """Where nothing is left of a round, nothing changes."""
    first = _next(process, process.initialize(), [0, 1])
    written = _variate(folder, 0, 0)
    second = process.next(first, [broken_data(0), *cohort_data([1])])
    assert _last_rounds(second.state) == [0, 1, -1, -1, -1, -1]
    np.testing.assert_array_equal(_variate(folder, 0, 0), written)
    assert second.metrics["aggregator"]["cohort"]["num_left_out"] == 1
    alone = _next(process, first, [1])
    nobody = process.next(first, [broken_data(0), broken_data(2)]).state
    for found, expected in ((second.state, alone), (nobody, first)):
        np.testing.assert_allclose(
            weights_of(process, found), weights_of(process, expected), atol=1e-6
        )
        np.testing.assert_allclose(_server_variate(found), _server_variate(expected), atol=1e-6)


def test_at_a_rate_of_zero_variates_stay(tmp_path):
    """After one round the cosine is at its end."""
    ended = dataclasses.replace(
        _PLAIN, learning_rate_schedule=CosineDecay(1), learning_rate_decay=1.0
    )
    process = _build(tmp_path, local_training=ended)
    first = _next(process, process.initialize(), [0, 1])
    second = _next(process, first, [0, 1])
    assert np.abs(_server_variate(first)).max() > 0.05
    np.testing.assert_array_equal(_server_variate(second), _server_variate(first))
    for index in (0, 1):
        np.testing.assert_array_equal(_variate(tmp_path, index, 1), _variate(tmp_path, index, 0))


def test_an_unknown_client_leaves_no_variate(process, folder):
    unknown = (-1, _NUM_CLIENTS)
    output = process.next(process.initialize(), [*map(unknown_data, unknown)])
    assert not any((folder / str(index)).exists() for index in unknown)
    np.testing.assert_array_equal(_server_variate(output.state), np.zeros(NUM_WEIGHTS))


def test_the_inner_factory_adds_up_parts_of_the_variates_changes(process, folder, tmp_path):
    """A bound of half the longest change: each counts only one in N in the server's variate."""
    expected = _next(process, process.initialize(), [0, 1, 2])
    longest = max(float(np.linalg.norm(_variate(folder, index, 0))) for index in range(3))
    clipping = tff.aggregators.clipping_factory(longest / 2, tff.aggregators.SumFactory())
    bounded = _build(tmp_path, inner_factory=clipping)
    state = _next(bounded, bounded.initialize(), [0, 1, 2])
    np.testing.assert_allclose(_server_variate(state), _server_variate(expected), rtol=1e-5)
