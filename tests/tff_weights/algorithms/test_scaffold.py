"""Tests of `tff_weights.algorithms.scaffold`."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference import algorithms
from reference.federation import (
    CLIENTS,
    COHORTS,
    LOCAL_TRAINING,
    cohort_data,
    run_rounds,
    simulate_rounds,
)
from reference.problem import (
    NUM_WEIGHTS,
    Examples,
    client_data,
    functional_model,
    initial_vector,
    to_vector,
)
from reference.simulation import Participant

from tff_weights import build_fed_avg, build_scaffold, prune_control_variates

_NUM_CLIENTS = len(CLIENTS)
_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)
_COMPILED = dataclasses.replace(_PLAIN, compile_with_xla=True)


def _build(variates_dir, **arguments):
    return build_scaffold(
        functional_model(),
        **{
            "local_training": _PLAIN,
            "num_clients": _NUM_CLIENTS,
            "variates_dir": variates_dir,
            **arguments,
        },
    )


def _weights(process, state):
    return to_vector(process.get_model_weights(state).trainable)


def _server_variate(state):
    return to_vector(state.client_work["scaffold"]["server_variate"])


def _files(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.glob("*/*"))


def _broken(index):
    return client_data(index, Examples(np.full_like(CLIENTS[index].x, math.nan), CLIENTS[index].y))


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        ({}, {}),
        ({"server_learning_rate": 0.7}, {"server_learning_rate": 0.7}),
        pytest.param({"local_training": _COMPILED}, {}, marks=pytest.mark.long),
        pytest.param({"num_clients": 50}, {"num_clients": 50}, marks=pytest.mark.long),
    ],
    ids=["plain", "server rate", "compiled", "most never take part"],
)
def test_five_rounds(tmp_path, arguments, parameters):
    """Clients of one to nine batches take unequal steps, and none is in every cohort."""
    algorithm = functools.partial(
        algorithms.scaffold, **{"num_clients": _NUM_CLIENTS, **parameters}
    )
    expected = simulate_rounds(algorithm, arguments.get("local_training", _PLAIN))
    trajectory, _, _ = run_rounds(_build(tmp_path, **arguments))
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    without_variates = simulate_rounds(
        functools.partial(algorithms.fed_avg, weighting="uniform"), _PLAIN
    )
    assert np.abs(trajectory[-1] - without_variates[-1]).max() > 1e-3


def test_the_first_round_is_the_simple_mean(tmp_path):
    """All variates are 0."""
    uniform = build_fed_avg(functional_model(), local_training=_PLAIN, weighting="uniform")
    ours, _, _ = run_rounds(_build(tmp_path), COHORTS[:1])
    np.testing.assert_allclose(ours, run_rounds(uniform, COHORTS[:1])[0], atol=1e-6)


def test_variates_by_hand(tmp_path):
    """After one round c_i⁺ = (w_t − y) / (τ_i η), and c = (1/N) Σ c_i⁺, for N = 6."""
    _, _, state = run_rounds(_build(tmp_path), [[1, 2]])
    w, variates = initial_vector(), []
    for index in (1, 2):
        trained = Participant(index, CLIENTS[index], 0, _PLAIN).train(w)
        variates.append((w - trained.weights) / (0.1 * trained.num_steps))
        written = tf.io.parse_tensor(tf.io.read_file(str(tmp_path / f"{index}/0")), tf.float32)
        np.testing.assert_allclose(written, variates[-1], atol=1e-5)
    np.testing.assert_allclose(_server_variate(state), sum(variates) / 6, atol=1e-5)
    last_round = state.client_work["scaffold"]["last_round"]
    np.testing.assert_array_equal(last_round, [-1, 0, 0, -1, -1, -1])
    assert _files(tmp_path) == ["1/0", "2/0"]


def test_with_everyone_the_servers_variate_is_the_mean_of_the_clients(tmp_path):
    cohorts = [range(_NUM_CLIENTS)] * 3
    _, _, state = run_rounds(_build(tmp_path), cohorts)
    variates = [
        tf.io.parse_tensor(tf.io.read_file(str(tmp_path / f"{index}/2")), tf.float32).numpy()
        for index in range(_NUM_CLIENTS)
    ]
    np.testing.assert_allclose(_server_variate(state), np.mean(variates, axis=0), atol=1e-5)


_RESUME = """
import pickle, sys
from pathlib import Path
import tensorflow as tf
import tensorflow_federated as tff
from reference.federation import COHORTS, cohort_data
from tff_weights import runtime
from algorithms.test_scaffold import _build, _weights
with runtime.using():
    process = _build(Path(sys.argv[1]) / "variates")
    saved = pickle.loads((Path(sys.argv[1]) / "saved").read_bytes())
    state = tf.nest.pack_sequence_as(process.initialize(), saved)
    for cohort in COHORTS[2:]:
        state = process.next(state, cohort_data(cohort)).state
    (Path(sys.argv[1]) / "weights").write_bytes(pickle.dumps(_weights(process, state)))
"""


@pytest.mark.long
def test_a_run_resumed_by_another_program_goes_on_as_if_it_had_not_stopped(tmp_path):
    """It was killed after round 3, whose variates are there, and its last checkpoint is round 1's.

    That the variates of the rounds before are pruned must not matter.
    """
    trajectory, _, _ = run_rounds(_build(tmp_path / "uninterrupted"))
    process = _build(tmp_path / "variates")
    _, _, saved = run_rounds(process, COHORTS[:2])
    state = saved
    for cohort in ([0, 1, 2, 3, 4, 5], [5, 4]):  # Of which nothing must be left.
        state = process.next(state, cohort_data(cohort)).state
    prune_control_variates(tmp_path / "variates", oldest_round=2)
    arrays = [np.array(array) for array in tf.nest.flatten(saved)]
    (tmp_path / "saved").write_bytes(pickle.dumps(arrays))
    tests = pathlib.Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parents[1])])
    subprocess.run(
        [sys.executable, "-c", _RESUME, str(tmp_path)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    resumed = pickle.loads((tmp_path / "weights").read_bytes())
    np.testing.assert_allclose(resumed, trajectory[-1], atol=1e-6)


def test_a_new_run_in_an_old_directory_does_not_see_what_lies_there(tmp_path):
    process = _build(tmp_path)
    first, _, _ = run_rounds(process, COHORTS[:3])
    again, _, _ = run_rounds(process, COHORTS[:3])
    np.testing.assert_allclose(again, first, atol=1e-6)


def test_a_client_that_is_left_out_keeps_its_variate(tmp_path):
    process = _build(tmp_path)
    first = process.next(process.initialize(), cohort_data([0, 1]))
    second = process.next(first.state, [_broken(0), *cohort_data([1])])
    assert _files(tmp_path) == ["0/0", "1/0", "1/1"]
    last_round = second.state.client_work["scaffold"]["last_round"]
    np.testing.assert_array_equal(last_round, [0, 1, -1, -1, -1, -1])
    assert second.metrics["aggregator"]["cohort"]["num_left_out"] == 1
    alone = process.next(first.state, cohort_data([1])).state
    np.testing.assert_allclose(_weights(process, second.state), _weights(process, alone), atol=1e-6)
    np.testing.assert_allclose(_server_variate(second.state), _server_variate(alone), atol=1e-6)


def test_a_round_of_which_nothing_is_left_changes_nothing(tmp_path):
    process = _build(tmp_path)
    first = process.next(process.initialize(), cohort_data([0, 1])).state
    second = process.next(first, [_broken(0), _broken(2)]).state
    np.testing.assert_array_equal(_weights(process, second), _weights(process, first))
    np.testing.assert_array_equal(_server_variate(second), _server_variate(first))
    assert _files(tmp_path) == ["0/0", "1/0"]


@pytest.mark.parametrize("index", [-1, _NUM_CLIENTS])
def test_an_unknown_client_leaves_no_variate(tmp_path, index):
    """Its update counts as in FedAvg, which knows no indices either."""
    process = _build(tmp_path)
    output = process.next(process.initialize(), [client_data(index, CLIENTS[1])])
    assert _files(tmp_path) == []
    np.testing.assert_array_equal(_server_variate(output.state), np.zeros(NUM_WEIGHTS))


def test_clients_without_steps(tmp_path):
    """One without examples has no gradient to estimate, and stays at a variate of 0."""
    process = _build(tmp_path)
    empty = client_data(0, Examples(CLIENTS[0].x[:0], CLIENTS[0].y[:0]))
    state = process.next(process.initialize(), [empty, *cohort_data([1])]).state
    _, _, expected = run_rounds(_build(tmp_path / "without"), [[1]])
    np.testing.assert_allclose(_server_variate(state), _server_variate(expected), atol=1e-6)


def test_one_client_with_one_example(tmp_path):
    process = _build(tmp_path, num_clients=1)
    only = client_data(0, Examples(CLIENTS[0].x[:1], CLIENTS[0].y[:1]))
    state = process.initialize()
    for _ in range(3):
        state = process.next(state, [only]).state
    assert np.all(np.isfinite(_weights(process, state)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients .*0"),
        ({"server_learning_rate": 0.0}, "learning_rate .*0.0"),
        ({"local_training": LOCAL_TRAINING}, "SCAFFOLD.*momentum.*0.5"),
        (
            {"local_training": dataclasses.replace(_PLAIN, proximal_strength=0.25)},
            "SCAFFOLD.*proximal_strength.*0.25",
        ),
    ],
)
def test_bad_arguments_are_refused(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        _build(tmp_path, **arguments)


def test_the_inner_factory_adds_up_parts_of_the_variates_changes(tmp_path):
    """A bound of half the longest change: each counts only one in N in the server's variate."""
    process = _build(tmp_path / "plain")
    expected = process.next(process.initialize(), cohort_data([0, 1, 2])).state
    changes = [
        np.linalg.norm(tf.io.parse_tensor((tmp_path / f"plain/{index}/0").read_bytes(), tf.float32))
        for index in range(3)
    ]
    bounded = _build(
        tmp_path / "bounded",
        inner_factory=tff.aggregators.clipping_factory(
            float(max(changes)) / 2, tff.aggregators.SumFactory()
        ),
    )
    state = bounded.next(bounded.initialize(), cohort_data([0, 1, 2])).state
    np.testing.assert_allclose(_server_variate(state), _server_variate(expected), rtol=1e-5)
