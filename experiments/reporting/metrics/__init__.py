"""Numbers of finished runs by name, beyond those of the evaluation."""

from __future__ import annotations

from experiments.reporting.metrics.cohort import PARTICIPANT_COLUMNS
from experiments.reporting.metrics.measure import (
    METRICS,
    has_target,
    margin,
    measure,
    not_reached_bound,
    step,
)

__all__ = [
    "METRICS",
    "PARTICIPANT_COLUMNS",
    "has_target",
    "margin",
    "measure",
    "not_reached_bound",
    "step",
]
