from __future__ import annotations

import dataclasses
import json

import pytest
from small_cases import result

from benchmarks.results import HEADER
from benchmarks.targets import Quantity, Target


def test_the_value_is_the_median_of_the_pairs():
    measured = result("builders/mlr")
    assert measured.values == (8.0, 5.0, 6.0)
    assert measured.value == 6.0  # The ratio of the medians would be 8.
    assert (measured.agrees, measured.is_met) == (True, False)


def test_a_row_has_its_columns_below_the_header():
    row = result("builders/mlr").row()
    assert " ".join(row.split()) == (
        "builders/mlr 1.000 1.000 8.000 1.000 6.00 x as fast (5.00 - 8.00) 500 300 agree 3e-08 "
        ">= 20 x as fast: NOT MET"
    )
    for column, entry in (
        ("case", "builders/mlr"),
        ("median (from - to)", "6.00"),
        ("models", "agree"),
        ("target", ">="),
    ):
        assert row.index(entry) == HEADER.index(column)


def test_a_target_that_is_met():
    measured = result("algorithms/fed_fa", ours=(1.1, 1.1), theirs=(1.0, 1.0), difference=None)
    assert measured.agrees is None
    assert measured.row().endswith("-            <= 1.15 x as long: met")


def test_models_that_differ():
    measured = result("builders/mlr", difference=0.2)
    assert measured.agrees is False
    assert " DIFFER 2e-01 " in measured.row()


@pytest.mark.parametrize("difference", [float("nan"), float("inf")])
def test_models_that_nobody_can_compare_differ(difference):
    assert result("builders/mlr", difference=difference).agrees is False


def test_seconds_stand_alone():
    row = result("evaluation/mnist", ours=(0.1, 0.3), theirs=(), difference=None).row()
    assert " ".join(row.split()) == (
        "evaluation/mnist 0.200 1.000 - - 0.20 s (0.10 - 0.30) 500 300 - <= 0.2 s: met"
    )


def test_without_a_limit_nothing_is_judged():
    measured = result("cohort/10")
    assert measured.is_met is None
    assert measured.row().endswith(" -")


def test_numbers_are_json():
    measured = result("cohort/30")
    numbers = json.loads(json.dumps(measured.numbers()))
    assert numbers["case"] == "cohort/30"
    assert numbers["size"] == 30
    assert numbers["subject"]["rounds"] == [1.0, 2.0, 1.0]
    assert (numbers["value"], numbers["quantity"]) == (6.0, "x as fast")
    assert (numbers["limit"], numbers["is_met"], numbers["agrees"]) == (None, None, True)


def test_the_quantity_is_the_cases():
    measured = result("builders/mlr", ours=(2.0,), theirs=(1.0,))
    longer = dataclasses.replace(measured.case, target=Target(Quantity.TIMES_AS_LONG, 3.0))
    measured = dataclasses.replace(measured, case=longer)
    assert (measured.value, measured.is_met) == (2.0, True)
