"""The record of a finished run, read from its files."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.runs.committed import Files
from experiments.runs.configure import ResolvedRun, read_run
from experiments.runs.environment import read_environment
from experiments.runs.files import TextFile
from experiments.runs.resource_use import RunSeconds

EVALUATION_PREFIX = "evaluation/"
POOLED_ACCURACY = EVALUATION_PREFIX + "test_weighted_average"
CLIENT_INDEX = "client_index"


@dataclasses.dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Attributes:
        result: The metrics of the evaluation after the last round, by name.
        rounds: A row per round, with `round` and the columns of `metrics.csv`. Those of the
            evaluation begin with `evaluation/`; the last round always has them. A column with a
            number per participant holds a list as text.
        seconds: What the run took; None where it was not measured.
        clients: A row per client of the data set, with the columns that `results.Results` names.
            An older run may have rows of the evaluated clients alone, and neither `client_index`
            nor `label_entropy`.
        data_origin: The source of the raw data; None if there is only one, or if it is not
            recorded.
        data_fingerprint: The same for the same data alone; None if it is not recorded.
    """

    resolved: ResolvedRun
    result: Mapping[str, Any]
    rounds: pd.DataFrame
    seconds: RunSeconds | None
    clients: pd.DataFrame
    data_origin: str | None = None
    data_fingerprint: str | None = None

    @property
    def num_rounds(self) -> int:
        """The rounds of training."""
        configured = self.resolved.configuration
        return configured.rounds if configured.target_accuracy is None else last_round(self.rounds)

    @property
    def ended_early(self) -> bool:
        """Whether a target accuracy ended it before its last round."""
        return self.num_rounds < self.resolved.configuration.rounds

    def evaluation(self, name: str, *, in_round: int | None = None) -> float:
        """Returns a number of the evaluation after a round, the last one if none is given.

        It is NaN if that round was not evaluated.

        Raises:
            ValueError: If there is no such number; its column has the prefix before the name.
        """
        if in_round is None:
            if name not in self.result:
                raise ValueError(f"the run's result has no {name}")
            return float(self.result[name])
        values = self.column(EVALUATION_PREFIX + name).set_axis(self.rounds["round"])
        return float(values.get(in_round, math.nan))

    def column(self, name: str) -> pd.Series:
        """Returns a column of the rounds; raises a `ValueError` if there is none of this name."""
        if name not in self.rounds:
            raise ValueError(f"the run's rounds have no column {name}")
        return self.rounds[name]

    def over_rounds(self, column: str) -> pd.Series:
        """Returns float64 numbers by the rounds, increasing, that have one.

        For a column with a number per participant these are means; without such a column it is
        empty.
        """
        if column not in self.rounds:
            return pd.Series(dtype=np.float64)
        cells = self.rounds.set_index("round")[column].dropna()
        return cells.map(_mean).astype(np.float64).dropna()

    def per_participant(self, column: str) -> list[npt.NDArray[np.float64]]:
        """Returns, for each round of training, the numbers of its participants.

        Raises:
            ValueError: If there is no such column.
        """
        texts = self.column(column).dropna()
        return [np.asarray(json.loads(text), np.float64) for text in texts]

    def by_client(self, column: str) -> pd.DataFrame:
        """Returns a row per round and a column per client; NaN for a client that took no part.

        The participants of a column are those in the `client_index` column that shares the longest
        part of its path. It is empty without such a column.

        Raises:
            ValueError: If the run has the column, but not who the participants were.
        """
        if column not in self.rounds:
            return pd.DataFrame()
        path = column.split("/")
        who = max(
            (name for name in self.rounds if name.split("/")[-1] == CLIENT_INDEX),
            key=lambda name: len(os.path.commonprefix([name.split("/"), path])),
            default=None,
        )
        if who is None:
            raise ValueError(f"{column}: the run does not say who the participants were")
        rows = self.rounds[["round", column, who]].dropna()
        by_round = {
            number: dict(zip(json.loads(clients), json.loads(values)))
            for number, values, clients in rows.itertuples(index=False)
        }
        return pd.DataFrame(by_round).T.sort_index(axis="columns")


def last_round(rounds: pd.DataFrame) -> int:
    """Returns the last round in a table of rounds."""
    return int(rounds["round"].iloc[-1])


def read_record(files: Files) -> RunRecord:
    """Reads a finished run.

    Raises:
        ValueError: If there is none, it is not finished, or it is damaged.
    """
    result = files.read_result()
    if result is None:
        raise ValueError(f"{files.path} holds no finished run")
    recorded = read_environment(files.environment)
    return RunRecord(
        read_run(files.configuration.read_text()),
        result,
        rounds=_with_last_evaluation(_read(files.metrics), result),
        seconds=files.read_seconds(),
        # Ids are text, even if they look like numbers or missing values.
        clients=_read(files.clients, converters={"client_id": str}),
        data_origin=recorded.get("data_origin"),
        data_fingerprint=recorded.get("data_fingerprint"),
    )


def _with_last_evaluation(rounds: pd.DataFrame, result: Mapping[str, Any]) -> pd.DataFrame:
    """Puts the evaluation after the last round into its row, if no evaluation fell on that round.

    Every run is evaluated after its last round. Otherwise a target or a best accuracy in the last
    round would be missed if the number of rounds is no multiple of `rounds_per_evaluation`.
    """
    evaluated = {f"{EVALUATION_PREFIX}{name}": value for name, value in result.items()}
    last = {column: evaluated[column] for column in rounds.columns if column in evaluated}
    if last and len(rounds) and rounds.iloc[-1][list(last)].isna().all():
        rounds.loc[rounds.index[-1], list(last)] = list(last.values())
    return rounds


def _mean(cell: Any) -> float:
    numbers = json.loads(cell) if isinstance(cell, str) else cell
    return float(np.mean(numbers)) if np.size(numbers) else math.nan


def _read(table: TextFile, **options: Any) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(table.read_text()), float_precision="round_trip", **options)
