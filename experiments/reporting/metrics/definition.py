"""What is known of a metric: how it is measured, and which of its differences count."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Optional

from experiments.declaration import Metric
from experiments.runs.record import RunRecord

# `(record, metric, other) → number`, not a number where a run has none; `other` is the run that
# `metric.compared_with` names, if it names one.
Measure = Callable[[RunRecord, Metric, Optional[RunRecord]], float]


@dataclasses.dataclass(frozen=True)
class Margin:
    """The margin of no interest: smaller differences matter to nobody.

    Attributes:
        size: In the metric's units, or as a share.
        is_relative: Whether it is a share of the other method's number.
    """

    size: float = 0.0
    is_relative: bool = False

    def beside(self, number: float) -> float:
        """Returns the margin in the metric's units, beside the other method's number."""
        return self.size * abs(number) if self.is_relative else self.size


POINTS = Margin(0.5)
FIVE_POINTS = Margin(5.0)
PER_CENT = Margin(0.01, is_relative=True)
FIVE_PER_CENT = Margin(0.05, is_relative=True)
OF_A_CORRELATION = Margin(0.05)


@dataclasses.dataclass(frozen=True)
class Definition:
    """One metric that is measured by a function of its own.

    Attributes:
        measure: Its value in a finished run.
        margin: The margin of no interest.
        bound: For a metric with a target: what a run counts as that does not reach it.
        step: The metric's resolution, the smallest possible difference; None if continuous.
    """

    measure: Measure
    margin: Margin = Margin()
    bound: Callable[[RunRecord, Metric], float] | None = None
    step: Callable[[RunRecord, Metric], float] | None = None
