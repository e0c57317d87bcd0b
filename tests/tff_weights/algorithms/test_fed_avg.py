"""Tests of `tff_weights.algorithms.fed_avg`."""

from __future__ import annotations

import numpy as np
import pytest
from reference.federation import CLIENTS, LOCAL_TRAINING, run_rounds
from reference.problem import functional_model, initial_vector
from reference.simulation import Participant

from tff_weights import build_fed_avg


def test_the_clients_weights_are_published():
    """Of 7, 40 and 25 examples: 7/72, 40/72 and 25/72."""
    _, (metrics,), _ = run_rounds(
        build_fed_avg(functional_model(), local_training=LOCAL_TRAINING), [[0, 1, 2]]
    )
    cohort = metrics["aggregator"]["cohort"]
    np.testing.assert_allclose(np.sort(cohort["weights"]), np.array([7, 25, 40]) / 72, rtol=1e-6)
    np.testing.assert_array_equal(np.sort(cohort["reports"]["num_examples"]), [7, 25, 40])
    assert cohort["num_participants"] == 3
    assert cohort["num_left_out"] == 0
    assert cohort["effective_participants"] == pytest.approx(72**2 / (49 + 625 + 1600))
    assert metrics["finalizer"]["update_non_finite"] == 0


def test_one_client_is_taken_as_it_is():
    for weighting in ("num_examples", "uniform"):
        process = build_fed_avg(
            functional_model(), local_training=LOCAL_TRAINING, weighting=weighting
        )
        (weights,), _, _ = run_rounds(process, [[2]])
        trained = Participant(2, CLIENTS[2], 0, LOCAL_TRAINING).train(initial_vector()).weights
        np.testing.assert_allclose(weights, trained, atol=1e-5)


def test_an_unknown_weighting_is_refused():
    with pytest.raises(ValueError, match="weighting .*'median'"):
        build_fed_avg(functional_model(), local_training=LOCAL_TRAINING, weighting="median")
