"""From a metric's declaration to its value in a finished run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from experiments.declaration import Metric
from experiments.reporting.metrics import clients, cohort, costs, stability, targets
from experiments.runs.record import RunRecord

# `(record, metric, other) → number`; `other` is the run that `metric.compared_with` names, if it
# names one. Not a number where a run has none.
NamedMetric = Callable[[RunRecord, Metric, "RunRecord | None"], float]

METRICS: Mapping[str, NamedMetric] = {
    **clients.METRICS,
    **cohort.METRICS,
    **costs.METRICS,
    **stability.METRICS,
    **targets.METRICS,
}

# What a metric counts as where a target was not reached.
_BOUNDS: Mapping[str, Callable[[RunRecord, Metric], float]] = {**costs.BOUNDS, **targets.BOUNDS}
# By how much two numbers of a metric are apart at least, where that is not next to nothing.
_STEPS: Mapping[str, NamedMetric] = {**costs.STEPS, **targets.STEPS}


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
        return named(record, metric, other)
    return record.evaluation(metric.key, in_round=metric.in_round)


def has_target(metric: Metric) -> bool:
    """Says whether a run has no number of a metric because it did not reach a target."""
    return metric.key in _BOUNDS


def not_reached_bound(metric: Metric, record: RunRecord) -> float:
    """Returns what a metric counts as in a run that did not reach its target.

    Returns:
        The bound; not a number where the metric has none, or is a multiple of another run's.
    """
    bound = _BOUNDS.get(metric.key)
    return math.nan if bound is None or metric.relative_to is not None else bound(record, metric)


def step(metric: Metric, record: RunRecord, *, other: RunRecord | None = None) -> float:
    """Returns by how much two numbers of a metric are apart at least, where they differ.

    Args:
        metric: The metric.
        record: The run.
        other: The run that `metric.compared_with` names, if it names one.

    Returns:
        Of a target, what lies between two evaluated rounds, in one of which it is first seen to be
        reached; 0 where a metric takes any number, or is a multiple of another run's.
    """
    of_metric = _STEPS.get(metric.key)
    if of_metric is None or metric.relative_to is not None:
        return 0.0
    return of_metric(record, metric, other)
