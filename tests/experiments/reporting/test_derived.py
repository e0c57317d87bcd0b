"""Tests of `experiments.reporting.derived` on a run's tables as they are written."""

from __future__ import annotations

import math

import pytest

from experiments.artifacts import Metric
from experiments.configuration import RunConfiguration
from experiments.reporting.derived import derived_results
from experiments.run_directory import RunDirectory

_CONFIGURATION = RunConfiguration(
    "fed_avg", "synthetic_1_1", rounds=4, learning_rate=0.1, clients_per_round=5
)
_COLUMNS = (
    "round",
    "evaluation/test_average",
    "evaluation/test_variance",
    "evaluation/test_weighted_average",
    "bytes_down_per_client",
    "bytes_up_per_client",
    "paper_bytes_down_per_client",
    "paper_bytes_up_per_client",
)
_METRICS = f"""{",".join(_COLUMNS)}
0,10,1,10,,,,
1,,,,3000,5000,2400,2400
2,30,3,72,3000,5000,2400,2400
3,,,,3000,5000,2400,2400
4,50,5,60,3000,5000,2400,2400
"""
_TIMINGS = """round,training_time_in_seconds
0,
1,9
2,0.5
3,0.5
4,0.25
"""


@pytest.fixture
def directory(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.metrics.write_text(_METRICS)
    directory.timings.write_text(_TIMINGS)
    return directory


def test_any_metric_is_read_in_any_round_that_was_evaluated(directory):
    shown = (
        Metric("test_average", "average", in_round=2),
        Metric("test_variance", "variance", in_round=4),
        Metric("test_average", "never evaluated", in_round=3),
        Metric("test_average", "never trained", in_round=5),
        Metric("test_average", "in the last round"),
    )
    derived = derived_results(_CONFIGURATION, directory, metrics_shown=shown)
    assert derived["test_average_in_round_2"] == 30.0
    assert derived["test_variance_in_round_4"] == 5.0
    assert math.isnan(derived["test_average_in_round_3"])
    assert math.isnan(derived["test_average_in_round_5"])
    assert "test_average" not in derived


def test_bytes_are_counted_here_and_as_in_the_paper(directory):
    """5 clients, 2 rounds: 5 · 2 · 8,000 bytes here, 5 · 2 · 4,800 in the paper."""
    derived = derived_results(_CONFIGURATION, directory, targets=(70.0, 90.0))
    assert (derived["kilobytes_down"], derived["kilobytes_up"]) == (3.0, 5.0)
    assert (derived["paper_kilobytes_down"], derived["paper_kilobytes_up"]) == (2.4, 2.4)
    assert derived["rounds_to_70"] == 2.0
    assert derived["megabytes_to_70"] == pytest.approx(0.08)
    assert derived["paper_megabytes_to_70"] == pytest.approx(0.048)
    for name in ("rounds_to_90", "megabytes_to_90", "paper_megabytes_to_90"):
        assert math.isnan(derived[name])


def test_rounds_are_timed_after_compilation_and_alarms_counted(directory):
    derived = derived_results(_CONFIGURATION, directory)
    assert derived["seconds_per_round"] == 0.25
    assert derived["alarms"] == 0.0
