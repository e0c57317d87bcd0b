"""One number per client of a finished run, by name, for scatter plots and correlations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from experiments.runs.record import CLIENT_INDEX, RunRecord

_REPORTS = "aggregator/cohort/reports/"

# The mean of a column with a number per participant, over the rounds in which a client took part.
COLUMNS: Mapping[str, str] = {
    "mean_projection": _REPORTS + "projection_on_mean",
    "mean_relative_projection": _REPORTS + "projection_on_mean",
    "mean_angle": _REPORTS + "angle_to_mean",
    # For runs whose table of clients lacks it.
    "label_entropy": _REPORTS + "label_entropy",
}
NAMES = ("test_accuracy", *COLUMNS)


def client_quantity(record: RunRecord, name: str) -> pd.Series:
    """Returns one number per client of a run.

    Args:
        record: The run.
        name: One of `NAMES`. `label_entropy` is of the training labels, in nats;
            `test_accuracy` is the final global model's, in percent. `mean_projection` and
            `mean_angle` are means over the client's rounds. A projection is the update's on the
            mean update, in the weights' units. An angle is between the two, in radians.
            `mean_relative_projection` divides each projection by the mean of its round, since
            updates become shorter over the rounds.

    Returns:
        float64 numbers by increasing client index, for clients that have one. There are none if the
        run has not measured the quantity.

    Raises:
        ValueError: If the name is unknown.
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {NAMES}, got {name!r}")
    if name in record.clients:
        numbers = record.clients[name].reset_index(drop=True)
        numbers = 100.0 * numbers if name == "test_accuracy" else numbers
    else:
        by_client = record.by_client(COLUMNS.get(name, ""))
        if name == "mean_relative_projection":
            # Projections on a cohort's mean update have mean 0 only where all of them are 0.
            of_round = by_client.mean(axis="columns").replace(0.0, 1.0)
            by_client = by_client.div(of_round, axis="index")
        numbers = by_client.mean()
    return numbers.astype(np.float64).dropna().rename(name).rename_axis(CLIENT_INDEX)
