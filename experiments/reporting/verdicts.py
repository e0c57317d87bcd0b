"""What the paper's table claims about each pair of methods, and whether our runs bear it out."""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Mapping

import numpy as np

from experiments.reporting.comparison import COLLAPSED_BELOW, Cell, Table, paired, told_apart
from experiments.reporting.intervals import CONFIDENCE, rounding_deviation, t_interval

TIE = 0.05

RULES = (
    "A over B: A is the better one by this metric; of two variances the smaller one is. Numbers of "
    f"the paper that differ by {TIE:g} or less claim nothing.",
    "Ours are paired by seed. Tie: no seed's pair differs by more than "
    f"{TIE:g}. Within seed noise: the {CONFIDENCE:.0%} t interval of the mean difference over the "
    "seeds holds 0. The differences' spread counts as at least what reading a target in evaluated "
    "rounds alone makes. With one seed there is no such interval, so that every other difference "
    "reads as holds or reversed, however much of it is chance.",
    "A target that is not reached counts as reached one round after the last, which makes the "
    "difference smaller than it is, and none where neither method reaches it. No number: with no "
    "seed does either. One seed of several: one alone has a number of both, by which nothing is "
    "decided.",
    "No verdict: the smaller variance is that of a collapsed model, whose average is below "
    f"{COLLAPSED_BELOW:.0%} of the best method's. All clients of a useless model fare alike, which "
    "is not fairness.",
)


class Outcome(enum.Enum):
    """What our runs say to one claim."""

    HOLDS = "holds"
    REVERSED = "reversed"
    WITHIN_SEED_NOISE = "within seed noise"
    TIE = "tie"
    COLLAPSED = "no verdict"
    ONE_OF_SEVERAL = "one seed of several"
    NO_NUMBER = "no number"
    NOT_RUN = "not run"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One claim of the paper, "A over B by this metric", beside our runs.

    Attributes:
        better: A's cell.
        worse: B's cell.
        margins: By seed, by how much A is better than B in our runs, in the metric's units;
            negative where it is worse, see `comparison.paired`; none where no seed of either
            reaches the target.
    """

    better: Cell
    worse: Cell
    margins: Mapping[int, float]

    @property
    def paper_margin(self) -> float:
        """By how much A is better than B in the paper, a positive number."""
        return _margin(self.better, self.better.paper or 0.0, self.worse.paper or 0.0)

    @property
    def mean_margin(self) -> float | None:
        """The mean of our margins, None where there is none."""
        return float(np.mean([*self.margins.values()])) if self.margins else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The t interval of the mean margin over the seeds, None for fewer than two."""
        rounding = rounding_deviation(self.better.step, self.worse.step)
        return t_interval(self.margins.values(), least_deviation=rounding)

    @property
    def outcome(self) -> Outcome:
        """What the margins say, by `RULES`."""
        seeds = self.better.values.keys() & self.worse.values.keys()
        if self.mean_margin is None:
            return Outcome.NO_NUMBER if seeds else Outcome.NOT_RUN
        if len(self.margins) == 1 < len(seeds):
            return Outcome.ONE_OF_SEVERAL
        if max(map(abs, self.margins.values())) <= TIE:
            return Outcome.TIE
        if self.interval is not None and self.interval[0] <= 0.0 <= self.interval[1]:
            return Outcome.WITHIN_SEED_NOISE
        ahead = self.better if self.mean_margin > 0 else self.worse
        if ahead.has_collapsed:
            return Outcome.COLLAPSED
        return Outcome.HOLDS if ahead is self.better else Outcome.REVERSED


def judge(table: Table) -> list[Verdict]:
    """Returns a verdict on each claim of the paper, metric by metric.

    Args:
        table: Ours beside the paper's.

    Returns:
        For each metric every pair of methods whose numbers in the paper differ by more than `TIE`.
    """
    return [
        _verdict(first, second)
        for metric in table.metrics
        for first, second in itertools.combinations(
            [cell for cell in table.column(metric) if cell.paper is not None], 2
        )
        # The papers give two decimals, whose differences binary numbers miss by a little.
        if round(abs((first.paper or 0.0) - (second.paper or 0.0)), 6) > TIE
    ]


def _verdict(first: Cell, second: Cell) -> Verdict:
    is_first_better = _margin(first, first.paper or 0.0, second.paper or 0.0) > 0
    better, worse = (first, second) if is_first_better else (second, first)
    pairs = paired(better, worse)
    if not told_apart(better, worse):
        return Verdict(better, worse, {})
    return Verdict(better, worse, {seed: _margin(better, *pair) for seed, pair in pairs.items()})


def _margin(cell: Cell, value: float, other: float) -> float:
    return other - value if cell.metric.smaller_is_better else value - other
