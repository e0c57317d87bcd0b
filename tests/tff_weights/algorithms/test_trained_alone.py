"""Tests of `tff_weights.algorithms.trained_alone`."""

import numpy as np
import pytest
from built import Personal, broken_data, empty_data
from reference import algorithms
from reference.federation import (
    CLIENTS,
    COHORTS,
    LOCAL_TRAINING,
    cohort_data,
    run_rounds,
    simulate_rounds,
)
from reference.problem import initial_vector
from reference.simulation import Participant

from tff_weights import build_trained_alone


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return Personal(build_trained_alone, tmp_path_factory.mktemp("models"))


def test_each_client_goes_on_from_its_own_model(alone):
    """NumPy trains each client by itself, in the rounds in which it is in the cohort.

    That differs from federated averaging, so that the test can fail.
    """
    expected = [initial_vector() for _ in CLIENTS]
    for round_number, cohort in enumerate(COHORTS):
        for index in cohort:
            participant = Participant(index, CLIENTS[index], round_number, LOCAL_TRAINING)
            expected[index] = participant.train(expected[index]).weights
    found = alone.models(run_rounds(alone.process)[-1])
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.abs(found - simulate_rounds(algorithms.fed_avg)[-1]).max() > 1e-2


def test_a_client_whose_model_is_no_number_goes_on_from_its_last_one(alone):
    *_, state = run_rounds(alone.process, [[1, 2]])
    before = alone.models(state)
    output = alone.process.next(state, [empty_data(0), broken_data(1), *cohort_data([2])])
    cohort = output.metrics["aggregator"]["cohort"]
    assert cohort["num_left_out"] == 2 and cohort["left_out"]["no_examples"] == 1
    np.testing.assert_array_equal(cohort["reports"]["client_index"], [2])
    np.testing.assert_array_equal(cohort["reports"]["num_steps"], [6])
    after = alone.models(output.state)
    np.testing.assert_array_equal(after[1], before[1])
    assert not np.array_equal(after[2], before[2])
