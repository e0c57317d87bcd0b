"""What a run's clients hold, and how they fare: beside each other, and beside being alone."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from experiments.declaration import Metric
from experiments.reporting.metrics.definition import (
    FIVE_PER_CENT,
    FIVE_POINTS,
    POINTS,
    Definition,
)
from experiments.runs.record import RunRecord

_TAIL_FRACTION = 0.2
_PERCENT = 100.0


def weighted_variance(record: RunRecord, metric: Metric, other: RunRecord | None = None) -> float:
    """Returns `Σ n_i (a_i − ā)² / Σ n_i` in percentage points squared, `ā = Σ n_i a_i / Σ n_i`.

    The variance of FedFa's tables counts every client once; here clients count by their numbers of
    test examples, so that accuracies of a handful of examples do not make it large.

    Args:
        record: The run; `a_i` and `n_i` are its clients' test accuracies and numbers of test
            examples after the last round.
        metric: Not a number for any round but the last.
        other: Not used.
    """
    clients = _evaluated(record)
    if clients.empty or not _is_of_last_round(record, metric):
        return math.nan
    accuracies, counts = _PERCENT * clients["test_accuracy"], clients["num_test"]
    mean = np.average(accuracies, weights=counts)
    return float(np.average((accuracies - mean) ** 2, weights=counts))


def gains(record: RunRecord, other: RunRecord | None) -> pd.Series:
    """Returns how much better each client fares in one run than in another.

    Args:
        record: A run.
        other: Another on the same data, such as of clients that were trained alone.

    Returns:
        The differences of the test accuracies after the last round in percentage points, by client
        id, of the clients that were evaluated in both; none where there is no other run.
    """
    if other is None:
        return pd.Series(dtype=np.float64)
    ours, theirs = (
        _evaluated(run).set_index("client_id")["test_accuracy"] for run in (record, other)
    )
    return _PERCENT * (ours - theirs).dropna()


def _evaluated(record: RunRecord) -> pd.DataFrame:
    return record.clients.dropna(subset=["test_accuracy"])


def _is_of_last_round(record: RunRecord, metric: Metric) -> bool:
    """Only of the last round it is known how each client fares."""
    return metric.in_round in (None, record.configuration.rounds)


def _samples(record: RunRecord) -> pd.Series:
    """Of all clients; none where a table has rows of the evaluated ones alone."""
    clients = record.clients
    if "label_entropy" not in clients:
        return pd.Series(dtype=np.float64)
    return clients["num_train"] + clients["num_test"]


def _of_samples(
    record: RunRecord,
    metric: Metric,
    other: RunRecord | None,
    *,
    measure: Callable[[pd.Series], float],
) -> float:
    samples = _samples(record)
    return math.nan if samples.empty else float(measure(samples))


def _of_gains(
    record: RunRecord,
    metric: Metric,
    other: RunRecord | None,
    *,
    measure: Callable[[pd.Series], float],
) -> float:
    of_clients = gains(record, other)
    if of_clients.empty or not _is_of_last_round(record, metric):
        return math.nan
    return float(measure(of_clients))


def _worst_20(of_clients: pd.Series) -> float:
    """The mean of the `⌊0.2·N⌋` lowest, of at least one, as of the accuracies."""
    tail = max(1, int(_TAIL_FRACTION * len(of_clients)))
    return float(of_clients.nsmallest(tail).mean())


METRICS: Mapping[str, Definition] = {
    "num_clients": Definition(functools.partial(_of_samples, measure=len)),
    "num_samples": Definition(functools.partial(_of_samples, measure=pd.Series.sum)),
    "mean_samples_per_client": Definition(functools.partial(_of_samples, measure=pd.Series.mean)),
    # The population's, as in `leaf_data.statistics`.
    "stdev_samples_per_client": Definition(
        functools.partial(_of_samples, measure=functools.partial(pd.Series.std, ddof=0))
    ),
    "weighted_variance": Definition(weighted_variance, FIVE_PER_CENT),
    "share_better": Definition(
        functools.partial(_of_gains, measure=lambda x: _PERCENT * (x > 0).mean()), FIVE_POINTS
    ),
    "share_worse": Definition(
        functools.partial(_of_gains, measure=lambda x: _PERCENT * (x < 0).mean()), FIVE_POINTS
    ),
    "mean_gain": Definition(functools.partial(_of_gains, measure=pd.Series.mean), POINTS),
    "worst_20_gain": Definition(functools.partial(_of_gains, measure=_worst_20), POINTS),
}
