"""Tests of `tff_weights.algorithms.fed_adp`."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, run_rounds
from reference.problem import Examples, client_data, functional_model, initial_vector, to_vector
from reference.simulation import Participant
from reference.weights import angle

from tff_weights import build_fed_adp, build_fed_avg

_NUM_CLIENTS = len(CLIENTS)


def _build(**arguments):
    return build_fed_adp(
        functional_model(),
        **{"local_training": LOCAL_TRAINING, "num_clients": _NUM_CLIENTS, **arguments},
    )


@pytest.mark.parametrize(
    "smoothing", ["participation", "none", pytest.param("round", marks=pytest.mark.long)]
)
def test_identical_updates_are_averaged_by_their_sizes(smoothing):
    """Of one, two and three copies of the same examples, each visited in one batch."""
    local_training = dataclasses.replace(LOCAL_TRAINING, batch_size=200)
    data = [
        client_data(i, Examples(np.tile(CLIENTS[2].x, (i + 1, 1)), np.tile(CLIENTS[2].y, i + 1)))
        for i in range(3)
    ]
    trajectories = []
    for process in (
        _build(local_training=local_training, smoothing=smoothing),
        build_fed_avg(functional_model(), local_training=local_training),
    ):
        state, trajectory = process.initialize(), []
        for _ in range(3):
            output = process.next(state, data)
            state = output.state
            trajectory.append(to_vector(process.get_model_weights(state).trainable))
            np.testing.assert_allclose(
                np.sort(output.metrics["aggregator"]["cohort"]["weights"]),
                [1 / 6, 2 / 6, 3 / 6],
                rtol=1e-5,
            )
        trajectories.append(trajectory)
    np.testing.assert_allclose(*trajectories, atol=1e-6)


def test_angles_are_published():
    """Of round 0's updates to their mean by size, and, where it is smoothed, what became of it."""
    _, metrics, state = run_rounds(_build(), COHORTS[:2])
    cohort = metrics[0]["aggregator"]["cohort"]
    participants = [Participant(i, CLIENTS[i], 0, LOCAL_TRAINING) for i in COHORTS[0]]
    w = initial_vector()
    updates = np.stack([client.train(w).weights - w for client in participants])
    counts = np.array([client.num_examples for client in participants])
    mean = counts / counts.sum() @ updates
    expected = {i: angle(mean, update) for i, update in zip(COHORTS[0], updates)}
    angles = dict(zip(cohort["reports"]["client_index"], cohort["reports"]["angle_to_mean"]))
    assert angles == pytest.approx(expected, rel=1e-3)
    np.testing.assert_array_equal(
        cohort["weighting"]["smoothed_angle"], cohort["reports"]["angle_to_mean"]
    )
    history = state.aggregator["history"]
    np.testing.assert_array_equal(history["participations"], [1, 2, 1, 1, 1, 1])
    assert history["rounds"] == 2
    assert np.all(history["smoothed_angle"] > 0)


def test_one_client_is_taken_as_it_is():
    (weights,), _, _ = run_rounds(_build(), [[2]])
    trained = Participant(2, CLIENTS[2], 0, LOCAL_TRAINING).train(initial_vector()).weights
    np.testing.assert_allclose(weights, trained, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients .*0"),
        ({"alpha": math.nan}, "alpha .*nan"),
        ({"smoothing": "always"}, "smoothing .*'always'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _build(**arguments)
