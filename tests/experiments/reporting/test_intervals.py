from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from experiments.reporting.intervals import CONFIDENCE, rounding_deviation, t_interval


def test_the_interval_is_students():
    """Of 1, 2, 3: mean 2, standard error 1/√3; t is 4.30265 for 2 degrees of freedom."""
    half_width = 4.30265 / math.sqrt(3)
    assert t_interval([1.0, 2.0, 3.0]) == pytest.approx((2 - half_width, 2 + half_width), rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_its_ends_are_where_students_test_has_the_other_share(seed):
    values = np.random.default_rng(seed).normal(size=2 + seed)
    p_values = [stats.ttest_1samp(values, end).pvalue for end in t_interval(values)]
    assert p_values == pytest.approx([1 - CONFIDENCE] * 2)


@pytest.mark.parametrize("values", [[], [1.0]])
def test_fewer_than_two_numbers_have_none(values):
    assert t_interval(values, least_deviation=1.0) is None


def test_equal_numbers_that_are_not_rounded_have_one_of_no_width():
    assert t_interval([0.1] * 3) == (0.1, 0.1)


def test_numbers_that_agree_because_they_are_rounded_show_no_certainty():
    """Of 20 and 20, each the difference of two multiples of 5.

    Rounding to multiples of 5 has the deviation 5/√12, that of a difference is √2 times as large,
    5/√6; t is 12.7062 for 1 degree of freedom, and ± 12.7062 · 5/√6 / √2 = 18.340.
    """
    interval = t_interval([20.0, 20.0], least_deviation=rounding_deviation(5.0, 5.0))
    assert interval == pytest.approx((20 - 18.340, 20 + 18.340), abs=1e-3)


def test_a_wider_spread_than_that_of_rounding_stands():
    values = [20.0, 25.0]
    assert t_interval(values, least_deviation=rounding_deviation(5.0, 5.0)) == t_interval(values)


def test_rounding_spreads_a_difference_as_far_as_a_simulation_says():
    random = np.random.default_rng(0)
    first, second = random.uniform(0, 1000, size=(2, 200_000))
    error = (np.ceil(first / 5) * 5 - np.ceil(second)) - (first - second)
    assert rounding_deviation(5.0, 1.0) == pytest.approx(np.std(error), rel=0.01)
    assert rounding_deviation() == rounding_deviation(0.0, 0.0) == 0.0
