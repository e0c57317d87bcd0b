"""How a metric is measured, and which of its differences count."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from experiments.declaration import Metric
from experiments.runs.record import EVALUATION_PREFIX, RunRecord


class Inputs(NamedTuple):
    """What a metric is measured from. `other` is the run that `metric.compared_with` names."""

    record: RunRecord
    metric: Metric
    other: RunRecord | None = None

    @property
    def parameter(self) -> float:
        """The metric's parameter, of a metric that takes one."""
        assert self.metric.parameter is not None  # `definition` has seen to it.
        return self.metric.parameter

    def over_rounds(self, column: str) -> pd.Series:
        """Returns a column's value in each round, up to the metric's round if it has one."""
        values, last = self.record.over_rounds(column), self.metric.in_round
        return values if last is None else values[values.index <= last]

    def evaluation(self, name: str) -> float:
        """Returns a number of the evaluation, the mean over the metric's rounds.

        Raises:
            ValueError: If there is no such number.
        """
        of_last = self.record.evaluation(name, in_round=self.metric.in_round)
        if self.metric.over == "last round":
            return of_last
        last = self.metric.in_round or self.record.num_rounds
        begin = 0.9 * last if self.metric.over == "last tenth" else 0.0
        rounds = self.record.rounds
        in_time = (begin < rounds["round"]) & (rounds["round"] <= last)
        values = self.record.column(EVALUATION_PREFIX + name)[in_time]
        if values.isna().any():
            # A round without any number was not evaluated; in others NaN, as of a loss, counts.
            evaluated = rounds[in_time].filter(like=EVALUATION_PREFIX).notna().any(axis="columns")
            values = values[evaluated]
        return float(values.mean(skipna=False))


Measure = Callable[[Inputs], float]


@dataclasses.dataclass(frozen=True)
class Margin:
    """The margin of no interest, in the metric's units or as a share of the other's number."""

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
    """How a metric is measured in a finished run, and which of its differences count.

    Attributes:
        bound: For a metric with a target: the value of a run that misses it.
        step: The metric's resolution in a run, the smallest possible difference; 0 if continuous.
        is_evaluated: Whether it is read from the evaluation of the metric's rounds, `over`.
        parameter: What the metric's parameter is; None if it takes none.
    """

    measure: Measure
    margin: Margin = Margin()
    bound: Measure | None = None
    step: Measure = lambda inputs: 0.0
    is_evaluated: bool = False
    parameter: str | None = None
