"""What a run costs: seconds, and bytes as sent here and by the protocol of its paper."""

from __future__ import annotations

import math
from collections.abc import Mapping

from experiments.reporting.metrics import accuracy
from experiments.reporting.metrics.definition import FIVE_PER_CENT, Definition, Inputs, Measure
from experiments.runs.record import RunRecord

_BYTES_PER_KILOBYTE = _KILOBYTES_PER_MEGABYTE = 1e3


def _seconds(run: RunRecord | None) -> float:
    """The median of the training times after compilation, evaluation not included."""
    return math.nan if run is None or run.seconds is None else run.seconds.training


def _kilobytes(column: str) -> Measure:
    """What a client of the cohort receives or sends in one round."""
    return lambda inputs: (
        float(inputs.record.rounds.iloc[-1].get(column, math.nan)) / _BYTES_PER_KILOBYTE
    )


def _megabytes(rounds: Measure, prefix: str) -> Measure:
    """What the cohorts send and receive in so many rounds."""
    each_way = [_kilobytes(f"{prefix}bytes_{way}_per_client") for way in ("down", "up")]

    def measured(inputs: Inputs) -> float:
        kilobytes = sum(of_client(inputs) for of_client in each_way)
        per_round = inputs.record.resolved.configuration.clients_per_round * kilobytes
        return rounds(inputs) * (per_round / _KILOBYTES_PER_MEGABYTE)

    return measured


METRICS: Mapping[str, Definition] = {
    "seconds_per_round": Definition(lambda inputs: _seconds(inputs.record), FIVE_PER_CENT),
    "relative_seconds_per_round": Definition(
        lambda inputs: _seconds(inputs.record) / (_seconds(inputs.other) or math.nan), FIVE_PER_CENT
    ),
    **{
        f"{prefix}kilobytes_{way}": Definition(
            _kilobytes(f"{prefix}bytes_{way}_per_client"), FIVE_PER_CENT
        )
        for prefix in ("", "paper_")
        for way in ("down", "up")
    },
    # Bytes until the target was reached, the least bytes if it was not, and the bytes between two
    # evaluations.
    **{
        f"{prefix}megabytes_to": Definition(
            _megabytes(accuracy.rounds_to, prefix),
            FIVE_PER_CENT,
            bound=_megabytes(accuracy.not_reached_bound, prefix),
            step=_megabytes(accuracy.evaluated_rounds_apart, prefix),
            parameter=accuracy.TARGET,
        )
        for prefix in ("", "paper_")
    },
}
