from __future__ import annotations

import math

import pandas as pd
import pytest

from experiments.runs.configuration import RunConfiguration
from experiments.runs.record import RunRecord

_CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=2, learning_rate=0.1)


def _record(**columns):
    empty = pd.DataFrame()
    return RunRecord(
        _CONFIGURATION, {}, pd.DataFrame({"round": [0, 1, 2], **columns}), empty, empty
    )


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([3.0, math.nan, 1.0], {0: 3.0, 2: 1.0}),
        ([3, 2, 1], {0: 3.0, 1: 2.0, 2: 1.0}),
        # Of a number per participant the mean; of a round without any, nothing.
        ([None, "[1, 2]", "[]"], {1: 1.5}),
        ([None, "[1.0, 3.0]", "[2.0, 4.0, 9.0]"], {1: 2.0, 2: 5.0}),
    ],
)
def test_a_column_is_one_number_a_round(cells, numbers):
    values = _record(column=cells).over_rounds("column")
    assert dict(values) == numbers
    assert values.dtype == float


def test_a_column_that_is_not_there_is_empty():
    assert _record().over_rounds("loss").empty
