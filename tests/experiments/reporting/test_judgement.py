"""Tests of `experiments.reporting.judgement`.

Most use the differences 1, 2, 3, 4, 5: mean 3, deviation √2.5, standard error √0.5 = 0.7071. So
t = 4.2426 with 4 degrees of freedom, p = 0.01324, and the interval is 3 ± 2.7764 · 0.7071, which is
3 ± 1.9632.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.reporting.judgement import Outcome, judge
from experiments.reporting.metrics.definition import Margin
from experiments.reporting.pairs import Pair, Reason, rounding_deviation, t_interval

_POINTS = Margin(0.5)
_RAMP = (1.0, 2.0, 3.0, 4.0, 5.0)
_NEAR = (0.1, -0.1, 0.2, 0.0, 0.05)  # 0.05 ± 0.14.
_NOISE = (-8.0, 9.0, -7.0, 8.0, 1.0)


def _pair(differences, *, worse=50.0, margin=_POINTS, **fields):
    seeds = range(1, len(differences) + 1)
    return Pair(
        "iid",
        dict(zip(seeds, (worse + difference for difference in differences))),
        dict.fromkeys(seeds, worse),
        margin=margin,
        **fields,
    )


def _on_one(differences, *, is_equal=False, **fields):
    (found,) = judge([_pair(differences, **fields)], is_equal=is_equal).datasets
    return found


_SEEDS = st.lists(st.floats(-20.0, 20.0), min_size=5, max_size=9).filter(lambda x: np.ptp(x) > 0.1)


@given(st.lists(_SEEDS, min_size=1, max_size=4))
def test_against_scipy(differences):
    """Closed testing: Holm's `p` is the largest `|S| min p` of the sets `S` with this data set."""
    found = judge(map(_pair, differences)).datasets
    tests = [stats.ttest_1samp(each, 0.0) for each in differences]
    places = range(len(tests))
    sets = [s for n in places for s in itertools.combinations(places, n + 1)]
    for place, each in enumerate(found):
        of_sets = (len(s) * min(tests[i].pvalue for i in s) for s in sets if place in s)
        assert each.p_value == pytest.approx(min(1.0, max(of_sets)), rel=1e-6, abs=1e-9)
        ends = stats.ttest_1samp(np.c_[differences[place]], each.pair.interval).pvalue
        assert ends == pytest.approx(0.05, rel=1e-4)
        assert each.pair.mean == pytest.approx(np.mean(differences[place]))


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [
        (_RAMP, Outcome.HOLDS),
        ([-each for each in _RAMP], Outcome.FAILS),
        (_NEAR, Outcome.NO_DIFFERENCE),
        (_NOISE, Outcome.OPEN),
        ((0.0,) * 5, Outcome.NO_DIFFERENCE),
        ((2.0,) * 5, Outcome.HOLDS),  # No spread at all.
    ],
)
def test_five_seeds_decide(differences, outcome):
    assert _on_one(differences).outcome is outcome
    assert _on_one([-each for each in differences], smaller_is_better=True).outcome is outcome


@pytest.mark.parametrize(
    ("margin", "outcome"),
    [
        (Margin(0.5), Outcome.FAILS),  # (3 − 0.5)/0.7071 = 3.54, p = 0.0241
        (Margin(1.0), Outcome.FAILS),  # 2.83, p = 0.0474
        (Margin(1.2), Outcome.OPEN),  # 2.55, p = 0.0636
        (Margin(5.0), Outcome.HOLDS),  # The interval ends at 4.96.
        (Margin(0.1, is_relative=True), Outcome.HOLDS),  # A tenth of 50 is 5, too.
    ],
)
def test_methods_are_equal_inside_the_margin_and_differ_beyond_it(margin, outcome):
    assert _on_one(_RAMP, margin=margin, is_equal=True).outcome is outcome


@pytest.mark.parametrize(
    ("differences", "text"),
    [
        ([3.0], "leans for (1 of 1 seed)"),
        ([3.0, 2.0, -1.0], "leans for (2 of 3 seeds)"),
        ([-3.0, 2.0, -1.0, -1.0], "leans against (3 of 4 seeds)"),
        ([0.0, 0.0], "open: few seeds"),
        ([2.0, -2.0], "open: few seeds"),
    ],
)
def test_fewer_seeds_only_lean(differences, text):
    found = _on_one(differences)
    assert (found.text, found.p_value) == (text, None)


def test_missed_targets_have_no_interval_and_the_signs_of_six_seeds_decide():
    """With the fifth seed the other method missed its target."""
    found = _on_one(_RAMP, censored=frozenset({5}))
    assert (found.pair.interval, found.p_value) == (None, None)
    assert (found.text, found.reason) == ("leans for (5 of 5 seeds)", Reason.NOT_REACHED)
    for last, text, p_value in ((6.0, "holds", 2), (-9.0, "leans for (5 of 6 seeds)", 14)):
        found = _on_one((*_RAMP, last), censored=frozenset({5}))
        assert (found.text, found.p_value) == (text, p_value / 2**6)
    ahead, neither = range(1, 8), frozenset(range(8, 16))
    found = _on_one((*ahead, *[0.0] * 8), censored=neither, undecided=neither)
    assert (found.text, found.p_value) == ("holds", 2 / 2**7)
    both = frozenset({1, 2})
    assert _on_one([0.0, 0.0], censored=both, undecided=both).text == "open: target not reached"


def test_what_was_not_run_is_not_counted():
    missing = Pair("mnist", missing="not run: FedAvg")
    assert judge([missing]).outcome is Outcome.NOT_RUN
    assert judge([]).outcome is Outcome.NOT_RUN
    assert judge([missing, _pair(_RAMP)]).text == "holds"
    assert judge([Pair("mnist")]).text == "open: no seed that both have a number for"


_UP, _DOWN, _SAME, _OPEN = (
    _pair(differences) for differences in ((9.0, 9.1, 9.2, 9.3, 9.4), [-9.0] * 5, _NEAR, _NOISE)
)
_LEANS, _LEANS_BACK = _pair([1.0, 2.0]), _pair([-1.0, 2.0, -4.0])


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ((_UP, _UP), "holds"),
        ((_UP, _OPEN, _UP), "holds on 2 of 3"),
        ((_UP, _DOWN, _OPEN), "mixed"),
        ((_DOWN, _SAME, _LEANS), "fails on 1 of 3"),
        ((_SAME, _SAME), "no difference"),
        ((_OPEN, _LEANS), "open: noise, few seeds"),
        ((_LEANS, _LEANS), "leans for (4 of 4 seeds on 2 data sets)"),
        ((_LEANS, _LEANS_BACK), "open: few seeds"),
    ],
)
def test_all_data_sets_together(pairs, text):
    assert judge(pairs).text == text


def test_the_pooled_difference_by_hand():
    """In units of √((2 + 2)/2) and of √((8 + 0)/2): ½(0.7071 + 1) and ½(0.7071 + 3).

    Mean 1.3536, deviation 0.7071, standard error 0.5; t is 12.7062 for one degree of freedom.
    """
    iid = Pair("iid", {1: 1.0, 2: 3.0}, {1: 0.0, 2: 2.0})
    mnist = Pair("mnist", {1: 4.0, 2: 8.0}, {1: 2.0, 2: 2.0})
    mean, interval = judge([iid, mnist]).pooled
    expected = (1.3536, 1.3536 - 6.3531, 1.3536 + 6.3531)
    assert (mean, *interval) == pytest.approx(expected, abs=1e-3)
    mean, interval = judge([dataclasses.replace(iid, least_deviation=1.0)]).pooled  # Its 1/√2.
    assert interval == pytest.approx((mean - 6.3531, mean + 6.3531), abs=1e-3)
    no_deviation = Pair("iid", {1: 1.0, 2: 1.0}, {1: 0.0, 2: 0.0})
    a_missed_target = [_pair(_RAMP), _pair(_RAMP, censored=frozenset({1}))]
    collapsed = [_pair(_RAMP), _pair(_RAMP, barred=Reason.COLLAPSED)]
    for pairs in ([no_deviation], a_missed_target, collapsed, [_pair([1.0])]):
        assert judge(pairs).pooled is None
    of_reference = dataclasses.replace(mnist, has_reference=True)  # Units of √8.
    assert judge([of_reference]).pooled[0] == pytest.approx(4 / math.sqrt(8))


@pytest.mark.parametrize(("seeds", "half_width"), [(2, 3.6680), (3, 1.0142)])
def test_seeds_that_agree_on_rounds_are_not_certain(seeds, half_width):
    """Rounds 1 and 3 with every seed: the rounding's deviation is √(2/12) = 0.40825.

    t · 0.40825 / √n = 12.7062 · 0.40825 / √2 = 3.668, and 4.30265 · 0.40825 / √3 = 1.0142.
    """
    deviation = rounding_deviation(1.0, 1.0)
    assert deviation == pytest.approx(0.40825, abs=1e-5)
    assert (t_interval([1.0]), t_interval([0.1, 0.1, 0.1])) == (None, (0.1, 0.1))
    found = _pair([2.0] * seeds, least_deviation=deviation).interval
    assert found == pytest.approx((2 - half_width, 2 + half_width), abs=1e-4)


def test_a_bootstrap_needs_ten_seeds():
    values = np.random.default_rng(1).normal(1.0, 1.0, 10)
    assert _pair(values[:9]).bootstrap_interval is None
    found = _pair(values)
    low, high = found.bootstrap_interval
    assert min(values) <= low < found.mean < high <= max(values)
    assert found.bootstrap_interval == (low, high)  # The same resamples each time.
