"""Whether one method is better than another, paired by seed: the one rule of every verdict.

`templates/results.md.jinja` says it for readers of the results.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from experiments.reporting.metrics.definition import Margin

CONFIDENCE = 0.95
FEWEST_SEEDS = 5
# With fewer differences, a bootstrap has too few values to resample.
FEWEST_SEEDS_OF_A_BOOTSTRAP = 10
_RESAMPLES = 9999
_BOOTSTRAP_SEED = 0
# Smaller differences of accuracies in percent are rounding errors.
_ROUNDING = 1e-6


class Outcome(enum.Enum):
    """What runs say about a claim, on one data set or on all of them."""

    HOLDS = "holds"
    HOLDS_ON_SOME = "holds on some"
    MIXED = "mixed"
    FAILS_ON_SOME = "fails on some"
    FAILS = "fails"
    NO_DIFFERENCE = "no difference"
    LEANS_FOR = "leans for"
    LEANS_AGAINST = "leans against"
    OPEN = "open"
    NOT_RUN = "not run"


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
        return max(self.margin.beside(other), _ROUNDING)

    @property
    def can_be_tested(self) -> bool:
        """Whether it has enough seeds, and all values are known exactly."""
        return len(self.better) >= FEWEST_SEEDS and not self.censored and self.barred is None

    def p_value(self, *, is_equal: bool) -> float:
        """Returns the two-sided `p` of the t test that can make the claim hold or fail.

        For a claim that the methods are equal, the test asks whether they differ by more than the
        margin. For others it asks whether they differ at all.
        """
        values = np.array([*self.differences.values()])
        excess = abs(float(np.mean(values))) - (self.margin_here if is_equal else 0.0)
        error = _deviation(values, self.least_deviation) / math.sqrt(len(values))
        if excess <= 0:
            return 1.0
        return float(2 * stats.t.sf(excess / error, len(values) - 1)) if error else 0.0

    def scaled(self) -> Mapping[int, float] | None:
        """Returns the differences by seed in units of the methods' pooled standard deviation.

        A reference has no deviation and does not count. It is None where there are fewer than two
        seeds, a missed target, no deviation, or a reason to leave the claim open.
        """
        if len(self.better) < 2 or self.censored or self.barred is not None:
            return None
        sides = [self.better] if self.has_reference else [self.better, self.worse]
        variances = [np.var([*side.values()], ddof=1) for side in sides]
        deviation = max(math.sqrt(np.mean(variances)), self.least_deviation)
        if deviation <= _ROUNDING:
            return None
        return {seed: value / deviation for seed, value in self.differences.items()}


@dataclasses.dataclass(frozen=True)
class OnDataset:
    """What runs say about a claim on one data set.

    Attributes:
        p_value: `p` after Holm's correction over the claim's data sets; None without a test.
        num_leaning: The number of seeds whose differences have the outcome's sign.
        reason: Why it is open or only leans.
    """

    pair: Pair
    outcome: Outcome
    p_value: float | None = None
    num_leaning: int = 0
    reason: Reason | None = None

    @property
    def text(self) -> str:
        """The verdict in a few words."""
        return _text(self.outcome, [self])


@dataclasses.dataclass(frozen=True)
class Judgement:
    """What runs say about a claim on all of its data sets."""

    datasets: tuple[OnDataset, ...]

    @property
    def run(self) -> tuple[OnDataset, ...]:
        """The data sets on which both methods were run."""
        return tuple(each for each in self.datasets if each.outcome is not Outcome.NOT_RUN)

    @property
    def outcome(self) -> Outcome:
        """The verdict on all data sets together."""
        found = [each.outcome for each in self.run]
        if not found:
            return Outcome.NOT_RUN
        if len(set(found)) == 1:
            return found[0]
        if Outcome.HOLDS in found:
            return Outcome.MIXED if Outcome.FAILS in found else Outcome.HOLDS_ON_SOME
        return Outcome.FAILS_ON_SOME if Outcome.FAILS in found else Outcome.OPEN

    @property
    def is_tested(self) -> bool:
        """Whether a test was made on any data set."""
        return any(each.p_value is not None for each in self.datasets)

    @property
    def text(self) -> str:
        """The verdict in a few words, with the numbers of data sets or of seeds."""
        outcome, run = self.outcome, self.run
        if outcome in (Outcome.HOLDS_ON_SOME, Outcome.FAILS_ON_SOME):
            same = Outcome.HOLDS if outcome is Outcome.HOLDS_ON_SOME else Outcome.FAILS
            count = sum(each.outcome is same for each in run)
            return f"{same.value} on {count} of {len(run)}"
        return _text(outcome, run)

    @property
    def pooled(self) -> tuple[float, tuple[float, float] | None] | None:
        """The pooled difference in standard deviations, and its t interval over the seeds.

        None if a data set has none, or if no seed is common to all.
        """
        scaled = [each.pair.scaled() for each in self.run]
        by_seed = [of_dataset for of_dataset in scaled if of_dataset is not None]
        if not by_seed or len(by_seed) < len(scaled):
            return None
        seeds = sorted(set.intersection(*map(set, by_seed)))
        means = [float(np.mean([of_dataset[seed] for of_dataset in by_seed])) for seed in seeds]
        return (float(np.mean(means)), t_interval(means)) if means else None


def judge(pairs: Iterable[Pair], *, is_equal: bool = False) -> Judgement:
    """Judges whether one method is better than another, or equal, on each data set of a claim."""
    pairs = list(pairs)
    tested = (pair.p_value(is_equal=is_equal) for pair in pairs if pair.can_be_tested)
    p_values = iter(holm([*tested]))
    return Judgement(
        tuple(
            _tested(pair, next(p_values), is_equal=is_equal)
            if pair.can_be_tested
            else _not_tested(pair, is_equal=is_equal)
            for pair in pairs
        )
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns Holm's adjusted `p` of several tests: each is at most its test's level by chance.

    The `i`-th smallest of `m`, counted from 1, becomes the largest of the first `i` products
    `(m − j + 1) p_j`, and at most 1. Source: Holm, A simple sequentially rejective multiple test
    procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    found = np.asarray(p_values, np.float64)
    order = np.argsort(found)
    adjusted = np.empty_like(found)
    adjusted[order] = np.maximum.accumulate(found[order] * np.arange(len(found), 0, -1))
    return [float(p_value) for p_value in np.minimum(adjusted, 1.0)]


def _tested(pair: Pair, p_value: float, *, is_equal: bool) -> OnDataset:
    assert pair.mean is not None and pair.interval is not None
    if max(map(abs, pair.interval)) <= pair.margin_here:
        outcome = Outcome.HOLDS if is_equal else Outcome.NO_DIFFERENCE
        return OnDataset(pair, outcome, p_value)
    if p_value > 1 - CONFIDENCE:
        return OnDataset(pair, Outcome.OPEN, p_value, reason=Reason.NOISE)
    holds = not is_equal and pair.mean > 0
    return OnDataset(pair, Outcome.HOLDS if holds else Outcome.FAILS, p_value)


def _not_tested(pair: Pair, *, is_equal: bool) -> OnDataset:
    if pair.missing is not None:
        return OnDataset(pair, Outcome.NOT_RUN)
    if pair.mean is None:
        return OnDataset(pair, Outcome.OPEN, reason=Reason.NO_PAIR)
    if pair.barred is not None:
        return OnDataset(pair, Outcome.OPEN, reason=pair.barred)
    if len(pair.undecided) == len(pair.better):
        return OnDataset(pair, Outcome.OPEN, reason=Reason.NOT_REACHED)
    reason = Reason.NOT_REACHED if len(pair.better) >= FEWEST_SEEDS else Reason.FEW_SEEDS
    margin = pair.margin_here if is_equal else _ROUNDING
    if is_equal:
        leans_for = abs(pair.mean) <= margin
        seeds = [(abs(value) <= margin) is leans_for for value in pair.differences.values()]
    elif abs(pair.mean) <= margin:
        return OnDataset(pair, Outcome.OPEN, reason=reason)
    else:
        leans_for = pair.mean > 0
        sign = 1.0 if leans_for else -1.0
        seeds = [sign * value > margin for value in pair.differences.values()]
    outcome = Outcome.LEANS_FOR if leans_for else Outcome.LEANS_AGAINST
    return OnDataset(pair, outcome, num_leaning=sum(seeds), reason=reason)


def _text(outcome: Outcome, run: Sequence[OnDataset]) -> str:
    if outcome in (Outcome.LEANS_FOR, Outcome.LEANS_AGAINST):
        num_seeds = sum(len(each.pair.better) for each in run)
        noun = "seed" if num_seeds == 1 else "seeds"
        on = f" on {len(run)} data sets" if len(run) > 1 else ""
        return f"{outcome.value} ({sum(e.num_leaning for e in run)} of {num_seeds} {noun}{on})"
    if outcome is Outcome.OPEN:
        named = dict.fromkeys(each.reason.value for each in run if each.reason is not None)
        return f"{outcome.value}: {', '.join(named)}"
    return outcome.value


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
