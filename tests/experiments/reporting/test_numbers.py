from __future__ import annotations

import math

import pytest

from experiments.declaration import Metric
from experiments.reporting.comparison import Cell
from experiments.reporting.judgement import Pair
from experiments.reporting.numbers import cell_text, difference_text, notes, number, signed

_AVERAGE = Metric("test_average", "average %")


@pytest.mark.parametrize(
    ("value", "decimals", "text", "with_sign"),
    [
        (1234.567, 2, "1,234.57", "+1,234.57"),
        (-0.004, 2, "0.00", "0.00"),
        (-1.5, 1, "−1.5", "−1.5"),
        (3.0, 0, "3", "+3"),
    ],
)
def test_a_number_has_its_decimals_and_no_minus_before_nothing(value, decimals, text, with_sign):
    assert (number(value, decimals), signed(value, decimals)) == (text, with_sign)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell("iid", "A", _AVERAGE, 55.0, {1: 58.0, 2: 62.0}), "60.00 ± 2.83 (55.00)"),
        (Cell("iid", "A", _AVERAGE, None, {1: 58.0}), "58.00"),
        (Cell("iid", "A", _AVERAGE, None, {1: 58.0, 2: math.nan}), "58.00 (1 of 2 seeds)"),
        (Cell("iid", "A", _AVERAGE, None, {1: 5.0}, has_collapsed=True), "5.00*"),
        (Cell("iid", "A", _AVERAGE, None, {1: 5.0}, unchanged=frozenset({1})), "5.00†"),
        (Cell("iid", "A", _AVERAGE, 55.0, {}), "not run (55.00)"),
        (
            Cell("iid", "A", Metric("rounds_to", "", parameter=9.0), None, {1: math.nan}),
            "not reached",
        ),
    ],
)
def test_a_cell(cell, text):
    assert cell_text(cell) == text


@pytest.mark.parametrize(
    ("cells", "marks"),
    [
        ([Cell("iid", "A", _AVERAGE, None, {1: 5.0})], ""),
        ([Cell("iid", "A", _AVERAGE, None, {1: 5.0}, has_collapsed=True)], "*"),
        ([Cell("iid", "A", _AVERAGE, None, {1: 5.0}, unchanged=frozenset({1}))], "†"),
        (
            [
                Cell("iid", "A", _AVERAGE, None, {1: 5.0}, unchanged=frozenset({1})),
                Cell("iid", "B", _AVERAGE, None, {1: 1.0}, has_collapsed=True),
            ],
            "*†",
        ),
    ],
)
def test_each_mark_has_a_note(cells, marks):
    assert "".join(note[0] for note in notes(cells)) == marks


def test_a_difference_with_its_interval_as_far_as_there_is_one():
    """5 ± 12.7062 · 1 for two seeds."""
    two = Pair("iid", {1: 54.0, 2: 56.0}, {1: 50.0, 2: 50.0})
    assert difference_text(two, _AVERAGE) == "+5.00 [−7.71, 17.71]"
    assert difference_text(Pair("iid", {1: 54.0}, {1: 50.0}), _AVERAGE) == "+4.00"
    assert difference_text(Pair("iid"), _AVERAGE) == "–"
