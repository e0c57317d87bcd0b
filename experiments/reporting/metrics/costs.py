"""What a run costs: seconds, and bytes as sent here and by the protocol of its paper."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

from experiments.declaration import Metric
from experiments.reporting.metrics import targets
from experiments.reporting.metrics.definition import FIVE_PER_CENT, Definition
from experiments.runs.record import RunRecord

_BYTES_PER_KILOBYTE = _KILOBYTES_PER_MEGABYTE = 1e3


def _seconds_per_round(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """The median of the training times after compilation, evaluation not included."""
    return math.nan if record.seconds is None else record.seconds.training


def _kilobytes(record: RunRecord, metric: Metric, other: RunRecord | None, *, column: str) -> float:
    """What a client of the cohort receives or sends in one round."""
    return float(record.rounds.iloc[-1].get(column, math.nan)) / _BYTES_PER_KILOBYTE


def _megabytes_to(
    record: RunRecord, metric: Metric, other: RunRecord | None, *, prefix: str
) -> float:
    """What the cohorts sent and received until the target was reached."""
    return targets.rounds_to(record, metric) * _megabytes_per_round(record, metric, prefix=prefix)


def _not_reached_bound(record: RunRecord, metric: Metric, *, prefix: str) -> float:
    """What they sent and received at least where it was not."""
    rounds = targets.not_reached_bound(record, metric)
    return rounds * _megabytes_per_round(record, metric, prefix=prefix)


def _step(record: RunRecord, metric: Metric, *, prefix: str) -> float:
    """What they sent and received from one evaluation to the next."""
    rounds = targets.evaluated_rounds_apart(record, metric)
    return rounds * _megabytes_per_round(record, metric, prefix=prefix)


def _megabytes_per_round(record: RunRecord, metric: Metric, *, prefix: str) -> float:
    kilobytes = sum(
        _kilobytes(record, metric, None, column=f"{prefix}bytes_{way}_per_client")
        for way in ("down", "up")
    )
    return record.configuration.clients_per_round * kilobytes / _KILOBYTES_PER_MEGABYTE


METRICS: Mapping[str, Definition] = {
    "seconds_per_round": Definition(_seconds_per_round, FIVE_PER_CENT),
    **{
        f"{prefix}kilobytes_{way}": Definition(
            functools.partial(_kilobytes, column=f"{prefix}bytes_{way}_per_client"), FIVE_PER_CENT
        )
        for prefix in ("", "paper_")
        for way in ("down", "up")
    },
    **{
        f"{prefix}megabytes_to": Definition(
            functools.partial(_megabytes_to, prefix=prefix),
            FIVE_PER_CENT,
            bound=functools.partial(_not_reached_bound, prefix=prefix),
            step=functools.partial(_step, prefix=prefix),
        )
        for prefix in ("", "paper_")
    },
}
