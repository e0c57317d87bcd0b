"""Numbers of a finished run that are not in its result: how long it took to get somewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from experiments.configuration import RunConfiguration
from experiments.costs import seconds_per_round
from experiments.run_directory import RunDirectory

# Compilation is behind it by then.
_FIRST_TIMED_ROUND = 4
_BYTES_PER_MEGABYTE = 1e6
_AVERAGE_COLUMN = "evaluation/test_average"
_POOLED_COLUMN = "evaluation/test_weighted_average"
_ALARM_COLUMN = "aggregator/cohort/weighting/alarm"


def derived_results(
    configuration: RunConfiguration,
    directory: RunDirectory,
    *,
    targets: Sequence[float] = (),
    rounds_shown: Sequence[int] = (),
) -> dict[str, float]:
    """Reads a finished run's tables.

    Args:
        configuration: The run.
        directory: Its files.
        targets: Accuracies on the pooled test examples, in percent.
        rounds_shown: Rounds whose average accuracy is wanted.

    Returns:
        `seconds_per_round`, the median of the training times after compilation; and for each
        target `T` `rounds_to_T`, the first round whose pooled test accuracy reaches it, and
        `megabytes_to_T`, what the cohorts sent and received until then, both not a number where
        no round does; for each round `R` shown `average_in_round_R`, in percent, not a number where
        the run has not as many; and `alarms`, how many rounds an audit undid.
    """
    metrics = pd.read_csv(directory.metrics)
    derived = {
        "seconds_per_round": seconds_per_round(directory.timings, first_round=_FIRST_TIMED_ROUND),
        "alarms": float(metrics.get(_ALARM_COLUMN, pd.Series([0.0])).sum()),
    }
    for round_number in rounds_shown:
        row = metrics[metrics["round"] == round_number]
        derived[f"average_in_round_{round_number}"] = (
            float(row[_AVERAGE_COLUMN].iloc[0]) if len(row) else math.nan
        )
    bytes_per_round = configuration.clients_per_round * (
        metrics["bytes_down_per_client"].iloc[-1] + metrics["bytes_up_per_client"].iloc[-1]
    )
    for target in targets:
        reached = metrics[metrics[_POOLED_COLUMN] >= target]["round"]
        rounds = float(reached.iloc[0]) if len(reached) else math.nan
        derived[f"rounds_to_{target:g}"] = rounds
        derived[f"megabytes_to_{target:g}"] = rounds * bytes_per_round / _BYTES_PER_MEGABYTE
    return derived
