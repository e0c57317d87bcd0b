"""Tests of `experiments.reporting.metrics` on a run's tables as they are written."""

from __future__ import annotations

import dataclasses
import io
import math

import pandas as pd
import pytest

from experiments.declaration import Metric
from experiments.reporting.metrics import definition, measure
from experiments.reporting.metrics.definition import Inputs
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import resolve
from experiments.runs.record import RunRecord
from experiments.runs.resource_use import RunSeconds

_RUN = resolve(
    RunConfiguration("fed_avg", "synthetic_1_1", rounds=4, learning_rate=0.1, clients_per_round=5)
)
_POOLED = "evaluation/test_weighted_average"
_COLUMNS = (
    *("round", "evaluation/test_average", "evaluation/test_variance", _POOLED),
    *("bytes_down_per_client", "bytes_up_per_client"),
    *("paper_bytes_down_per_client", "paper_bytes_up_per_client"),
)
_METRICS = f"""{",".join(_COLUMNS)}
0,10,1,10,,,,
1,,,,3000,5000,2400,2400
2,30,3,72,3000,5000,2400,2400
3,,,,3000,5000,2400,2400
4,50,5,60,3000,5000,2400,2400
"""


def _record(metrics: str = _METRICS) -> RunRecord:
    return RunRecord(
        _RUN,
        {"test_average": 50.0},
        rounds=pd.read_csv(io.StringIO(metrics)),
        seconds=RunSeconds(total=12.0, once=8.0, training=0.25, evaluation=0.1),
        clients=pd.DataFrame(),
    )


def _measure(key, metrics=_METRICS, **fields):
    return measure(Metric(key, "", **fields), _record(metrics))


def test_any_column_of_the_evaluation_is_read_in_any_round_that_was_evaluated():
    assert _measure("test_average", in_round=2) == 30.0
    assert _measure("test_variance", in_round=4) == 5.0
    assert math.isnan(_measure("test_average", in_round=3))  # Not evaluated.
    for key in ("test_average", "accepted_rounds", "mean_effective_participants"):
        assert math.isnan(_measure(key, in_round=5))  # Not trained.
    assert _measure("test_average") == 50.0
    assert (_measure("seconds_per_round"), _measure("alarms")) == (0.25, 0.0)
    # Of 10, 30 and 50 the first is before training, and no other is in a round above 3.6.
    assert _measure("test_average", over="all rounds") == 40.0
    assert _measure("test_average", over="all rounds", in_round=3) == 30.0
    assert _measure("test_average", over="last tenth") == 50.0
    assert math.isnan(_measure("test_average", over="last tenth", in_round=5))
    diverged = _METRICS.replace("4,50,5,60", "4,,5,60")
    assert math.isnan(_measure("test_average", diverged, over="all rounds"))
    with pytest.raises(ValueError, match="over must be one of .* got 'late'"):
        Metric("test_average", "", over="late")
    with pytest.raises(ValueError, match="rounds_to: over must be 'last round'"):
        _measure("rounds_to", over="last tenth", parameter=5.0)
    relative = Metric("relative_seconds_per_round", "", compared_with="A")
    assert measure(relative, _record(), other=_record()) == 1.0
    for key in ("test_loss", "best_accuracy"):
        with pytest.raises(ValueError, match=f"{key}: parameter must be None, got 10"):
            definition(Metric(key, "", parameter=10))


def test_bytes_are_counted_here_and_as_in_the_paper():
    """5 clients, 2 rounds: 5 · 2 · 8,000 bytes here, 5 · 2 · 4,800 in the paper."""
    assert (_measure("kilobytes_down"), _measure("kilobytes_up")) == (3.0, 5.0)
    assert (_measure("paper_kilobytes_down"), _measure("paper_kilobytes_up")) == (2.4, 2.4)
    assert _measure("rounds_to", parameter=70.0) == 2.0
    assert _measure("megabytes_to", parameter=70.0) == pytest.approx(0.08)
    assert _measure("paper_megabytes_to", parameter=70.0) == pytest.approx(0.048)
    assert math.isnan(_measure("rounds_to", parameter=70.0, in_round=1))
    for name in ("rounds_to", "megabytes_to", "paper_megabytes_to"):
        assert math.isnan(_measure(name, parameter=90.0))


def test_what_is_missing_is_named():
    with pytest.raises(ValueError, match="rounds_to: parameter must be the target"):
        _measure("rounds_to")
    with pytest.raises(ValueError, match="test_averge: must be a number of the evaluation"):
        _measure("test_averge")


def test_a_target_that_is_not_reached_would_take_a_round_more_at_least():
    """Of four rounds the fifth, of one the second; 5 clients, 8 kB each and round."""
    cases = (("rounds_to", None, 5.0), ("rounds_to", 1, 2.0), ("megabytes_to", None, 5 * 5 * 0.008))
    for key, in_round, expected in cases:
        metric = Metric(key, "", parameter=99.0, in_round=in_round)
        assert definition(metric).bound(Inputs(_record(), metric)) == pytest.approx(expected)
    assert definition(Metric("test_average", "")).bound is None
    # It ended at its own target, after 4 of 9 rounds.
    ended = dataclasses.replace(
        _record(), resolved=_RUN.with_settings(rounds=9, target_accuracy=70.0)
    )
    higher = Metric("rounds_to", "", parameter=99.0)
    assert definition(higher).bound(Inputs(ended, higher)) == 5.0


def test_targets_are_read_in_evaluated_rounds_alone():
    """Every second of them; 5 clients, 8 kB here and 4.8 kB in the paper, each and round."""
    record = dataclasses.replace(_record(), resolved=_RUN.with_settings(rounds_per_evaluation=2))

    def step_of(key, **fields):
        metric = Metric(key, "", **fields)
        return definition(metric).step(Inputs(record, metric))

    assert step_of("rounds_to", parameter=70.0) == 2.0
    assert step_of("megabytes_to", parameter=70.0) == pytest.approx(0.08)
    assert step_of("paper_megabytes_to", parameter=70.0) == pytest.approx(0.048)
    assert step_of("test_average") == 0.0
