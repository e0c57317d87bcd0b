"""Tests of `tff_weights.algorithms.fed_cav`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from reference.federation import CLIENTS, COHORTS, LOCAL_TRAINING, cohort_data, run_rounds
from reference.problem import (
    NUM_WEIGHTS,
    Examples,
    client_data,
    functional_model,
    initial_vector,
    to_vector,
)
from reference.simulation import Participant

from tff_weights import build_fed_avg, build_fed_cav


def _build(model=None, **arguments):
    return build_fed_cav(
        model or functional_model(), **{"local_training": LOCAL_TRAINING, **arguments}
    )


def test_equal_losses_are_the_simple_mean():
    """From zero weights every example loses ln 3, whoever holds it."""
    model = functional_model(np.zeros(NUM_WEIGHTS))
    uniform = build_fed_avg(model, local_training=LOCAL_TRAINING, weighting="uniform")
    np.testing.assert_allclose(
        run_rounds(_build(model), COHORTS[:1])[0], run_rounds(uniform, COHORTS[:1])[0], atol=1e-6
    )


@pytest.mark.parametrize(
    ("loss_reduction", "field"), [("mean", "loss_before"), ("sum", "batch_loss_sum_before")]
)
def test_losses_are_those_of_the_received_model(loss_reduction, field):
    _, (metrics,), _ = run_rounds(_build(loss_reduction=loss_reduction), [[0, 1, 2]])
    reports = metrics["aggregator"]["cohort"]["reports"]
    participants = [Participant(i, CLIENTS[i], 0, LOCAL_TRAINING) for i in range(3)]
    expected = {
        client.index: (
            client.loss(initial_vector())
            if loss_reduction == "mean"
            else client.batch_loss_sum(initial_vector())
        )
        for client in participants
    }
    assert dict(zip(reports["client_index"], reports[field])) == pytest.approx(expected, rel=1e-5)


def _vector(process, state):
    return to_vector(process.get_model_weights(state).trainable)


@pytest.mark.parametrize("audit", [False, True])
def test_a_round_of_which_nothing_is_left(audit):
    """The model stays; an audit takes it for broken and goes back one round, but no further."""
    process = _build(audit=audit)
    initial = process.initialize()
    first = process.next(initial, cohort_data([0, 1])).state
    broken = Examples(np.full_like(CLIENTS[2].x, math.nan), CLIENTS[2].y)
    state = first
    for _ in range(2):
        state = process.next(state, [client_data(2, broken)]).state
        np.testing.assert_array_equal(
            _vector(process, state), _vector(process, initial if audit else first)
        )
        np.testing.assert_equal(state.aggregator["history"], first.aggregator["history"])


def test_an_audit_takes_back_a_model_without_finite_losses():
    """Weights of 1e38 are finite, but no client's loss is: all are left out."""
    process = _build(audit=True)
    second = process.next(
        process.next(process.initialize(), cohort_data([0, 1])).state, cohort_data([2, 3])
    )
    attacked = process.set_model_weights(
        second.state,
        tff.learning.models.ModelWeights(
            tf.nest.map_structure(
                lambda x: np.full_like(x, 1e38),
                process.get_model_weights(second.state).trainable,
            ),
            (),
        ),
    )
    output = process.next(attacked, cohort_data([0, 1]))
    assert output.metrics["aggregator"]["cohort"]["num_participants"] == 0
    assert output.metrics["aggregator"]["cohort"]["weighting"]["alarm"] == 1
    assert np.abs(_vector(process, output.state)).max() < 10


def test_an_audit_without_an_alarm_changes_nothing():
    """Losses fall from round to round, where everyone takes part."""
    cohorts = [range(len(CLIENTS))] * 3
    audited, metrics, _ = run_rounds(_build(audit=True), cohorts)
    for of_round in metrics:
        assert of_round["aggregator"]["cohort"]["weighting"]["alarm"] == 0
        assert of_round["finalizer"]["judge"]["verdict"] == 0
    np.testing.assert_allclose(audited, run_rounds(_build(), cohorts)[0], atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loss_reduction": "median"}, "loss_reduction .*'median'"),
        ({"clip": "largest"}, "clip .*'largest'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _build(**arguments)
