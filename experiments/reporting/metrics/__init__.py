"""The table of all metrics, by name: numbers of finished runs beside the evaluation's."""

from __future__ import annotations

import dataclasses
import math
import re
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
from tff_weights import FairnessStatistics

METRICS: Mapping[str, Definition] = {
    **clients.METRICS,
    **cohort.METRICS,
    **costs.METRICS,
    **accuracy.METRICS,
}
# The margins of the evaluation's columns, which need no function.
_MARGINS: Mapping[str, Margin] = {
    **dict.fromkeys(("train_average", "test_average", "test_weighted_average"), POINTS),
    **dict.fromkeys(("test_worst_20", "test_best_20"), POINTS),
    **dict.fromkeys(("train_loss", "test_loss"), PER_CENT),
    "test_variance": FIVE_PER_CENT,
}
_STATISTICS = "|".join(field.name for field in dataclasses.fields(FairnessStatistics))
_IS_EVALUATED = re.compile(f"train_loss|test_loss|train_average|test_(.+_)?({_STATISTICS})")


def definition(metric: Metric) -> Definition:
    """Returns how a metric is measured.

    Raises:
        ValueError: If its name is neither in `METRICS` nor of a form that evaluations have. If it
            is the mean over several rounds of what no evaluation has, lacks its parameter, or has
            one that it does not take.
    """
    if metric.key not in METRICS and not _IS_EVALUATED.fullmatch(metric.key):
        raise ValueError(
            f"metric {metric.key}: must be a number of the evaluation, such as test_average, or "
            f"one of {', '.join(METRICS)}"
        )
    found = METRICS.get(metric.key) or Definition(
        lambda inputs: inputs.evaluation(metric.key),
        _MARGINS.get(metric.key, Margin()),
        is_evaluated=True,
    )
    if (metric.parameter is None) != (found.parameter is None):
        raise ValueError(
            f"metric {metric.key}: parameter must be {found.parameter}, got {metric.parameter}"
        )
    if metric.over != "last round" and not found.is_evaluated:
        raise ValueError(
            f"metric {metric.key}: over must be 'last round', since the evaluation does not have "
            f"it, got {metric.over!r}"
        )
    return found


def measure(metric: Metric, record: RunRecord, *, other: RunRecord | None = None) -> float:
    """Returns the value of a metric in a finished run.

    It is NaN if the run has no such number, for example if it missed a target or ended before the
    metric's round. `other` is the run that `metric.compared_with` names.
    """
    found = definition(metric)
    if found.bound is None and (metric.in_round or 0) > record.num_rounds:
        return math.nan
    return found.measure(Inputs(record, metric, other))
