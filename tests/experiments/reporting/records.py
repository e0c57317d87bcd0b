"""Finished runs as tests make them up."""

from __future__ import annotations

import pandas as pd

from experiments.runs.configuration import RunConfiguration
from experiments.runs.record import RunRecord

CONFIGURATION = RunConfiguration("fed_avg", "synthetic_1_1", rounds=2, learning_rate=0.1)


def record(result=None, rounds=None, clients=None, configuration=CONFIGURATION, data_origin=None):
    """A run; what is evaluated in a round is given as `{round: {name: value}}`."""
    rows = [
        {"round": number, **{f"evaluation/{name}": value for name, value in row.items()}}
        for number, row in (rounds or {}).items()
    ]
    return RunRecord(
        configuration,
        result or {},
        rounds=pd.DataFrame(rows, columns=None if rows else ["round"]),
        seconds=None,
        clients=pd.DataFrame(clients or {"client_id": [], "test_accuracy": []}),
        data_origin=data_origin,
    )
