"""Numbers of a finished run that are not in its result: how long it took to get somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd

from experiments.artifacts import Metric
from experiments.configuration import RunConfiguration
from experiments.costs import seconds_per_round
from experiments.run_directory import RunDirectory

# Compilation is behind it by then.
_FIRST_TIMED_ROUND = 4
_BYTES_PER_KILOBYTE = _KILOBYTES_PER_MEGABYTE = 1e3
_EVALUATION_PREFIX = "evaluation/"
_POOLED_COLUMN = "evaluation/test_weighted_average"
_ALARM_COLUMN = "aggregator/cohort/weighting/alarm"


def derived_results(
    configuration: RunConfiguration,
    directory: RunDirectory,
    *,
    targets: Sequence[float] = (),
    metrics_shown: Iterable[Metric] = (),
) -> dict[str, float]:
    """Reads a finished run's tables.

    Args:
        configuration: The run.
        directory: Its files.
        targets: Accuracies on the pooled test examples, in percent.
        metrics_shown: Of these, the ones with a round are read in that round's row.

    Returns:
        `seconds_per_round`, the median of the training times after compilation; and for each
        target `T` `rounds_to_T`, the first round whose pooled test accuracy reaches it, and
        `megabytes_to_T`, what the cohorts sent and received until then, both not a number where
        no round does, and `paper_megabytes_to_T`, the same by the protocol of the algorithm's own
        paper; `kilobytes_down`, `kilobytes_up`, `paper_kilobytes_down` and `paper_kilobytes_up`,
        what each client receives and sends per round here and in that paper; for each metric with a
        round its `result_key`, not a number where that round was not evaluated; and `alarms`, how
        many rounds an audit undid.
    """
    metrics = pd.read_csv(directory.metrics, float_precision="round_trip")
    derived = {
        "seconds_per_round": seconds_per_round(directory.timings, first_round=_FIRST_TIMED_ROUND),
        "alarms": float(metrics.get(_ALARM_COLUMN, pd.Series([0.0])).sum()),
    }
    last = metrics.iloc[-1]
    sent = {
        f"{protocol}kilobytes_{way}": float(last.get(f"{protocol}bytes_{way}_per_client", math.nan))
        / _BYTES_PER_KILOBYTE
        for protocol in ("", "paper_")
        for way in ("down", "up")
    }
    derived.update(sent)
    for target in targets:
        reached = metrics[metrics[_POOLED_COLUMN] >= target]["round"]
        rounds = float(reached.iloc[0]) if len(reached) else math.nan
        derived[f"rounds_to_{target:g}"] = rounds
        for protocol in ("", "paper_"):
            kilobytes = sent[f"{protocol}kilobytes_down"] + sent[f"{protocol}kilobytes_up"]
            derived[f"{protocol}megabytes_to_{target:g}"] = (
                rounds * configuration.clients_per_round * kilobytes / _KILOBYTES_PER_MEGABYTE
            )
    for metric in metrics_shown:
        if metric.in_round is not None:
            row = metrics[metrics["round"] == metric.in_round]
            values = row[_EVALUATION_PREFIX + metric.key]
            derived[metric.result_key] = float(values.iloc[0]) if len(values) else math.nan
    return derived
