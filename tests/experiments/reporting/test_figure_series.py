from __future__ import annotations

import math

import pandas as pd
import pytest
from records import record

from experiments.reporting.figures import series


def _record(**columns):
    made = record()
    made.rounds["round"] = [0, 1, 2]
    for name, values in columns.items():
        made.rounds[name.replace("__", "/")] = values
    return made


def test_a_column_that_is_not_there_is_empty():
    assert series.by_client(_record(), "loss").empty


def test_clients_are_found_by_the_nearest_index():
    made = _record(
        aggregator__cohort__reports__client_index=[None, "[0, 1]", "[0, 1]"],
        client_work__client_index=[None, "[5, 7]", "[7, 9]"],
        client_work__num_steps=[None, "[2, 3]", "[4, 6]"],
        aggregator__cohort__weights=[None, "[0.5, 0.5]", "[0.1, 0.9]"],
    )
    steps = series.by_client(made, "client_work/num_steps")
    assert list(steps.columns) == [5, 7, 9]
    assert list(steps[7]) == [3, 4]
    assert math.isnan(steps[5][2]) and steps[9][2] == 6
    weights = series.by_client(made, "aggregator/cohort/weights")
    assert list(weights.columns) == [0, 1]


def test_participants_that_are_not_named_are_an_error():
    with pytest.raises(ValueError, match="weights: the run does not say who"):
        series.by_client(_record(weights=[None, "[1]", "[1]"]), "weights")


def test_over_seeds_is_the_mean_and_the_sample_deviation():
    mean, deviation = series.over_seeds([pd.Series([1.0, 2.0]), pd.Series([3.0, 2.0])])
    assert list(mean) == [2.0, 2.0]
    assert list(deviation) == pytest.approx([math.sqrt(2), 0.0])
    _, alone = series.over_seeds([pd.Series([1.0])])
    assert list(alone) == [0.0]
