"""How much a run swings from one evaluation to the next, and what it has apart from that."""

from __future__ import annotations

import math
from collections.abc import Mapping

from experiments.declaration import Metric
from experiments.reporting.metrics.definition import FIVE_PER_CENT, POINTS, Definition
from experiments.runs.record import EVALUATION_PREFIX, RunRecord

_POOLED = EVALUATION_PREFIX + "test_weighted_average"


def _oscillation(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """By how much the pooled test accuracy falls per evaluation, in percentage points.

    It is the sum of all falls from one evaluated round to the next, divided by their number of
    steps: 0 for a run whose accuracy only rises, however fast it does.
    """
    steps = record.rounds[_POOLED].dropna().diff().dropna()
    return float(-steps.clip(upper=0).mean()) if len(steps) else math.nan


def _late_accuracy(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """The mean pooled test accuracy of the last evaluations, in percent; `parameter` counts them.

    Not a number where there are fewer.

    Raises:
        ValueError: If the metric has no parameter, or one that is no number of evaluations.
    """
    number = metric.parameter
    if number is None or number < 1 or number != int(number):
        raise ValueError(
            f"metric {metric.key}: parameter must be a number of evaluations, at least 1, got "
            f"{number}"
        )
    accuracies = record.rounds[_POOLED].dropna()
    return float(accuracies.tail(int(number)).mean()) if len(accuracies) >= number else math.nan


def _mean_accuracy(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """The mean pooled test accuracy of all evaluations after training has begun, in percent.

    It says how fast a run gets there: of two that end alike, the one that rose earlier has more.
    """
    rows = record.rounds[record.rounds["round"] > 0]
    return float(rows[_POOLED].mean())


METRICS: Mapping[str, Definition] = {
    "oscillation": Definition(_oscillation, FIVE_PER_CENT),
    "mean_accuracy": Definition(_mean_accuracy, POINTS),
    "late_accuracy": Definition(_late_accuracy, POINTS),
}
