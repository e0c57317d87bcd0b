from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from experiments.runs.configure import configure
from experiments.runs.record import RunRecord
from experiments.runs.resource_use import RunSeconds
from experiments.runs.verification import Difference, differences, sentence

_NAN = math.nan


def _record():
    """Two rounds, the first without participants, and two clients."""
    return RunRecord(
        resolved=configure("fed_avg", "synthetic_1_1", {"rounds": 1}),
        result={"test_average": 50.0},
        rounds=pd.DataFrame(
            {
                "round": [0, 1],
                "loss": [2.0, 1.0],
                "infinite": math.inf,
                "weights": [_NAN, "[0.25, NaN]"],
            }
        ),
        seconds=RunSeconds(6.0, 0.0, 3.0, 0.0),
        clients=pd.DataFrame(
            {"client_id": ["a", "b"], "train_accuracy": [0.5, _NAN], "test_accuracy": [1.0, 0.5]}
        ),
    )


def _with(record, table, column, row, cell):
    changed = getattr(record, table).copy()
    changed.loc[row, column] = cell
    return dataclasses.replace(record, **{table: changed})


def test_a_run_is_equal_to_itself_and_however_long_it_took():
    """And whatever columns the committed run has not kept."""
    record = _record()
    slower = dataclasses.replace(record, seconds=RunSeconds(8.0, 0.0, 4.0, 0.0))
    assert differences(slower, record) == []
    assert sentence([]) == "equal to the last digit"
    kept = dataclasses.replace(record, rounds=record.rounds[["round", "loss"]])
    assert differences(_with(record, "rounds", "weights", 1, "[0.75, NaN]"), kept) == []


def test_the_largest_difference_comes_first():
    """Of 1 and 1 + 2^-52, the next number after it, and of 0.25 and 0.5, a half of 0.5."""
    record = _record()
    ours = _with(record, "rounds", "loss", 1, np.nextafter(1.0, 2.0))
    ours = _with(ours, "rounds", "weights", 1, "[0.5, NaN]")
    found = differences(ours, record)
    assert found == [Difference("weights", 0.5, 1), Difference("loss", 2**-52 / (1 + 2**-52), 1)]
    assert sentence(found) == "differs from round 1 on in 2 quantities, most in weights, by 5.0e-01"


@pytest.mark.parametrize(
    ("table", "column", "row", "cell", "expected"),
    [
        ("rounds", "loss", 0, -2.0, Difference("loss", 2.0, 0)),
        ("rounds", "infinite", 0, -math.inf, Difference("infinite", math.inf, 0)),
        ("rounds", "loss", 0, _NAN, Difference("loss", math.inf, 0)),
        ("rounds", "weights", 1, "[0.25, 0.1]", Difference("weights", math.inf, 1)),
        ("clients", "test_accuracy", 1, 1.0, Difference("clients' test_accuracy", 0.5)),
    ],
)
def test_one_number_that_is_another_is_found_in_either_run(table, column, row, cell, expected):
    record = _record()
    other = _with(record, table, column, row, cell)
    assert differences(other, record) == [expected]
    assert differences(record, other) == [expected]


def test_what_is_missing_differs():
    record = _record()
    shorter = dataclasses.replace(record, rounds=record.rounds.iloc[:1])
    assert Difference("loss", math.inf, 1) in differences(shorter, record)
    without = dataclasses.replace(record, rounds=record.rounds.drop(columns="loss"))
    assert differences(without, record) == [Difference("loss", math.inf, 0)]
    fewer = dataclasses.replace(record, clients=record.clients.iloc[:1])
    assert differences(fewer, record) == [Difference("clients' test_accuracy", math.inf)]
    found = differences(dataclasses.replace(record, result={}), record)
    assert found == [Difference("result's test_average", math.inf)]
    assert sentence(found).startswith(
        "differs after the last round in 1 quantity, most in result's"
    )
