from __future__ import annotations

import asyncio
import json
import math

import numpy as np
import pandas as pd
import pytest
from made_runs import write_run

from experiments.runs.configure import configure
from experiments.runs.record import RunRecord, read_record
from experiments.runs.release import RoundsTable

_RUN = configure("fed_avg", "synthetic_1_1", {"rounds": 2})


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([3.0, math.nan, 1.0], {0: 3.0, 2: 1.0}),
        # Of a number per participant the mean; of a round without any, nothing.
        ([None, "[1, 2]", "[]"], {1: 1.5}),
        (["[Infinity, 1.0]", "[NaN, 0.5]", "[-Infinity, 1]"], {0: math.inf, 2: -math.inf}),
    ],
)
def test_a_column_is_one_number_a_round(cells, numbers):
    empty, rounds = pd.DataFrame(), pd.DataFrame({"round": [0, 1, 2], "column": cells})
    record = RunRecord(_RUN, {}, rounds, empty, empty)
    values = record.over_rounds("column")
    assert dict(values) == numbers
    assert values.dtype == float
    assert record.over_rounds("a column that is not there").empty


@pytest.mark.parametrize(("last_cell", "expected"), [("", 75.0), ("70.5", 70.5)])
def test_the_last_round_is_evaluated_in_any_case(tmp_path, last_cell, expected):
    """Of three rounds evaluated after every second one the third has the result's 75 %."""
    directory = write_run(tmp_path, _RUN.with_settings(rounds=3, rounds_per_evaluation=2), 75.0)
    table = f"round,loss,evaluation/test_average\n0,,10.0\n2,0.5,60.5\n3,0.25,{last_cell}\n"
    directory.metrics.write_text(table)
    directory.finish(json.loads(directory.result.read_text()))
    record = read_record(directory)
    assert dict(record.over_rounds("evaluation/test_average")) == {0: 10.0, 2: 60.5, 3: expected}
    assert dict(record.over_rounds("loss")) == {2: 0.5, 3: 0.25}
    assert record.evaluation("test_average", in_round=3) == expected


def test_numbers_that_are_not_finite_are_read_as_they_were_written(tmp_path):
    """And every client's id is text, while other columns may lack a number."""
    directory = write_run(tmp_path, _RUN, 75.0)
    directory.metrics.unlink()
    table, weights = RoundsTable(directory.metrics), np.array([math.nan, 0.5, -math.inf])
    for number, row in ((0, {"seen": True}), (2, {"seen": False, "reports": {"weights": weights}})):
        asyncio.run(table.release(row, number))
    directory.clients.write_text("client_id,test_loss\nNA,\n,0.5\n")
    directory.finish(json.loads(directory.result.read_text()))
    assert directory.metrics.read_text().endswith('\n2,False,"[NaN, 0.5, -Infinity]"\n')
    record = read_record(directory)
    np.testing.assert_array_equal(record.per_participant("reports/weights"), [weights])
    assert list(record.clients["client_id"]) == ["NA", ""]
    np.testing.assert_array_equal(record.clients["test_loss"], [math.nan, 0.5])
