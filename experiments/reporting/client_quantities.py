"""One number per client of a finished run, by name: what scatters and correlations are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd

from experiments.runs.record import RunRecord

_REPORTS = "aggregator/cohort/reports/"
_CLIENT_INDEX = _REPORTS + "client_index"

# Means over the rounds in which a client took part, of a column with a number per participant.
_COLUMNS: Mapping[str, str] = {
    "mean_projection": _REPORTS + "projection_on_mean",
    "mean_relative_projection": _REPORTS + "projection_on_mean",
    "mean_angle": _REPORTS + "angle_to_mean",
    # Of runs whose table of clients does not have it.
    "label_entropy": _REPORTS + "label_entropy",
}
NAMES = ("test_accuracy", *_COLUMNS)


def client_quantity(record: RunRecord, name: str) -> pd.Series:
    """Returns one number per client of a run.

    Args:
        record: The run.
        name: One of `NAMES`. `label_entropy` is of the training labels, in nats;
            `test_accuracy` is the final global model's, in percent. `mean_projection` and
            `mean_angle` are means over the client's rounds. A projection is the update's on the
            mean update, in weights' units; an angle is between the two, in radians.
            `mean_relative_projection` divides each projection by the mean of its round, since
            updates become shorter over the rounds.

    Returns:
        The numbers by client index, increasing, float64; clients without one are not there, as
        those that were not evaluated, or never took part.

    Raises:
        ValueError: If the name is unknown.
        KeyError: If the run has not measured it.
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {NAMES}, got {name!r}")
    if name in record.clients:
        numbers = record.clients[name].reset_index(drop=True)
        numbers = 100.0 * numbers if name == "test_accuracy" else numbers
    else:
        rows = record.rounds.dropna(subset=[_COLUMNS[name], _CLIENT_INDEX])
        values, clients = (
            rows[column].map(lambda cell: json.loads(str(cell)))
            for column in (_COLUMNS[name], _CLIENT_INDEX)
        )
        if name == "mean_relative_projection":
            # Projections on a cohort's mean update have mean 0 only where all of them are 0.
            values = values.map(lambda cell: list(np.array(cell) / (np.mean(cell) or 1.0)))
        by_client = clients.explode().to_numpy(np.int64)
        numbers = pd.Series(values.explode().to_numpy(np.float64)).groupby(by_client).mean()
    return numbers.astype(np.float64).dropna().rename(name).rename_axis("client_index")


def column_of(name: str) -> str:
    """Returns the column with a number per participant that a mean over the rounds is made of."""
    return _COLUMNS[name]
