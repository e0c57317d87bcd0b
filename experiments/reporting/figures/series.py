"""A run's tables as series over the rounds: one number a round, or one for each client."""

from __future__ import annotations

import json

import pandas as pd

from experiments.runs.record import RunRecord

_CLIENT_INDEX = "client_index"


def by_client(record: RunRecord, column: str) -> pd.DataFrame:
    """Returns a row per round and a column per client; not a number where one took no part.

    Args:
        record: The run.
        column: A column with a number per participant. Who they are stands in the `client_index`
            that shares the longest part of its path with it.

    Returns:
        Empty where the run has no such column.

    Raises:
        ValueError: If the run has the column, but not who the participants were.
    """
    rounds = record.rounds
    if column not in rounds:
        return pd.DataFrame()
    who = _client_index_of(column, list(rounds.columns))
    rows = rounds[["round", column, who]].dropna()
    return pd.DataFrame(
        {
            number: dict(zip(json.loads(str(clients)), json.loads(str(values))))
            for number, values, clients in rows.itertuples(index=False)
        }
    ).T.sort_index(axis="columns")


def over_seeds(series: list[pd.Series]) -> tuple[pd.Series, pd.Series]:
    """Returns the mean over the seeds, and the sample standard deviation, 0 for one seed."""
    table = pd.concat(series, axis="columns")
    return table.mean(axis="columns"), table.std(axis="columns").fillna(0.0)


def _client_index_of(column: str, columns: list[str]) -> str:
    path = column.split("/")

    def shared(other: str) -> int:
        parts = zip(path, other.split("/"))
        return next((n for n, (ours, theirs) in enumerate(parts) if ours != theirs), len(path))

    candidates = [name for name in columns if name.split("/")[-1] == _CLIENT_INDEX]
    if not candidates:
        raise ValueError(f"{column}: the run does not say who the participants were")
    return max(candidates, key=shared)
