"""Tests of `tff_weights.algorithms.fed_fa`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, cohort_data, run_rounds
from reference.problem import Examples, client_data, functional_model, to_vector

from tff_weights import build_fed_avg, build_fed_fa, build_fed_fa_mo

_NUM_CLIENTS = len(CLIENTS)


def _build(**arguments):
    return build_fed_fa(
        functional_model(),
        **{"local_training": LOCAL_TRAINING, "num_clients": _NUM_CLIENTS, **arguments},
    )


def test_equal_reports_without_momentum_are_the_simple_mean():
    """All predictions count as right and all clients take part in both rounds."""
    process = _build(
        server_momentum=0.0, correct_fn=lambda predictions, labels: tf.ones_like(labels, tf.float32)
    )
    cohorts = [range(_NUM_CLIENTS)] * 2
    uniform = build_fed_avg(functional_model(), local_training=LOCAL_TRAINING, weighting="uniform")
    np.testing.assert_allclose(
        run_rounds(process, cohorts)[0], run_rounds(uniform, cohorts)[0], atol=1e-6
    )


def test_the_server_counts_participations():
    _, metrics, state = run_rounds(_build())
    counts = np.bincount(np.concatenate(COHORTS), minlength=_NUM_CLIENTS)
    np.testing.assert_array_equal(state.aggregator["history"]["participations"], counts)
    for cohort, of_round in zip(COHORTS, metrics):
        published = of_round["aggregator"]["cohort"]
        assert sorted(published["reports"]["client_index"]) == sorted(cohort)
        assert published["weights"].sum() == pytest.approx(1, rel=1e-5)


def test_a_client_without_examples_and_one_unknown_are_left_out():
    """The first has no accuracy, the second no place in the history."""
    process = _build(server_momentum=0.0)
    empty = Examples(CLIENTS[0].x[:0], CLIENTS[0].y[:0])
    output = process.next(
        process.initialize(),
        [
            client_data(0, empty),
            client_data(_NUM_CLIENTS, CLIENTS[1]),
            *cohort_data([2, 3]),
        ],
    )
    (expected,), _, _ = run_rounds(process, [[2, 3]])
    weights = to_vector(process.get_model_weights(output.state).trainable)
    np.testing.assert_allclose(weights, expected, atol=1e-6)
    assert output.metrics["aggregator"]["cohort"]["num_left_out"] == 2
    np.testing.assert_array_equal(
        output.state.aggregator["history"]["participations"], [0, 0, 1, 1, 0, 0]
    )


@pytest.mark.parametrize("every_rounds", [1, 2])
def test_a_round_of_which_nothing_is_left_changes_nothing(every_rounds):
    """Features that are no numbers make updates that are none."""
    process = _build(momentum_every_rounds=every_rounds)
    first = process.next(process.initialize(), cohort_data([0, 1]))
    broken = Examples(np.full_like(CLIENTS[2].x, math.nan), CLIENTS[2].y)
    second = process.next(first.state, [client_data(2, broken), client_data(3, broken)])
    np.testing.assert_array_equal(
        to_vector(process.get_model_weights(second.state).trainable),
        to_vector(process.get_model_weights(first.state).trainable),
    )
    np.testing.assert_array_equal(
        second.state.aggregator["history"]["participations"], [1, 1, 0, 0, 0, 0]
    )
    assert second.metrics["aggregator"]["cohort"]["num_left_out"] == 2
    assert second.metrics["finalizer"]["update_non_finite"] == 1
    third = process.next(second.state, cohort_data([2]))
    assert np.all(np.isfinite(to_vector(process.get_model_weights(third.state).trainable)))


@pytest.mark.parametrize(
    "given",
    [
        {},
        pytest.param({"weighting": "uniform"}, marks=pytest.mark.long),
        pytest.param({"weighting": "num_examples"}, marks=pytest.mark.long),
    ],
)
def test_fed_fa_mo_without_momentum_is_fed_avg_with_the_same_weights(given):
    """Uniform ones where nothing is said."""
    process = build_fed_fa_mo(
        functional_model(), local_training=LOCAL_TRAINING, server_momentum=0.0, **given
    )
    weighting = given.get("weighting", "uniform")
    expected, _, _ = run_rounds(
        build_fed_avg(functional_model(), local_training=LOCAL_TRAINING, weighting=weighting),
        COHORTS[:3],
    )
    np.testing.assert_allclose(run_rounds(process, COHORTS[:3])[0], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients .*0"),
        ({"alpha": 0.9}, "alpha=0.9.*beta=0.5"),
        ({"accuracy_at": "never"}, "accuracy_at .*'never'"),
        ({"server_momentum": 1.0}, "momentum .*1.0"),
        ({"server_learning_rate": 0.0}, "learning_rate .*0.0"),
        ({"momentum_every_rounds": 0}, "every_rounds .*0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _build(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weighting": "median"}, "weighting .*'median'"),
        ({"server_momentum": -0.1}, "momentum .*-0.1"),
    ],
)
def test_bad_arguments_of_fed_fa_mo_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        build_fed_fa_mo(functional_model(), local_training=LOCAL_TRAINING, **arguments)
