from __future__ import annotations

import pytest

from benchmarks.targets import Quantity, Target


@pytest.mark.parametrize(
    ("quantity", "met", "missed", "text"),
    [
        (Quantity.TIMES_AS_FAST, 2.0, 1.9, ">= 2 x as fast"),
        (Quantity.TIMES_AS_LONG, 2.0, 2.1, "<= 2 x as long"),
        (Quantity.SECONDS, 2.0, 2.1, "<= 2 s"),
    ],
)
def test_fast_is_at_least_and_slow_at_most(quantity, met, missed, text):
    target = Target(quantity, 2.0)
    assert target.is_met(met) is True
    assert target.is_met(missed) is False
    assert str(target) == text


def test_without_a_limit_nothing_is_judged():
    assert Target(Quantity.SECONDS).is_met(1e9) is None
    assert str(Target(Quantity.SECONDS)) == "-"


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_limit_is_positive(limit):
    with pytest.raises(ValueError, match="limit must be a number > 0"):
        Target(Quantity.SECONDS, limit)
