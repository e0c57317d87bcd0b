"""Metrics of the rounds' cohorts: how clients were weighed, and how their updates differed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from experiments.reporting.client_quantities import COLUMNS, client_quantity
from experiments.reporting.metrics.definition import (
    FIVE_PER_CENT,
    OF_A_CORRELATION,
    PER_CENT,
    POINTS,
    Definition,
    Inputs,
    Measure,
)
from experiments.runs.record import RunRecord

_EFFECTIVE_PARTICIPANTS = "aggregator/cohort/effective_participants"
_DIVERGENCE = "aggregator/cohort/reports/gradient_distance_to_mean"
_STEPS, _A = "client_work/num_steps", "client_work/a"
_PROJECTION, _ANGLE = "mean_projection", "mean_angle"
_PREMISE = "client_work/eta_tau_smoothness"
# Acceptance by the losses of the local models, or by the loss of the averaged model.
_ACCEPTED = ("aggregator/cohort/weighting/accepted", "finalizer/judge/accepted")
_ALARMS = "aggregator/cohort/weighting/alarm"

# The columns with a number per participant that metrics read, besides the participants' indices.
PARTICIPANT_COLUMNS = (_DIVERGENCE, _STEPS, COLUMNS[_PROJECTION], COLUMNS[_ANGLE])

# Pearson's correlation needs this many clients; for two points it is always 1 or −1.
_FEWEST_CLIENTS = 3


def _in_round(column: str) -> Measure:
    """A column in the metric's round, or in the last one; NaN if it has no value there."""

    def measured(inputs: Inputs) -> float:
        means = inputs.record.over_rounds(column)
        if inputs.metric.in_round is not None:
            return float(means.get(inputs.metric.in_round, math.nan))
        return float(means.iloc[-1]) if len(means) else math.nan

    return measured


def _over_rounds(column: str) -> Measure:
    """The mean of a column over all rounds, up to the metric's round if it has one."""
    return lambda inputs: float(inputs.over_rounds(column).mean())


def _premise(inputs: Inputs) -> float:
    """The share of the rounds, in percent, with FedVeca's `η τ_k L ≥ 1` (section IV-A).

    The first round has no estimate of `L` and does not count.
    """
    return float(100.0 * (inputs.over_rounds(_PREMISE).iloc[1:] >= 1.0).mean())


def _per_participant(inputs: Inputs, column: str) -> list[npt.NDArray[np.float64]]:
    """A column's values in each round, up to the metric's round; empty without such a column."""
    there = column in inputs.record.rounds
    return inputs.record.per_participant(column)[: inputs.metric.in_round] if there else []


def _steps_fluctuation(inputs: Inputs) -> float:
    """The deviation of `τ_k` over rounds, as a share of the mean deviation of `τ_i` in a round."""
    steps = _per_participant(inputs, _STEPS)
    if not steps:
        return math.nan
    return float(np.std([*map(np.mean, steps)]) / np.mean([*map(np.std, steps)]))


def _apart(inputs: Inputs) -> float:
    """The distance of the later clients' mean `A_i` from the first ones', in their ranges.

    The parameter is the number of first clients; `A_i` is averaged over the rounds (FedVeca,
    theorem 2).
    """
    numbers = _per_participant(inputs, _A)
    if not numbers:
        return math.nan
    first, later = np.split(np.mean(numbers, axis=0), [int(inputs.parameter)])
    return float(abs(later.mean() - first.mean()) / np.ptp(first))


def _accepted(inputs: Inputs) -> float:
    """How many rounds the server accepted; all rounds if it rejects none."""
    for column in _ACCEPTED:
        if column in inputs.record.rounds:
            return float(inputs.over_rounds(column).sum())
    return float(len(inputs.over_rounds(_EFFECTIVE_PARTICIPANTS)))


def _so_far(inputs: Inputs) -> RunRecord:
    """The run's rounds up to the metric's round if it has one."""
    rounds, last = inputs.record.rounds, inputs.metric.in_round or inputs.record.num_rounds
    return dataclasses.replace(inputs.record, rounds=rounds[rounds["round"] <= last])


def _correlation(quantity: str, of: str) -> Measure:
    """Pearson's correlation of a quantity and the label entropy over the clients, or its `p`.

    The two-sided `p` is that of normal, uncorrelated quantities, as in WeiAvg (Dong et al. 2023,
    section III-C). NaN for fewer than three clients, or if one of the two is the same for all
    clients.
    """

    def measured(inputs: Inputs) -> float:
        record = _so_far(inputs)
        series = [client_quantity(record, name) for name in (quantity, "label_entropy")]
        pairs = pd.concat(series, axis="columns", join="inner").to_numpy()
        if len(pairs) < _FEWEST_CLIENTS or min(np.ptp(pairs, axis=0)) == 0.0:
            return math.nan
        return float(getattr(stats.pearsonr(pairs[:, 0], pairs[:, 1]), of))

    return measured


def _angle_of_client(inputs: Inputs) -> float:
    """The mean angle to the mean update, in radians, of the client whose index is the parameter.

    It is FedAdp's smoothed angle (eq. 9) in the metric's round, or in the last one. NaN if the
    client never took part.
    """
    return float(client_quantity(_so_far(inputs), _ANGLE).get(int(inputs.parameter), math.nan))


METRICS: Mapping[str, Definition] = {
    "effective_participants": Definition(_in_round(_EFFECTIVE_PARTICIPANTS), FIVE_PER_CENT),
    "mean_effective_participants": Definition(_over_rounds(_EFFECTIVE_PARTICIPANTS), FIVE_PER_CENT),
    "gradient_divergence": Definition(_in_round(_DIVERGENCE), PER_CENT),
    "mean_gradient_divergence": Definition(_over_rounds(_DIVERGENCE), PER_CENT),
    "mean_local_steps": Definition(_over_rounds(_STEPS), FIVE_PER_CENT),
    "rounds_with_premise": Definition(_premise, POINTS),
    "steps_fluctuation": Definition(_steps_fluctuation, FIVE_PER_CENT),
    "apart": Definition(_apart, FIVE_PER_CENT, parameter="the number of first clients"),
    "accepted_rounds": Definition(_accepted, FIVE_PER_CENT),
    # How many rounds an audit undid.
    "alarms": Definition(lambda inputs: float(inputs.over_rounds(_ALARMS).sum())),
    # As in WeiAvg, every client's projections are averaged first.
    "correlation": Definition(_correlation(_PROJECTION, "statistic"), OF_A_CORRELATION),
    "correlation_p": Definition(_correlation(_PROJECTION, "pvalue")),
    "relative_correlation": Definition(
        _correlation("mean_relative_projection", "statistic"), OF_A_CORRELATION
    ),
    "angle_correlation": Definition(_correlation(_ANGLE, "statistic"), OF_A_CORRELATION),
    "mean_label_entropy": Definition(
        lambda inputs: float(client_quantity(inputs.record, "label_entropy").mean())
    ),
    "label_entropy_deviation": Definition(
        lambda inputs: float(client_quantity(inputs.record, "label_entropy").std(ddof=0))
    ),
    "angle_of_client": Definition(_angle_of_client, parameter="the client's index"),
}
