"""How long a run took to get somewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from experiments.declaration import Metric
from experiments.runs.record import EVALUATION_PREFIX, RunRecord

_POOLED = EVALUATION_PREFIX + "test_weighted_average"
_ALARMS = "aggregator/cohort/weighting/alarm"


def rounds_to(record: RunRecord, metric: Metric, other: RunRecord | None = None) -> float:
    """Returns the first round whose pooled test accuracy reaches the metric's parameter.

    Args:
        record: The run.
        metric: Its `parameter` is the target in percent.
        other: Not used.

    Returns:
        The round; not a number where no round reaches it.

    Raises:
        ValueError: If the metric has no parameter.
    """
    if metric.parameter is None:
        raise ValueError(f"metric {metric.key}: parameter must be the target in percent, got None")
    reached = record.rounds[record.rounds[_POOLED] >= metric.parameter]["round"]
    return float(reached.iloc[0]) if len(reached) else math.nan


def _alarms(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """How many rounds an audit undid."""
    return float(record.rounds[_ALARMS].sum()) if _ALARMS in record.rounds else 0.0


def not_reached_bound(record: RunRecord, metric: Metric) -> float:
    """Returns what `rounds_to` is at least where no round reaches the target."""
    return float(record.configuration.rounds + 1)


METRICS: Mapping[str, Callable[[RunRecord, Metric, RunRecord | None], float]] = {
    "rounds_to": rounds_to,
    "alarms": _alarms,
}

BOUNDS: Mapping[str, Callable[[RunRecord, Metric], float]] = {"rounds_to": not_reached_bound}
