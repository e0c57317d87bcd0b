"""Tests of `experiments.reporting.metrics.clients`, and of how a run swings."""

from __future__ import annotations

import math

import pytest
from records import record

from experiments.declaration import Metric
from experiments.reporting.metrics import measure
from experiments.reporting.metrics.clients import gains
from experiments.reporting.metrics.definition import Inputs

_NONE = math.nan


def _run(accuracies, num_test=None, *, ids=None, num_train=None):
    ids = [f"f_{place}" for place in range(len(accuracies))] if ids is None else ids
    return record(
        clients={
            "client_id": ids,
            "num_train": num_train or [10] * len(ids),
            "num_test": num_test or [4] * len(ids),
            "label_entropy": [0.0] * len(ids),
            "train_accuracy": [_NONE] * len(ids),
            "test_accuracy": accuracies,
        }
    )


def _measure(key, run, other=None):
    return measure(Metric(key, "", compared_with="alone"), run, other=other)


def test_the_columns_of_fed_fas_table_1_by_hand():
    """Clients of 2 + 1, 6 + 3 and 12 + 0 samples: 24, mean 8, variance (25 + 1 + 16) / 3 = 14."""
    run = _run([0.5, _NONE, _NONE], [1, 3, 0], num_train=[2, 6, 12])
    assert _measure("num_clients", run) == 3
    assert _measure("num_samples", run) == 24
    assert _measure("mean_samples_per_client", run) == 8
    assert _measure("stdev_samples_per_client", run) == pytest.approx(math.sqrt(14))
    # A table of the evaluated clients alone says nothing of all.
    old = record(clients={"client_id": ["a"], "num_train": [3], "num_test": [1]})
    assert math.isnan(_measure("num_clients", old))
    assert math.isnan(_measure("num_samples", old))


def test_gains_by_hand():
    """Ten clients, and so two are the worst 20 %: −30 and −10, mean −20.

    Gains are −30, −10, 0, 0, 10, 10, 10, 20, 20 and 40 points: 70 in all, 6 above 0, 2 below.
    """
    run, other = _run([0.7, 0.2, 0.5, 0.9, 0.6, 0.4, 0.5, 0.6, 0.7, 0.6]), _run([0.5] * 10)
    assert _measure("share_better", run, other) == pytest.approx(60)
    assert _measure("share_worse", run, other) == pytest.approx(20)
    assert _measure("mean_gain", run, other) == pytest.approx(7)
    assert _measure("worst_20_gain", run, other) == pytest.approx(-20)
    assert _measure("worst_20_gain", _run([0.5, 1.0]), _run([0.0, 0.9])) == pytest.approx(10)
    for key in ("share_better", "share_worse", "mean_gain", "worst_20_gain"):
        assert math.isnan(_measure(key, run))  # Without the other run.
        # Known of the last of two rounds alone.
        assert math.isnan(measure(Metric(key, "", in_round=1), run, other=other))


def test_gains_are_by_client_id_and_of_those_that_were_evaluated_in_both():
    run = _run([0.9, 0.2, _NONE, 0.5], ids=["a", "b", "c", "d"])
    found = gains(Inputs(run, Metric("mean_gain", ""), _run([0.6, 0.4, 0.1], ids=["b", "a", "c"])))
    assert found.round(6).to_dict() == {"a": 50.0, "b": -40.0}


@pytest.mark.parametrize(
    ("accuracies", "expected"),
    [([10, 30, 20, _NONE, 40, 35], 15 / 4), ([3], _NONE)],  # Falls of 10 and 5 over 4 steps.
)
def test_falls_over_rounds_by_hand(accuracies, expected):
    rounds = {n: {"test_weighted_average": float(value)} for n, value in enumerate(accuracies)}
    found = measure(Metric("oscillation", ""), record(rounds=rounds))
    assert found == pytest.approx(expected, nan_ok=True)
