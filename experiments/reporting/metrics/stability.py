"""How much a run swings from one evaluation to the next, and what it has apart from that."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from experiments.declaration import Metric
from experiments.runs.record import EVALUATION_PREFIX, RunRecord

_POOLED = EVALUATION_PREFIX + "test_weighted_average"


def oscillation(record: RunRecord, metric: Metric, other: RunRecord | None = None) -> float:
    """Returns by how much the pooled test accuracy falls per evaluation, in percentage points.

    It is the sum of all falls from one evaluated round to the next, divided by their number of
    steps: 0 for a run whose accuracy only rises, however fast it does.

    Args:
        record: The run.
        metric: Not used.
        other: Not used.
    """
    steps = record.rounds[_POOLED].dropna().diff().dropna()
    return float(-steps.clip(upper=0).mean()) if len(steps) else math.nan


def late_accuracy(record: RunRecord, metric: Metric, other: RunRecord | None = None) -> float:
    """Returns the mean pooled test accuracy of the last evaluations, in percent.

    Args:
        record: The run.
        metric: Its `parameter` is their number, a whole one.
        other: Not used.

    Returns:
        The mean; not a number where there are fewer evaluations.

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


METRICS: Mapping[str, Callable[[RunRecord, Metric, RunRecord | None], float]] = {
    "oscillation": oscillation,
    "late_accuracy": late_accuracy,
}
