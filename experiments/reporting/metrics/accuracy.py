"""How far a run got, how long it took to get somewhere, and how much it swings."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from experiments.reporting.metrics.definition import (
    FIVE_PER_CENT,
    PER_CENT,
    POINTS,
    Definition,
    Inputs,
)
from experiments.runs.record import EVALUATION_PREFIX, POOLED_ACCURACY, RunRecord


def _evaluated(inputs: Inputs) -> pd.Series:
    """The pooled test accuracy in percent of each evaluated round, up to the metric's round."""
    record = inputs.record
    accuracies = record.column(POOLED_ACCURACY).set_axis(record.rounds["round"]).dropna()
    last = inputs.metric.in_round
    return accuracies if last is None else accuracies[accuracies.index <= last]


def _other(inputs: Inputs) -> RunRecord:
    if inputs.other is None:
        raise ValueError(f"metric {inputs.metric.key}: compared_with must name a variant, got None")
    return inputs.other


def rounds_to(inputs: Inputs) -> float:
    """Returns the first round whose pooled test accuracy reaches the metric's parameter in percent.

    It is NaN if no round reaches it.
    """
    accuracies = _evaluated(inputs)
    reached = accuracies.index[accuracies >= inputs.parameter]
    return float(reached[0]) if len(reached) else math.nan


def _rounds_to_share(inputs: Inputs) -> float:
    """The first evaluated round whose average is so many percent of the other run's last one."""
    averages = inputs.over_rounds(EVALUATION_PREFIX + "test_average")
    target = inputs.parameter / 100 * _other(inputs).evaluation("test_average")
    reached = averages.index[averages >= target]
    return float(reached[0]) if len(reached) else math.nan


def not_reached_bound(inputs: Inputs) -> float:
    """Returns the least value of `rounds_to` if no round reaches the target."""
    trained = inputs.record.num_rounds
    return float(min(trained, inputs.metric.in_round or trained) + 1)


def evaluated_rounds_apart(inputs: Inputs) -> float:
    """Returns the resolution of `rounds_to`: the rounds from one evaluation to the next."""
    return float(inputs.record.resolved.configuration.rounds_per_evaluation)


def _average_gained(inputs: Inputs) -> float:
    """By how many points the clients' average lies above the average of the other run."""
    theirs = inputs._replace(record=_other(inputs))
    return inputs.evaluation("test_average") - theirs.evaluation("test_average")


TARGET = "the target in percent"
METRICS: Mapping[str, Definition] = {
    **{
        key: Definition(
            rounds,
            FIVE_PER_CENT,
            bound=not_reached_bound,
            step=evaluated_rounds_apart,
            parameter=parameter,
        )
        for key, rounds, parameter in (
            ("rounds_to", rounds_to, TARGET),
            ("rounds_to_share", _rounds_to_share, "the share of the best average in percent"),
        )
    },
    "best_accuracy": Definition(lambda inputs: float(_evaluated(inputs).max()), POINTS),
    "average_gained": Definition(_average_gained, POINTS, is_evaluated=True),
    # As FedVeca's table I has it.
    "test_loss_x100": Definition(
        lambda inputs: 100.0 * inputs.evaluation("test_loss"), PER_CENT, is_evaluated=True
    ),
    # The mean fall per evaluation, in points; a rise counts as 0.
    "oscillation": Definition(
        lambda inputs: float(-_evaluated(inputs).diff().clip(upper=0).mean()), FIVE_PER_CENT
    ),
}
