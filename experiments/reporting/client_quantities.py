"""One number per client of a finished run, by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from experiments.runs.record import RunRecord

# Columns of `clients.csv`, and what makes percent of those that are shares.
_TABLE: Mapping[str, float] = {"label_entropy": 1.0, "num_train": 1.0, "test_accuracy": 100.0}


def client_quantity(record: RunRecord, name: str) -> pd.Series:
    """Returns one number per client of a run.

    Args:
        record: The run.
        name: `label_entropy`, in nats, `num_train`, or `test_accuracy`, in percent.

    Returns:
        The numbers by client index, float64; clients without one are not there.

    Raises:
        ValueError: If the name is unknown.
        KeyError: If the run has not measured it.
    """
    if name not in _TABLE:
        raise ValueError(f"client quantity must be one of {', '.join(_TABLE)}, got {name!r}")
    values = record.clients[name].reset_index(drop=True).astype(np.float64)
    return values.dropna() * _TABLE[name]
