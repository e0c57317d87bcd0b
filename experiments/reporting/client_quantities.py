"""One number per client of a finished run, by name: what scatters and correlations are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.runs.record import RunRecord

_REPORTS = "aggregator/cohort/reports/"
_OF_AGGREGATOR = _REPORTS + "client_index"
_OF_CLIENT_WORK = "client_work/client_index"

# Columns of `clients.csv`, and what makes percent of those that are shares.
_TABLE: Mapping[str, float] = {
    "label_entropy": 1.0,
    "num_train": 1.0,
    "num_test": 1.0,
    "train_accuracy": 100.0,
    "test_accuracy": 100.0,
}

# Means over the rounds in which a client took part: the column with a number per participant, and
# the one that says who they are, in the same order.
_MEANS: Mapping[str, tuple[str, str]] = {
    "mean_projection": (_REPORTS + "projection_on_mean", _OF_AGGREGATOR),
    "mean_angle": (_REPORTS + "angle_to_mean", _OF_AGGREGATOR),
    "mean_gradient_distance": (_REPORTS + "gradient_distance_to_mean", _OF_AGGREGATOR),
    "mean_loss_before": (_REPORTS + "loss_before", _OF_AGGREGATOR),
    "mean_weight": ("aggregator/cohort/weights", _OF_AGGREGATOR),
    "mean_num_steps": ("client_work/num_steps", _OF_CLIENT_WORK),
}

# The same, each number divided by the mean of its round: updates become shorter over the rounds.
_RELATIVE: Mapping[str, str] = {"mean_relative_projection": "mean_projection"}

NAMES = (*_TABLE, *_MEANS, *_RELATIVE, "participations")


def client_quantity(record: RunRecord, name: str) -> pd.Series:
    """Returns one number per client of a run.

    Args:
        record: The run.
        name: One of `NAMES`. `label_entropy` is that of the training labels in nats, `num_train`
            and `num_test` are numbers of examples, `train_accuracy` and `test_accuracy` those of
            the final global model in percent. What begins with `mean_` is the client's mean over
            the rounds it took part in: of its `projection` on the mean update (the length of a
            vector of weights), its `angle` to it in radians, its `gradient_distance`, its `weight`,
            its loss before training, and its number of steps; of `relative_projection`, its
            projection over the mean one of the round's cohort, so that a client whose rounds are
            early ones has no longer projections for that. `participations` is the number of these
            rounds.

    Returns:
        The numbers by client index, increasing, float64; clients without one are not there, as
        those that were not evaluated, or never took part.

    Raises:
        ValueError: If the name is unknown.
        KeyError: If the run has not measured it.
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {NAMES}, got {name!r}")
    if name in _TABLE and name in record.clients:
        numbers = _TABLE[name] * record.clients[name].reset_index(drop=True)
    elif name == "label_entropy":  # Which clients report, where the weighting asks for it.
        numbers = _by_client(record, _REPORTS + name, _OF_AGGREGATOR).mean()
    elif name in _RELATIVE:
        numbers = _by_client(record, *_MEANS[_RELATIVE[name]], is_relative=True).mean()
    elif name in _MEANS:
        numbers = _by_client(record, *_MEANS[name]).mean()
    else:
        numbers = _by_client(record, _OF_AGGREGATOR, _OF_AGGREGATOR).count()
    return numbers.astype(np.float64).dropna().rename(name).rename_axis("client_index")


def column_of(name: str) -> str:
    """Returns the column with a number per participant that a mean over the rounds is made of.

    Args:
        name: One of `NAMES` that begins with `mean_`.
    """
    return _MEANS[_RELATIVE.get(name, name)][0]


def _by_client(
    record: RunRecord, column: str, index_column: str, *, is_relative: bool = False
) -> pd.core.groupby.SeriesGroupBy:
    rows = record.rounds.dropna(subset=[column, index_column])
    numbers, indices = (
        [np.array(json.loads(str(cell)), np.float64) for cell in rows[name]]
        for name in (column, index_column)
    )
    if is_relative:
        # The mean of a cohort's projections on its mean update is 0 only where all of them are.
        numbers = [of_round / (np.mean(of_round) or 1.0) for of_round in numbers]
    return pd.Series(_joined(numbers)).groupby(_joined(indices).astype(np.int64))


def _joined(parts: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    return np.concatenate(parts) if parts else np.zeros(0)
