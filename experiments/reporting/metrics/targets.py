"""How far a run got, and how long it took to get somewhere."""

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


def _rounds_saved(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """By how many percent fewer rounds the target takes than the run compared with.

    A run that does not reach it counts as if it had one round after its last, which makes the
    difference smaller than it is; not a number where neither does, or the other one is there before
    its first round.
    """
    other = _compared_with(metric, other)
    if math.isnan(rounds_to(record, metric)) and math.isnan(rounds_to(other, metric)):
        return math.nan
    ours, theirs = _counted_rounds(record, metric), _counted_rounds(other, metric)
    return 100.0 * (1.0 - ours / theirs) if theirs else math.nan


def _best_accuracy(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """The largest pooled test accuracy of any round, in percent."""
    return float(record.rounds[_POOLED].max())


def _average_gained(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """By how many points the clients' average lies above that of the run compared with."""
    ours, theirs = (
        run.evaluation("test_average", in_round=metric.in_round)
        for run in (record, _compared_with(metric, other))
    )
    return ours - theirs


def _test_loss_x100(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """A hundred times the loss on the test examples, as FedVeca's table I has it."""
    return 100.0 * record.evaluation("test_loss", in_round=metric.in_round)


def _alarms(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """How many rounds an audit undid."""
    return float(record.rounds[_ALARMS].sum()) if _ALARMS in record.rounds else 0.0


def not_reached_bound(record: RunRecord, metric: Metric) -> float:
    """Returns what `rounds_to` is at least where no round reaches the target."""
    return float(record.configuration.rounds + 1)


def _saved_by_neither(record: RunRecord, metric: Metric) -> float:
    """Of the rounds that were run neither saved any, nor is one saved of none."""
    return 0.0


def evaluated_rounds_apart(
    record: RunRecord, metric: Metric, other: RunRecord | None = None
) -> float:
    """Returns by how much two numbers of `rounds_to` are apart at least, where they differ."""
    return float(record.configuration.rounds_per_evaluation)


def _share_apart(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """By how many percent the share saved moves with an evaluation more or less of both runs.

    Of `1 - ours / theirs` that are `step / theirs` and `ours / theirs` times as much: the root of
    the sum of their squares, since either is as likely early as late.
    """
    other = _compared_with(metric, other)
    ours, theirs = _counted_rounds(record, metric), _counted_rounds(other, metric)
    if not theirs:
        return 0.0
    of_ours, of_theirs = (evaluated_rounds_apart(run, metric) for run in (record, other))
    return 100.0 * math.hypot(of_ours, of_theirs * ours / theirs) / theirs


def _counted_rounds(record: RunRecord, metric: Metric) -> float:
    """The round in which the target is reached, or the bound where none does."""
    reached = rounds_to(record, metric)
    return not_reached_bound(record, metric) if math.isnan(reached) else reached


def _compared_with(metric: Metric, other: RunRecord | None) -> RunRecord:
    if other is None:
        raise ValueError(f"metric {metric.key}: compared_with must name a variant, got None")
    return other


METRICS: Mapping[str, Callable[[RunRecord, Metric, RunRecord | None], float]] = {
    "rounds_to": rounds_to,
    "rounds_saved": _rounds_saved,
    "best_accuracy": _best_accuracy,
    "average_gained": _average_gained,
    "test_loss_x100": _test_loss_x100,
    "alarms": _alarms,
}

BOUNDS: Mapping[str, Callable[[RunRecord, Metric], float]] = {
    "rounds_to": not_reached_bound,
    "rounds_saved": _saved_by_neither,
}

STEPS: Mapping[str, Callable[[RunRecord, Metric, RunRecord | None], float]] = {
    "rounds_to": evaluated_rounds_apart,
    "rounds_saved": _share_apart,
}
