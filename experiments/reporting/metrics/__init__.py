"""Numbers of finished runs by name, beyond those of the evaluation: the table of all metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping

from experiments.declaration import Metric
from experiments.reporting.metrics import accuracy, clients, cohort, costs
from experiments.reporting.metrics.definition import (
    FIVE_PER_CENT,
    PER_CENT,
    POINTS,
    Definition,
    Inputs,
    Margin,
)
from experiments.runs.record import RunRecord

METRICS: Mapping[str, Definition] = {
    **clients.METRICS,
    **cohort.METRICS,
    **costs.METRICS,
    **accuracy.METRICS,
}
# Of the evaluation's columns, which need no function of their own.
_MARGINS: Mapping[str, Margin] = {
    f"{examples}_{statistic}": margin
    for examples in ("train", "test")
    for statistic, margin in (
        *((each, POINTS) for each in ("average", "weighted_average", "worst_20", "best_20")),
        ("variance", FIVE_PER_CENT),
        ("loss", PER_CENT),
    )
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
    if named is None:
        return record.evaluation(metric.key, in_round=metric.in_round)
    return named.measure(Inputs(record, metric, other))


def has_target(metric: Metric) -> bool:
    """Says whether a run has no number of a metric because it did not reach a target."""
    return metric.key in METRICS and METRICS[metric.key].bound is not None


def margin(metric: Metric) -> Margin:
    """Returns a metric's margin of no interest; that of an unknown metric is 0."""
    named = METRICS.get(metric.key)
    return _MARGINS.get(metric.key, Margin()) if named is None else named.margin


def not_reached_bound(metric: Metric, record: RunRecord) -> float:
    """Returns what a metric counts as in a run that did not reach its target.

    Returns:
        The bound; not a number where the metric has none, or is a multiple of another run's.
    """
    return _of_target(metric, record, "bound", math.nan)


def step(metric: Metric, record: RunRecord) -> float:
    """Returns a metric's resolution in a run: the smallest possible difference.

    Returns:
        For a target, what lies between two evaluated rounds; 0 for a continuous metric, and for a
        multiple of another run's.
    """
    return _of_target(metric, record, "step", 0.0)


def _of_target(metric: Metric, record: RunRecord, part: str, otherwise: float) -> float:
    found = getattr(METRICS.get(metric.key), part, None)
    return otherwise if found is None or metric.relative_to else found(Inputs(record, metric))
