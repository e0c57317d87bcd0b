"""How far a run got, and how long it took to get somewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping

from experiments.declaration import Metric
from experiments.reporting.metrics.definition import FIVE_PER_CENT, PER_CENT, POINTS, Definition
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


def not_reached_bound(record: RunRecord, metric: Metric) -> float:
    """Returns what `rounds_to` is at least where no round reaches the target."""
    return float(record.configuration.rounds + 1)


def evaluated_rounds_apart(record: RunRecord, metric: Metric) -> float:
    """Returns the resolution of `rounds_to`: the rounds from one evaluation to the next."""
    return float(record.configuration.rounds_per_evaluation)


def _best_accuracy(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """The largest pooled test accuracy of any round, in percent."""
    return float(record.rounds[_POOLED].max())


def _average_gained(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """By how many points the clients' average lies above that of the run compared with."""
    if other is None:
        raise ValueError(f"metric {metric.key}: compared_with must name a variant, got None")
    ours, theirs = (
        run.evaluation("test_average", in_round=metric.in_round) for run in (record, other)
    )
    return ours - theirs


def _test_loss_x100(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """A hundred times the loss on the test examples, as FedVeca's table I has it."""
    return 100.0 * record.evaluation("test_loss", in_round=metric.in_round)


def _alarms(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """How many rounds an audit undid."""
    return float(record.rounds[_ALARMS].sum()) if _ALARMS in record.rounds else 0.0


METRICS: Mapping[str, Definition] = {
    "rounds_to": Definition(
        rounds_to, FIVE_PER_CENT, bound=not_reached_bound, step=evaluated_rounds_apart
    ),
    "best_accuracy": Definition(_best_accuracy, POINTS),
    "average_gained": Definition(_average_gained, POINTS),
    "test_loss_x100": Definition(_test_loss_x100, PER_CENT),
    "alarms": Definition(_alarms),
}
