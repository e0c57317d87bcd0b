from __future__ import annotations

import io
import math

import pandas as pd
import pytest

from experiments.declaration import Claim, Metric
from experiments.reporting import csv_tables
from experiments.reporting.claims import ClaimVerdict, DatasetVerdict
from experiments.reporting.comparison import Cell, Table

_METRIC = Metric("test_average", "average %", "average", in_round=5)
_TABLES = [
    Table(
        "even",
        5,
        (_METRIC,),
        (
            Cell("even", "A", _METRIC, 55.0, {1: 58.0, 2: 62.0}),
            Cell("even", "best", _METRIC, 50.0, {2: 61.5}, chosen="B"),
        ),
    )
]


def test_a_row_per_cell():
    table = pd.read_csv(io.StringIO(csv_tables.cells_csv(_TABLES, seeds=(1, 2))))
    a, best = table.to_dict("records")
    assert (a["dataset"], a["round"], a["method"], a["metric"]) == ("even", 5, "A", "average %")
    assert (a["paper"], a["mean"], a["difference"]) == (55.0, 60.0, 5.0)
    assert a["standard_deviation"] == pytest.approx(math.sqrt(8))
    assert (a["seed_1"], a["seed_2"]) == (58.0, 62.0)
    assert best["chosen"] == "B"
    assert math.isnan(best["seed_1"]) and best["seed_2"] == 61.5
    assert not table["has_collapsed"].any()


def test_what_is_not_shown_of_a_data_set_has_no_row():
    of_odd = Metric("test_variance", "variance", datasets=("odd",))
    (table,) = _TABLES
    more = (*table.cells, Cell("even", "A", of_odd, None, {}))
    with_more = Table("even", 5, (_METRIC, of_odd), more)
    expected = csv_tables.cells_csv(_TABLES, seeds=(1, 2))
    assert csv_tables.cells_csv([with_more], seeds=(1, 2)) == expected


def test_a_row_per_claim():
    (row,) = pd.read_csv(io.StringIO(csv_tables.verdicts_csv(_TABLES))).to_dict("records")
    assert (row["better_in_paper"], row["worse_in_paper"]) == ("A", "best")
    assert (row["round"], row["paper_margin"], row["mean_margin"]) == (5, 5.0, 0.5)
    assert (row["num_seeds"], row["verdict"]) == (1, "holds")
    assert math.isnan(row["interval_low"])


def test_the_last_round_has_no_number_and_nothing_run_is_a_header():
    last = Metric("test_average", "average %")
    table = Table("even", None, (last,), (Cell("even", "A", last, None, {1: 1.0}),))
    (row,) = pd.read_csv(io.StringIO(csv_tables.cells_csv([table], seeds=(1,)))).to_dict("records")
    assert math.isnan(row["round"])
    assert csv_tables.verdicts_csv([table]).startswith("dataset,round,metric,")
    assert len(csv_tables.verdicts_csv([table]).splitlines()) == 1


def test_a_row_per_stated_claim_and_data_set():
    claim = Claim(
        "toy/c", "A is better", "Table 9", "toy/t", _METRIC, "A", reference=10.0, worse=None
    )
    even = DatasetVerdict("even", {1: 12.0, 2: 12.0}, {1: 10.0, 2: 10.0})
    verdict = ClaimVerdict(claim, (even, DatasetVerdict("odd", missing="not run: A")))
    table = pd.read_csv(io.StringIO(csv_tables.claims_csv([verdict])))
    first, second = table.to_dict("records")
    assert (first["claim"], first["outcome"], first["dataset"]) == ("toy/c", "in part", "even")
    assert (first["outcome_on_dataset"], first["worse"], first["num_seeds"]) == (
        "confirmed",
        10.0,
        2,
    )
    assert (first["mean_difference"], first["interval_low"], first["bootstrap_high"]) == (2, 2, 2)
    assert first["probability_of_improvement"] == 1.0
    assert (second["outcome_on_dataset"], second["reason"]) == ("undecided", "not run: A")
    assert math.isnan(second["mean_difference"])
