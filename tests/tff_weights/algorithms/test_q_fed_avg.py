"""Tests of `tff_weights.algorithms.q_fed_avg`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reference import weights as reference_weights
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model, initial_vector
from reference.simulation import Participant

from tff_weights import build_fed_avg, build_q_fed_avg


def test_without_q_it_is_the_simple_mean():
    process = build_q_fed_avg(functional_model(), local_training=LOCAL_TRAINING, q=0.0)
    uniform = build_fed_avg(functional_model(), local_training=LOCAL_TRAINING, weighting="uniform")
    trajectory, metrics, _ = run_rounds(process, COHORTS[:3])
    np.testing.assert_allclose(trajectory, run_rounds(uniform, COHORTS[:3])[0], atol=1e-6)
    np.testing.assert_allclose(metrics[0]["aggregator"]["cohort"]["weights"], 1 / 3, rtol=1e-6)


def test_losses_are_those_of_the_received_model():
    """And what the weights are made of is published."""
    _, (metrics,), _ = run_rounds(
        build_q_fed_avg(functional_model(), local_training=LOCAL_TRAINING), [[0, 1, 2]]
    )
    cohort = metrics["aggregator"]["cohort"]
    w = initial_vector()
    participants = [Participant(i, CLIENTS[i], 0, LOCAL_TRAINING) for i in range(3)]
    losses = [client.loss(w) for client in participants]
    squared_norms = [np.sum((client.train(w).weights - w) ** 2) for client in participants]
    order = np.argsort(cohort["reports"]["loss_before"])[np.argsort(np.argsort(losses))]
    np.testing.assert_allclose(cohort["reports"]["loss_before"][order], losses, rtol=1e-5)
    np.testing.assert_allclose(cohort["reports"]["squared_norm"][order], squared_norms, rtol=1e-4)
    np.testing.assert_allclose(cohort["reports"]["learning_rate"], 0.1, rtol=1e-6)
    np.testing.assert_allclose(
        cohort["weights"][order],
        reference_weights.q_fair(losses, squared_norms, q=1.0, learning_rate=0.1),
        rtol=1e-4,
    )


@pytest.mark.parametrize("q", [-1.0, math.nan, math.inf])
def test_bad_q_is_refused(q):
    with pytest.raises(ValueError, match=f"q .*{q}"):
        build_q_fed_avg(functional_model(), local_training=LOCAL_TRAINING, q=q)
