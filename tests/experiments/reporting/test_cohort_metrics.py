"""Tests of `experiments.reporting.metrics.cohort`, and of one run beside another."""

from __future__ import annotations

import math

import pytest
from records import RUN, record

from experiments.declaration import Metric
from experiments.reporting.metrics import measure

_REPORTS = "aggregator/cohort/reports/"
_DISTANCE = _REPORTS + "gradient_distance_to_mean"
_EFFECTIVE = "aggregator/cohort/effective_participants"


def _record(columns=None, clients=None, result=None):
    return record(result, clients=clients, run=RUN.with_settings(rounds=4), columns=columns)


def _measure(key, record, *, other=None, **fields):
    return measure(Metric(key, "", **fields), record, other=other)


_PREMISE = "client_work/eta_tau_smoothness"
_ACCEPTING = {_EFFECTIVE: [None, 5.0, 5.0, 5.0]}
_REJECTING = {**_ACCEPTING, "aggregator/cohort/weighting/accepted": [None, 1.0, 0.0, 1.0]}
_ALARMING = {"aggregator/cohort/weighting/alarm": [None, 0.0, 1.0, 1.0]}
# Rounds (1 + 3) / 2 = 2 and (2 + 4 + 9) / 3 = 5; their mean is 3.5.
_DIVERGING = {_DISTANCE: [None, [1.0, 3.0], [2.0, 4.0, 9.0]]}
_FEWER = {_EFFECTIVE: [None, 10.0, 4.0, 1.0]}


@pytest.mark.parametrize(
    ("key", "columns", "in_round", "expected"),
    [
        ("gradient_divergence", _DIVERGING, None, 5.0),
        ("gradient_divergence", _DIVERGING, 1, 2.0),
        ("gradient_divergence", None, None, math.nan),
        ("mean_gradient_divergence", _DIVERGING, None, 3.5),
        ("mean_gradient_divergence", _DIVERGING, 1, 2.0),
        ("effective_participants", _FEWER, 2, 4.0),
        ("mean_effective_participants", _FEWER, None, 5.0),
        ("mean_effective_participants", _FEWER, 2, 7.0),
        # 0 in the first round, where L is not known; then 0.5, 1, 2: two of three.
        ("rounds_with_premise", {_PREMISE: [None, 0.0, 0.5, 1.0, 2.0]}, None, 200 / 3),
        ("accepted_rounds", _REJECTING, None, 2.0),
        ("accepted_rounds", _ACCEPTING, None, 3.0),
        ("alarms", _ALARMING, None, 2.0),
        ("alarms", _ALARMING, 2, 1.0),
        ("alarms", _ACCEPTING, None, 0.0),
    ],
)
def test_what_a_cohort_has_measured_by_hand(key, columns, in_round, expected):
    found = _measure(key, _record(columns), in_round=in_round)
    assert found == pytest.approx(expected, nan_ok=True)


def test_steps_over_rounds_and_over_clients():
    """Means of 2, 4 and 3 with a deviation of √(2/3); of the clients 1, 2 and 0: mean 1."""
    record = _record({"client_work/num_steps": [None, [1.0, 3.0], [2.0, 6.0], [3.0, 3.0]]})
    assert _measure("steps_fluctuation", record) == pytest.approx(math.sqrt(2 / 3))
    assert _measure("steps_fluctuation", record, in_round=2) == pytest.approx(1 / 1.5)


def test_how_far_the_later_clients_are_apart():
    """Means of 1, 2 and 3 over the rounds, and 8: that is 6 from 2, with a range of 2."""
    record = _record({"client_work/a": [None, [0.0, 1.0, 2.0, 6.0], [2.0, 3.0, 4.0, 10.0]]})
    assert _measure("apart", record, parameter=3.0) == 3.0
    assert _measure("apart", record, parameter=3.0, in_round=1) == 2.5


def _projections(entropies, projections):
    """One round of the first clients, and all clients' entropies."""
    return _record(
        {
            _REPORTS + "client_index": [None, list(range(len(projections)))],
            _REPORTS + "projection_on_mean": [None, list(projections)],
            _REPORTS + "angle_to_mean": [None, [-value for value in projections]],
        },
        clients={
            "client_id": [str(number) for number in range(len(entropies))],
            "label_entropy": entropies,
        },
    )


def test_correlation_by_hand():
    """Entropies 0, 1, 2 and projections 0, 2, 1: both have mean 1, the products of deviations are
    (−1)(−1) + 0 · 1 + 1 · 0 = 1, the sums of squares 2 and 2: r = 1/2. With one degree of freedom t
    = r / √(1 − r²) = 0.57735 and p = 1 − (2/π) atan t = 2/3. The fourth client never took part."""
    record = _projections([0.0, 1.0, 2.0, 99.0], [0.0, 2.0, 1.0])
    assert _measure("correlation", record) == pytest.approx(0.5)
    assert _measure("correlation_p", record) == pytest.approx(2 / 3)
    assert _measure("angle_correlation", record) == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("entropies", "projections"),
    [([0.0, 1.0], [0.0, 1.0]), ([1.0, 1.0, 1.0], [0.0, 2.0, 1.0]), ([0.0, 1.0, 2.0], [3.0] * 3)],
)
def test_there_is_no_correlation_of_too_few_or_equal_numbers(entropies, projections):
    for key in ("correlation", "correlation_p"):
        assert math.isnan(_measure(key, _projections(entropies, projections)))


def test_a_clients_angle_is_chosen_by_its_index():
    record = _record(
        {
            _REPORTS + "client_index": [None, [1, 0], [0]],
            _REPORTS + "angle_to_mean": [None, [1.5, 0.5], [1.0]],
        }
    )
    assert _measure("angle_of_client", record, parameter=0.0) == 0.75
    assert _measure("angle_of_client", record, parameter=0.0, in_round=1) == 0.5
    assert _measure("angle_of_client", record, parameter=1.0) == 1.5
    assert math.isnan(_measure("angle_of_client", record, parameter=2.0))
    with pytest.raises(ValueError, match="angle_of_client: parameter must be the client's index"):
        _measure("angle_of_client", record)


def test_a_run_is_compared_with_another():
    column = "evaluation/test_average"
    ours, theirs = (
        _record({column: [0.0, value, 50.0]}, result={"test_average": 50.0, "test_loss": 0.25})
        for value in (40.0, 43.0)
    )
    assert _measure("average_gained", ours, other=theirs, in_round=1) == -3.0
    assert _measure("average_gained", ours, other=theirs) == 0.0
    assert _measure("test_loss_x100", ours) == 25.0
    with pytest.raises(ValueError, match="average_gained: compared_with must name a variant"):
        _measure("average_gained", ours)
