"""Rounds in which the model did not change, clients that were left out, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from experiments.runs.configuration import RunConfiguration
from tff_weights.cohort.cohort_table import REASONS

NEVER_CHANGED = "model_never_changed"
UNCHANGED = "rounds_without_change"
LEFT_OUT = "clients_left_out"
_COHORT = "aggregator/cohort/"
_WEIGHTS, _NOTHING = "weights_not_finite", "adds_nothing"

# Reasons of single dropped clients; the others concern the whole round.
_WHY = {
    "unknown_client": "an index that {algorithm} does not know, which begin at 0",
    "no_examples": "no training examples",
    "update_not_finite": "an update that was not finite, with the model {model} at the learning "
    "rate {learning_rate:g}",
    "report_not_finite": "a report to {algorithm} that was not finite",
    "report_negative": "a negative number in the report, such as a loss, for which the weights of "
    "{algorithm} are not defined",
}
_WHY_OF_ALL = {
    **{reason: f"every client had {text}" for reason, text in _WHY.items()},
    _WEIGHTS: "the weights of {algorithm} were not finite",
    _NOTHING: "what the clients sent added up to nothing",
}


def facts(rounds: pd.DataFrame) -> dict[str, int]:
    """Counts what was not trained; `rounds` has a row per round with the columns of `metrics.csv`.

    The result is empty if everything was trained. Otherwise `rounds_without_change` counts the
    rounds in which the model did not change although the algorithm would have changed it, and
    `clients_left_out` how often a client of a cohort was left out. Both are also counted by
    reason, as in `rounds_without_change/update_not_finite`. `model_never_changed` is True if no
    round changed the model: such a run shows nothing.
    """
    trained = rounds[rounds["round"] > 0]

    def column(name: str) -> pd.Series:
        found = trained.get(_COHORT + name)
        return pd.Series(0, trained.index) if found is None else found.fillna(0).astype(int)

    left_out = pd.DataFrame({reason: column(f"left_out/{reason}") for reason in REASONS})
    nobody = (column("num_participants") == 0) & (left_out.sum(axis=1) > 0)
    why = pd.Series(
        np.select(
            [column(_WEIGHTS) > 0, nobody, column(_NOTHING) > 0],
            [_WEIGHTS, left_out.idxmax(axis=1), _NOTHING],
            "",
        ),
        trained.index,
    )
    unchanged = {reason: int((why == reason).sum()) for reason in _WHY_OF_ALL}
    counts = {reason: int(left_out[reason].sum()) for reason in REASONS}
    found = {**_counted(UNCHANGED, unchanged), **_counted(LEFT_OUT, counts)}
    if found.get(UNCHANGED) == len(trained):
        found[NEVER_CHANGED] = True
    return found


def _counted(name: str, by_reason: Mapping[str, int]) -> dict[str, int]:
    found = {f"{name}/{reason}": count for reason, count in by_reason.items() if count}
    return {name: sum(found.values()), **found} if found else {}


def sentences(configuration: RunConfiguration, result: Mapping[str, Any]) -> list[str]:
    """Says what was not trained, and why, from a result with the findings of `facts`."""
    names = vars(configuration)
    said = []
    if UNCHANGED in result:
        # A run with a target may have ended before.
        of_all = "" if configuration.target_accuracy else f" of {configuration.rounds:,}"
        rounds = f"{result[UNCHANGED]:,}{of_all} rounds"
        why = _reasons(result, UNCHANGED, _WHY_OF_ALL, names)
        said.append(f"In {rounds} the model did not change: {why}.")
    if LEFT_OUT in result:
        why = _reasons(result, LEFT_OUT, _WHY, names)
        said.append(f"{result[LEFT_OUT]:,} times a client was left out of its round, for {why}.")
    return said


def _reasons(
    result: Mapping[str, Any], name: str, texts: Mapping[str, str], names: Mapping[str, Any]
) -> str:
    counts = {reason: result.get(f"{name}/{reason}", 0) for reason in texts}
    found = {texts[reason].format(**names): count for reason, count in counts.items() if count}
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{text} ({count:,})" for text, count in found.items())
