"""Whether one method is better than another, paired by seed: the one rule of every verdict.

`templates/results.md.jinja` says it for readers of the results.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterable, Sequence

import numpy as np

from experiments.reporting.pairs import CONFIDENCE, FEWEST_SEEDS, ROUNDING, Pair, Reason, t_interval


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
        pairs = [each.pair for each in self.run]
        by_unit = [(unit, pair) for pair in pairs if (unit := pair.unit) is not None]
        if not by_unit or len(by_unit) < len(pairs):
            return None
        seeds = sorted(set.intersection(*(set(pair.better) for pair in pairs)))
        means = [
            float(np.mean([pair.differences[seed] / unit for unit, pair in by_unit]))
            for seed in seeds
        ]
        least = math.hypot(*(pair.least_deviation / unit for unit, pair in by_unit)) / len(pairs)
        return (float(np.mean(means)), t_interval(means, least_deviation=least)) if means else None


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
    if pair.interval is not None and max(map(abs, pair.interval)) <= pair.margin_here:
        outcome = Outcome.HOLDS if is_equal else Outcome.NO_DIFFERENCE
        return OnDataset(pair, outcome, p_value)
    if p_value > 1 - CONFIDENCE:
        if pair.censored:
            return dataclasses.replace(_not_tested(pair, is_equal=is_equal), p_value=p_value)
        return OnDataset(pair, Outcome.OPEN, p_value, reason=Reason.NOISE)
    values = np.array([*pair.differences.values()])
    # As the tests have it: of a missed target only signs are known.
    holds = not is_equal and (np.sign(values).sum() if pair.censored else values.mean()) > 0
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
    margin = pair.margin_here if is_equal else ROUNDING
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
