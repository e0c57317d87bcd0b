"""Two methods' numbers on one data set, paired by seed, and how sure their difference is."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import warnings
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
from scipy import stats

from experiments.declaration import Metric
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.metrics import definition
from experiments.reporting.metrics.definition import Margin

CONFIDENCE = 0.95
FEWEST_SEEDS = 5
# With fewer differences, a bootstrap has too few values to resample.
FEWEST_SEEDS_OF_A_BOOTSTRAP = 10
_RESAMPLES = 9999
_BOOTSTRAP_SEED = 0
# Smaller differences of accuracies in percent are rounding errors.
ROUNDING = 1e-6


class Reason(enum.Enum):
    """Why a claim is open."""

    FEW_SEEDS = "few seeds"
    NOT_REACHED = "target not reached"
    NOISE = "noise"
    COLLAPSED = "collapsed model"
    FEWER_ROUNDS = "fewer rounds than the paper"
    NO_PAIR = "no seed that both have a number for"
    NO_NUMBER = "a seed without a finite number"
    OTHER_ROUNDS = "evaluated in other rounds"


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two methods' numbers by one metric on one data set.

    Attributes:
        better: By seed, the numbers of the method that is better according to the claim.
        worse: By the same seeds, the numbers of the other method, or the reference.
        has_reference: Whether `worse` is a fixed number.
        least_deviation: The smallest standard deviation that the differences are given.
        censored: The seeds with which a method missed its target.
        undecided: The seeds with which both methods did.
        barred: A reason to leave the claim open whatever the numbers are, such as a lead by a
            collapsed model; None without one.
        missing: A text that says what was not run; None if both methods were run.
    """

    dataset: str
    better: Mapping[int, float] = dataclasses.field(default_factory=dict)
    worse: Mapping[int, float] = dataclasses.field(default_factory=dict)
    has_reference: bool = False
    smaller_is_better: bool = False
    margin: Margin = Margin()
    least_deviation: float = 0.0
    censored: frozenset[int] = frozenset()
    undecided: frozenset[int] = frozenset()
    barred: Reason | None = None
    missing: str | None = None

    @functools.cached_property
    def differences(self) -> Mapping[int, float]:
        """By seed, by how much the first method is better; negative where it is worse."""
        sign = -1.0 if self.smaller_is_better else 1.0
        # Adding 0 avoids −0.
        pairs = ((seed, value, self.worse[seed]) for seed, value in self.better.items())
        return {seed: sign * (value - other) + 0.0 for seed, value, other in pairs}

    @property
    def mean(self) -> float | None:
        """The mean difference, None without a pair."""
        return float(np.mean([*self.differences.values()])) if self.better else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The t interval of the mean; None for fewer than two seeds, or with a missed target."""
        if self.censored:
            return None
        return t_interval(self.differences.values(), least_deviation=self.least_deviation)

    @property
    def bootstrap_interval(self) -> tuple[float, float] | None:
        """The BCa bootstrap interval of the mean; None for fewer than ten seeds, or undefined."""
        values = np.array([*self.differences.values()])
        if len(values) < FEWEST_SEEDS_OF_A_BOOTSTRAP or self.censored or np.ptp(values) == 0:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy returns NaN for an undefined interval.
            low, high = stats.bootstrap(
                (values,),
                np.mean,
                n_resamples=_RESAMPLES,
                confidence_level=CONFIDENCE,
                method="BCa",
                random_state=np.random.default_rng(_BOOTSTRAP_SEED),
            ).confidence_interval
        return None if math.isnan(low) or math.isnan(high) else (float(low), float(high))

    @property
    def margin_here(self) -> float:
        """The margin of no interest in the metric's units."""
        other = float(np.mean([*self.worse.values()])) if self.worse else 0.0
        return max(self.margin.beside(other), ROUNDING)

    @property
    def can_be_tested(self) -> bool:
        """Whether it has enough seeds; with a missed target one more, or no signs could decide."""
        return len(self.better) >= FEWEST_SEEDS + bool(self.censored) and self.barred is None

    def p_value(self, *, is_equal: bool) -> float:
        """Returns the two-sided `p` of the test that can make the claim hold or fail.

        It is the t test. For a claim that the methods are equal, the test asks whether they differ
        by more than the margin. For others it asks whether they differ at all. With a missed target
        only signs are known: it is the exact sign test of the seeds that are decided, and 1 for a
        claim that the methods are equal.
        """
        values = np.array([*self.differences.values()])
        if self.censored:
            signs = np.sign(values[np.abs(values) > ROUNDING])
            if is_equal or not len(signs):
                return 1.0
            return float(stats.binomtest(int((signs > 0).sum()), len(signs)).pvalue)
        excess = abs(float(np.mean(values))) - (self.margin_here if is_equal else 0.0)
        error = _deviation(values, self.least_deviation) / math.sqrt(len(values))
        if excess <= 0:
            return 1.0
        return float(2 * stats.t.sf(excess / error, len(values) - 1)) if error else 0.0

    @property
    def unit(self) -> float | None:
        """The standard deviation, pooled over the two methods; a reference has none.

        It is None where there are fewer than two seeds, a missed target, no deviation, or a reason
        to leave the claim open.
        """
        if len(self.better) < 2 or self.censored or self.barred is not None:
            return None
        sides = [self.better] if self.has_reference else [self.better, self.worse]
        variances = [np.var([*side.values()], ddof=1) for side in sides]
        deviation = max(math.sqrt(np.mean(variances)), self.least_deviation)
        return deviation if deviation > ROUNDING else None


def pair(
    table: Table, metric: Metric, better: str, worse: str | None, *, reference: float = 0.0
) -> Pair:
    """Returns two methods' numbers by a metric, by the seeds that have them.

    A missed target counts as its bound. If the other method's number is not smaller, it counts as
    this bound, too: beyond it nothing is known. Runs whose model never changed do not count.

    Args:
        table: Where the numbers are. If it is short, only numbers that more rounds cannot change
            count: numbers of an earlier round, or targets that one of the two reached with each
            seed.
        metric: The metric by which they are compared.
        better: One method.
        worse: The other; if it is None, the first is compared with the `reference`.
        reference: A number.
    """
    first = _cell(table, metric, better)
    cells = [first] if worse is None else [first, _cell(table, metric, worse)]
    absent = [cell.method for cell in cells if not cell.values]
    if absent:
        return Pair(table.label, missing=f"not run: {', '.join(absent)}")
    common = set.intersection(*(set(cell.counted) for cell in cells))
    seeds = sorted(common.difference(*(cell.unchanged for cell in cells)))
    missed = [set(cell.bounds).intersection(seeds) for cell in cells]

    def horizon(seed: int) -> float:
        return min(cell.bounds.get(seed, math.inf) for cell in cells)

    def counted(cell: Cell, seed: int) -> float:
        return min(cell.counted[seed], horizon(seed))

    # Both missed it, or the one that reached it did so too late to tell.
    late = {seed for seed in seeds if min(cell.counted[seed] for cell in cells) >= horizon(seed)}
    undecided = late if worse is not None else set()

    found = Pair(
        table.label,
        {seed: counted(first, seed) for seed in seeds},
        {seed: reference if worse is None else counted(cells[1], seed) for seed in seeds},
        has_reference=worse is None,
        smaller_is_better=metric.smaller_is_better,
        margin=definition(metric).margin,
        least_deviation=rounding_deviation(*(cell.step for cell in cells)),
        censored=frozenset().union(*missed),
        undecided=frozenset(undecided),
    )
    has_target = definition(metric).bound is not None
    is_settled = metric.in_round is not None or (has_target and not set.intersection(*missed))
    every = set().union(*(cell.evaluated_every for cell in cells))
    last_rounds_differ = metric.in_round is None and any(cell.ended_early for cell in cells)
    if (metric.over != "last round" and len(every) > 1) or (last_rounds_differ and not has_target):
        return dataclasses.replace(found, barred=Reason.OTHER_ROUNDS)
    in_both = set.intersection(*(set(cell.values) - set(cell.unchanged) for cell in cells))
    numbers = (cell.values[seed] for cell in cells for seed in in_both)
    if not has_target and not all(map(math.isfinite, numbers)):
        return dataclasses.replace(found, barred=Reason.NO_NUMBER)
    ahead = first if (found.mean or 0.0) > 0 else cells[-1]
    is_ahead = found.mean and (found.mean > 0 or worse is not None)
    if table.is_short and not is_settled:
        return dataclasses.replace(found, barred=Reason.FEWER_ROUNDS)
    if is_ahead and ahead.has_collapsed:
        return dataclasses.replace(found, barred=Reason.COLLAPSED)
    return found


def _cell(table: Table, metric: Metric, method: str) -> Cell:
    """Returns a method's cell, which has no numbers if the table lacks the method."""
    of_method = (cell for cell in table.column(metric) if cell.method == method)
    return next(of_method, Cell(table.dataset, method, metric, paper=None, values={}))


def t_interval(
    values: Iterable[float], *, least_deviation: float = 0.0
) -> tuple[float, float] | None:
    """Returns the ends of Student's interval of the mean at `CONFIDENCE`; None for one value.

    The values' standard deviation counts as at least `least_deviation`, such as
    `rounding_deviation`: numbers that are equal after rounding are not certain.
    """
    found = np.array([*values])
    if len(found) < 2:
        return None
    deviation = _deviation(found, least_deviation)
    if deviation == 0:  # SciPy returns no numbers then.
        return float(found[0]), float(found[0])
    low, high = stats.t.interval(
        CONFIDENCE, len(found) - 1, loc=np.mean(found), scale=deviation / math.sqrt(len(found))
    )
    return float(low), float(high)


def rounding_deviation(*steps: float) -> float:
    """Returns the standard deviation that rounding alone gives a difference of numbers.

    Errors are independent, each uniform over its number's resolution: `step / √12` (Sheppard's
    correction). The step is 0 for a number that is not rounded.
    """
    return math.sqrt(sum(step**2 for step in steps) / 12)


def _deviation(values: npt.NDArray[np.float64], least: float) -> float:
    # The mean of equal numbers may differ from them in the last digit.
    return max(float(np.std(values, ddof=1)) if np.ptp(values) else 0.0, least)
