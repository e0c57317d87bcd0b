"""Five rounds of every algorithm on TFF end where an independent NumPy simulation ends.

The simulation visits the same examples in the same orders; everything else is restated.
"""

import dataclasses

import numpy as np
import pytest
import tensorflow_federated as tff
from built import broken_data, built, five_rounds, published, weights_of
from reference import algorithms
from reference import weights as reference_weights
from reference.cases import CASES, PLAIN
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

import tff_weights as tw

_FRESH_BATCHES = dataclasses.replace(PLAIN, epochs=None, steps=9, fresh_batches=True)


def _run(name):
    return five_rounds(CASES[name].build, **CASES[name].arguments)


# Of builders that another case takes, with an option that other builders' cases take.
_ONE_MORE = ("term over examples, compiled", "fed_nova proximal")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if n in _ONE_MORE else n for n in CASES]
)
def test_five_rounds(name):
    """Every client of a cohort is in the metrics."""
    run = _run(name)
    np.testing.assert_allclose(run.trajectory, CASES[name].simulate(), atol=1e-4)
    assert np.abs(run.trajectory[-1] - initial_vector()).max() > 0.1
    for cohort, metrics in zip(COHORTS, run.metrics):
        of_cohort = metrics["aggregator"]["cohort"]
        assert sorted(of_cohort["reports"]["client_index"]) == sorted(cohort)
        assert of_cohort["weights"].shape == (len(cohort),)
        assert (of_cohort["num_participants"], of_cohort["num_left_out"]) == (len(cohort), 0)


@pytest.mark.parametrize(
    "name", [name for name in CASES if "audited" not in name and name not in _ONE_MORE]
)
def test_a_round_where_nobody_is_left_changes_neither_model_nor_history(name):
    process = built(CASES[name].build, **CASES[name].arguments)
    before = _run(name).state
    output = process.next(before, [broken_data(1), broken_data(2)])
    np.testing.assert_array_equal(weights_of(process, output.state), weights_of(process, before))
    np.testing.assert_equal(output.state.aggregator["history"], before.aggregator["history"])
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 2
    assert output.metrics["finalizer"]["update_non_finite"] == 1


def test_angles_are_published():
    """Of round 0's updates to their mean by size, and what has become of them by smoothing."""
    run, w = _run("fed_adp"), initial_vector()
    cohort = [Participant(i, CLIENTS[i], 0, LOCAL_TRAINING) for i in COHORTS[0]]
    updates = np.stack([client.train(w).weights - w for client in cohort])
    counts = np.array([client.num_examples for client in cohort])
    mean = counts / counts.sum() @ updates
    expected = {i: reference_weights.angle(mean, update) for i, update in enumerate(updates)}
    assert published(run.metrics[0], "angle_to_mean") == pytest.approx(expected, rel=1e-3)
    distances = dict(enumerate(np.linalg.norm(updates - mean, axis=1) / 0.1))
    for metrics in (run.metrics[0], _run("fed_avg").metrics[0]):
        assert published(metrics, "gradient_distance_to_mean") == pytest.approx(distances, rel=1e-3)
    of_cohort = run.metrics[0]["aggregator"]["cohort"]
    np.testing.assert_array_equal(
        of_cohort["weighting"]["smoothed_angle"], of_cohort["reports"]["angle_to_mean"]
    )
    history = run.state.aggregator["history"]
    assert history["rounds"] == 5 and np.all(history["smoothed_angle"] > 0)


def test_fed_cavs_audit_takes_a_round_where_nobody_is_left_for_a_broken_model():
    """It goes back one round, but no further.

    So it does with weights of 1e38: they are finite, but no client's loss is.
    """
    process = built(tw.build_fed_cav, audit=True)
    initial = process.initialize()
    first = process.next(initial, cohort_data([0, 1])).state
    state = first
    for _ in range(2):
        state = process.next(state, [broken_data(2)]).state
        np.testing.assert_array_equal(weights_of(process, state), weights_of(process, initial))
        np.testing.assert_equal(state.aggregator["history"], first.aggregator["history"])
    huge = tuple(np.full_like(x, 1e38) for x in process.get_model_weights(first).trainable)
    attacked = process.set_model_weights(first, tff.learning.models.ModelWeights(huge, ()))
    output = process.next(attacked, cohort_data([0, 1]))
    cohort = output.metrics["aggregator"]["cohort"]
    assert (cohort["num_participants"], cohort["weighting"]["alarm"]) == (0, 1)
    assert np.abs(weights_of(process, output.state)).max() < 10


def test_five_rounds_of_centralized_sgd():
    """One client that holds everything, here the fifth's examples, is its own mean."""
    cohorts = [[4]] * 5
    process = built(tw.build_centralized_sgd, local_training=_FRESH_BATCHES)
    expected = simulate_rounds(algorithms.fed_avg, _FRESH_BATCHES, cohorts)
    np.testing.assert_allclose(run_rounds(process, cohorts)[0], expected, atol=1e-4)
