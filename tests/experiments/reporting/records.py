"""Finished runs as tests make them up."""

from __future__ import annotations

import json

import pandas as pd

from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import resolve
from experiments.runs.record import RunRecord

RUN = resolve(RunConfiguration("fed_avg", "synthetic_1_1", rounds=2, learning_rate=0.1))


def record(result=None, rounds=None, clients=None, *, run=RUN, columns=None, **fields):
    """A run; what is evaluated in a round is given as `{round: {name: value}}`.

    Or columns with a cell for each round from 0 on are; a list is of the round's participants.
    """
    rows = [
        {"round": number, **{f"evaluation/{name}": value for name, value in row.items()}}
        for number, row in (rounds or {}).items()
    ]
    table = pd.DataFrame(rows, columns=None if rows else ["round"])
    if columns:
        cells = {
            name: [json.dumps(cell) if isinstance(cell, list) else cell for cell in column]
            for name, column in columns.items()
        }
        table = pd.DataFrame(cells).rename_axis("round").reset_index()
    return RunRecord(
        run,
        result or {},
        rounds=table,
        seconds=None,
        clients=pd.DataFrame(clients or {"client_id": [], "test_accuracy": []}),
        **fields,
    )
