"""Tests of `tff_weights.algorithms.ditto`."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from built import Personal, broken_data, empty_data
from reference import algorithms
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, cohort_data, run_rounds
from reference.problem import (
    NUM_WEIGHTS,
    Examples,
    client_data,
    initial_vector,
    model_weights,
    to_vector,
)
from reference.simulation import simulate

from tff_weights import LocalTraining, build_ditto

_COMPILED = dataclasses.replace(LOCAL_TRAINING, compile_with_xla=True)


@pytest.fixture(scope="module")
def ditto(tmp_path_factory):
    return Personal(build_ditto, tmp_path_factory.mktemp("personal"), personal_strength=0.7)


@pytest.mark.parametrize(
    ("training", "arguments"),
    [
        (LOCAL_TRAINING, {"personal_strength": 0.7}),
        (_COMPILED, {"personal_strength": 2.0, "weighting": "uniform"}),
    ],
    ids=["plain", "compiled and uniform"],
)
def test_five_rounds(training, arguments, ditto, tmp_path):
    """Global and personal models against NumPy; clients come back after one round, and two."""
    memory = {}

    def one_round(w, cohort, _):
        return algorithms.ditto(w, cohort, memory, **arguments)

    expected = simulate(
        one_round,
        initial_weights=initial_vector(),
        clients=CLIENTS,
        cohorts=COHORTS,
        local_training=training,
    )
    if training is not LOCAL_TRAINING:
        ditto = Personal(build_ditto, tmp_path, local_training=training, **arguments)
    trajectory, _, state = run_rounds(ditto.process)
    np.testing.assert_allclose(trajectory, expected, atol=1e-4)
    personal = [memory["own"][index] for index in range(len(CLIENTS))]
    np.testing.assert_allclose(ditto.models(state), personal, atol=1e-4)
    assert np.abs(personal - trajectory[-1]).max() > 1e-2


def test_two_rounds_by_hand(tmp_path):
    """Two clients with one example each, x = (1, 0, 0, 0), of the classes 0 and 1; w_0 = 0.

    At 0 each class has 1/3, so a step of η = 0.3 takes client 0 to (0.2, −0.1, −0.1) in the
    weights of the first feature and in the biases alike, client 1 to (−0.1, 0.2, −0.1), and w_1 is
    their mean, (0.05, 0.05, −0.1). In round 1 client 0 has the logits 2 v = (0.4, −0.2, −0.2): the
    probability of its class is p = 1 / (1 + 2 e^−0.6), of either other class (1 − p) / 2. With
    λ = 1 its next model is v − 0.3 ((p − 1, (1 − p) / 2, (1 − p) / 2) + (0.15, −0.15, 0)).
    """
    training = LocalTraining(learning_rate=0.3, batch_size=1, steps=1)
    ditto = Personal(
        build_ditto, tmp_path, local_training=training, num_clients=2, personal_strength=1.0
    )
    zero = model_weights(np.zeros(NUM_WEIGHTS))
    state = ditto.process.set_model_weights(ditto.process.initialize(), zero)
    x = np.eye(1, 4, dtype=np.float32)
    clients = [client_data(i, Examples(x, np.array([i], np.int32))) for i in range(2)]
    for _ in range(2):
        state = ditto.process.next(state, clients).state
    rest = (1 - 1 / (1 + 2 * math.exp(-0.6))) / 2
    v = np.array([0.2, -0.1, -0.1])
    v = v - 0.3 * (np.array([-2 * rest, rest, rest]) + [0.15, -0.15, 0.0])
    expected = np.concatenate([v, np.zeros(NUM_WEIGHTS - 6), v])
    np.testing.assert_allclose(ditto.models(state)[0], expected, atol=1e-6)


def test_who_has_no_personal_model_has_the_global_one(ditto):
    """Who never took part, who took part in vain, and who has no examples.

    The second one's first model is what it receives next.
    """
    process, cohort = ditto.process, [empty_data(0), broken_data(1), *cohort_data([2])]
    state = process.next(process.initialize(), cohort).state
    weights = to_vector(process.get_model_weights(state).trainable)
    first, second, third = ditto.models(state)[:3]
    np.testing.assert_array_equal((first, second), (weights, weights))
    assert np.abs(third - weights).max() > 0
    again = process.next(state, cohort_data([1])).state
    assert list(again.client_work.server.last_round) == [-1, 1, 0, -1, -1, -1]
