"""How a run's clients fare, compared with each other and with training alone."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from experiments.reporting.metrics.definition import (
    FIVE_POINTS,
    POINTS,
    Definition,
    Inputs,
    Measure,
)
from tff_weights import client_statistics

_PERCENT = 100.0


def gains(inputs: Inputs) -> pd.Series:
    """Returns how much better each client fares than in the other run, by client id.

    These are the differences of the test accuracies after the last round, in percentage points, for
    clients that both runs evaluated. For another round, or without another run, there are none.
    """
    if inputs.other is None or inputs.metric.in_round not in (None, inputs.record.num_rounds):
        return pd.Series(dtype=np.float64)
    ours, theirs = (
        run.clients.set_index("client_id")["test_accuracy"] for run in (inputs.record, inputs.other)
    )
    return _PERCENT * (ours - theirs).dropna()


def _samples(inputs: Inputs) -> pd.Series:
    """Covers all clients; empty if a table has rows of the evaluated clients only."""
    clients = inputs.record.clients
    if "label_entropy" not in clients:
        return pd.Series(dtype=np.float64)
    return clients["num_train"] + clients["num_test"]


def _statistic(
    numbers: Callable[[Inputs], pd.Series], statistic: Callable[[pd.Series], float]
) -> Measure:
    """Returns what measures a statistic of the clients' numbers."""

    def measured(inputs: Inputs) -> float:
        of_clients = numbers(inputs)
        return math.nan if of_clients.empty else float(statistic(of_clients))

    return measured


METRICS: Mapping[str, Definition] = {
    "num_clients": Definition(_statistic(_samples, len)),
    "num_samples": Definition(_statistic(_samples, pd.Series.sum)),
    "mean_samples_per_client": Definition(_statistic(_samples, pd.Series.mean)),
    # The population's, as in `leaf_data.statistics`.
    "stdev_samples_per_client": Definition(
        _statistic(_samples, functools.partial(pd.Series.std, ddof=0))
    ),
    "share_better": Definition(_statistic(gains, lambda x: _PERCENT * (x > 0).mean()), FIVE_POINTS),
    "share_worse": Definition(_statistic(gains, lambda x: _PERCENT * (x < 0).mean()), FIVE_POINTS),
    "mean_gain": Definition(_statistic(gains, pd.Series.mean), POINTS),
    "worst_20_gain": Definition(_statistic(gains, lambda x: client_statistics(x).worst_20), POINTS),
}
