from __future__ import annotations

import dataclasses
import math

import pytest

from experiments.declaration import Metric
from experiments.reporting.comparison import Cell
from experiments.reporting.numbers import (
    cell_legend,
    cell_text,
    difference_text,
    notes,
    number,
    seeds_text,
    signed,
)
from experiments.reporting.pairs import Pair

_AVERAGE = Metric("test_average", "average %")


def test_a_number_has_its_decimals_and_no_minus_before_nothing():
    assert (number(1234.567, 2), signed(1234.567, 2)) == ("1,234.57", "+1,234.57")
    assert (number(-0.004, 2), signed(-1.5, 1)) == ("0.00", "−1.5")


@pytest.mark.parametrize(
    ("seeds", "text"),
    [([3, 3], "seed 3"), ([2, 1], "seeds 1, 2"), ([7, 1, 3, 2, 9, 10], "seeds 1 to 3, 7, 9, 10")],
)
def test_seeds_in_a_row_are_one_part(seeds, text):
    assert seeds_text(seeds) == text


def _cell(values, paper=None, metric=_AVERAGE, **marks):
    return Cell("iid", "A", metric, paper, values, **marks)


_COLLAPSED = _cell({1: 5.0}, has_collapsed=True)
_UNCHANGED = _cell({1: 5.0}, unchanged=frozenset({1}))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (_cell({1: 58.0, 2: 62.0}, 55.0), "60.00 ± 2.83 (55.00)"),
        (_cell({1: 58.0}), "58.00"),
        (_cell({1: 58.0, 2: math.nan}), "58.00 (1 of 2 seeds)"),
        (_COLLAPSED, "5.00*"),
        (_UNCHANGED, "5.00†"),
        (_cell({}, 55.0), "not run (55.00)"),
        (_cell({1: math.nan}, metric=Metric("rounds_to", "", parameter=9.0)), "not reached"),
    ],
)
def test_a_cell(cell, text):
    assert cell_text(cell) == text


def test_the_legend_says_if_rows_differ_in_their_seeds():
    two, other = _cell({1: 5.0, 2: 6.0}), dataclasses.replace(_cell({1: 5.0}), method="B")
    assert cell_legend([_cell({1: 5.0})]) == "one seed"
    assert cell_legend([two]) == "mean ± standard deviation over 2 seeds"
    assert cell_legend([two, other]).endswith("2 seeds, or over as many as a row names")


def test_each_mark_has_a_note():
    assert [note[0] for note in notes([_UNCHANGED, _cell({1: 5.0}), _COLLAPSED])] == ["*", "†"]
    assert notes([_cell({1: 5.0})]) == []


def test_a_difference_with_its_interval_as_far_as_there_is_one():
    """5 ± 12.7062 · 1 for two seeds."""
    two = Pair("iid", {1: 54.0, 2: 56.0}, {1: 50.0, 2: 50.0})
    assert difference_text(two, _AVERAGE) == "+5.00 [−7.71, 17.71]"
    assert difference_text(Pair("iid", {1: 54.0}, {1: 50.0}), _AVERAGE) == "+4.00"
    assert difference_text(Pair("iid"), _AVERAGE) == "–"
