"""From a metric's declaration to its value in a finished run: the table of all metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping

from experiments.declaration import Metric
from experiments.reporting.metrics import clients, cohort, costs, stability, targets
from experiments.reporting.metrics.definition import (
    FIVE_PER_CENT,
    PER_CENT,
    POINTS,
    Definition,
    Margin,
)
from experiments.runs.record import RunRecord

METRICS: Mapping[str, Definition] = {
    **clients.METRICS,
    **cohort.METRICS,
    **costs.METRICS,
    **stability.METRICS,
    **targets.METRICS,
}
# Of the evaluation's columns, which need no function of their own.
_MARGINS: Mapping[str, Margin] = {
    **{
        f"{examples}_{statistic}": POINTS
        for examples in ("train", "test")
        for statistic in ("average", "weighted_average", "worst_20", "best_20")
    },
    **{f"{examples}_variance": FIVE_PER_CENT for examples in ("train", "test")},
    **{f"{examples}_loss": PER_CENT for examples in ("train", "test")},
}


def measure(metric: Metric, record: RunRecord, *, other: RunRecord | None = None) -> float:
    """Returns the value of a metric in a finished run, `relative_to` left out.

    Args:
        metric: The metric.
        record: The run.
        other: The run that `metric.compared_with` names, if it names one.

    Returns:
        The value; not a number where the run has none, as where a target was not reached.

    Raises:
        KeyError: If the metric is neither named nor a column of the evaluation.
    """
    named = METRICS.get(metric.key)
    if named is not None:
        return named.measure(record, metric, other)
    return record.evaluation(metric.key, in_round=metric.in_round)


def has_target(metric: Metric) -> bool:
    """Says whether a run has no number of a metric because it did not reach a target."""
    return metric.key in METRICS and METRICS[metric.key].bound is not None


def margin(metric: Metric) -> Margin:
    """Returns a metric's margin of no interest; that of an unknown metric is 0."""
    if metric.key in METRICS:
        return METRICS[metric.key].margin
    return _MARGINS.get(metric.key, Margin())


def not_reached_bound(metric: Metric, record: RunRecord) -> float:
    """Returns what a metric counts as in a run that did not reach its target.

    Returns:
        The bound; not a number where the metric has none, or is a multiple of another run's.
    """
    named = METRICS.get(metric.key)
    if named is None or named.bound is None or metric.relative_to is not None:
        return math.nan
    return named.bound(record, metric)


def step(metric: Metric, record: RunRecord) -> float:
    """Returns a metric's resolution in a run: the smallest possible difference.

    Returns:
        For a target, what lies between two evaluated rounds; 0 for a continuous metric, and for a
        multiple of another run's.
    """
    named = METRICS.get(metric.key)
    if named is None or named.step is None or metric.relative_to is not None:
        return 0.0
    return named.step(record, metric)
