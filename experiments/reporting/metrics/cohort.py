"""What the rounds' cohorts say: how clients were weighed, and how far apart their updates were."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from scipy import stats

from experiments.declaration import Metric
from experiments.reporting.client_quantities import client_quantity, column_of
from experiments.reporting.metrics.definition import (
    FIVE_PER_CENT,
    FIVE_POINTS,
    OF_A_CORRELATION,
    PER_CENT,
    Definition,
)
from experiments.runs.record import RunRecord

_EFFECTIVE_PARTICIPANTS = "aggregator/cohort/effective_participants"
_DIVERGENCE = "aggregator/cohort/reports/gradient_distance_to_mean"
_STEPS = "client_work/num_steps"
_PROJECTION, _ANGLE = "mean_projection", "mean_angle"
_RELATIVE_PROJECTION = "mean_relative_projection"
_PREMISE = "client_work/eta_tau_smoothness"
# By the losses of local models, or by that of the averaged one.
_ACCEPTED = ("aggregator/cohort/weighting/accepted", "finalizer/judge/accepted")

# What metrics read of the columns with a number per participant, besides who these were.
PARTICIPANT_COLUMNS = (_DIVERGENCE, _STEPS, *map(column_of, (_PROJECTION, _ANGLE)))

# Pearson's correlation needs as many; of two points it is always 1.
_FEWEST_CLIENTS = 3


def _in_round(record: RunRecord, metric: Metric, other: RunRecord | None, *, column: str) -> float:
    """In the metric's round, or the last one; not a number where it has none."""
    means = record.over_rounds(column)
    if metric.in_round is not None:
        return float(means.get(metric.in_round, math.nan))
    return float(means.iloc[-1]) if len(means) else math.nan


def _over_rounds(
    record: RunRecord, metric: Metric, other: RunRecord | None, *, column: str
) -> float:
    """The mean over all rounds, up to the metric's round if it has one."""
    return float(_until(record.over_rounds(column), metric).mean())


def _premise(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """In what share of the rounds, in percent, FedVeca's `η τ_k L ≥ 1` (section IV-A).

    The first round has no estimate of `L` and does not count.
    """
    values = _until(record.over_rounds(_PREMISE), metric).iloc[1:]
    return float(100.0 * (values >= 1.0).mean())


def _accepted(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """How many rounds the server accepted: all of them where it rejects none."""
    trained = _until(record.over_rounds(_EFFECTIVE_PARTICIPANTS), metric)
    judged = [column for column in _ACCEPTED if column in record.rounds]
    if not judged:
        return float(len(trained))
    return float(_until(record.over_rounds(judged[0]), metric).sum())


def _until(values: pd.Series, metric: Metric) -> pd.Series:
    return values if metric.in_round is None else values[values.index <= metric.in_round]


def _correlation(
    record: RunRecord,
    metric: Metric,
    other: RunRecord | None,
    *,
    quantity: str,
    of: str,
) -> float:
    """Pearson's correlation of a quantity and the label entropy over the clients, or its `p`.

    `p` is that of the hypothesis that the two are normal and not correlated, two-sided, as WeiAvg
    has it (Dong et al. 2023, section III-C). Not a number for fewer than three clients, or where
    one of the two is the same for all.
    """
    series = [client_quantity(record, name) for name in (quantity, "label_entropy")]
    pairs = pd.concat(series, axis="columns", join="inner").to_numpy()
    if len(pairs) < _FEWEST_CLIENTS or min(np.ptp(pairs, axis=0)) == 0.0:
        return math.nan
    return float(getattr(stats.pearsonr(pairs[:, 0], pairs[:, 1]), of))


def _of_entropies(
    record: RunRecord,
    metric: Metric,
    other: RunRecord | None,
    *,
    statistic: Callable[[pd.Series], float],
) -> float:
    """A statistic of the clients' label entropies."""
    return float(statistic(client_quantity(record, "label_entropy")))


def _angle_of_client(record: RunRecord, metric: Metric, other: RunRecord | None) -> float:
    """The client's mean angle to the mean update in radians, its index being the parameter.

    It is FedAdp's smoothed angle in the last round (eq. 9). Not a number if it never took part.

    Raises:
        ValueError: If the metric has no parameter.
    """
    if metric.parameter is None:
        raise ValueError(f"metric {metric.key}: parameter must be the client's index, got None")
    return float(client_quantity(record, _ANGLE).get(int(metric.parameter), math.nan))


METRICS: Mapping[str, Definition] = {
    "effective_participants": Definition(
        functools.partial(_in_round, column=_EFFECTIVE_PARTICIPANTS), FIVE_PER_CENT
    ),
    "mean_effective_participants": Definition(
        functools.partial(_over_rounds, column=_EFFECTIVE_PARTICIPANTS), FIVE_PER_CENT
    ),
    "gradient_divergence": Definition(functools.partial(_in_round, column=_DIVERGENCE), PER_CENT),
    "mean_gradient_divergence": Definition(
        functools.partial(_over_rounds, column=_DIVERGENCE), PER_CENT
    ),
    "mean_local_steps": Definition(functools.partial(_over_rounds, column=_STEPS), FIVE_PER_CENT),
    "rounds_with_premise": Definition(_premise, FIVE_POINTS),
    "accepted_rounds": Definition(_accepted, FIVE_PER_CENT),
    # WeiAvg's: every client's projections are averaged first.
    "correlation": Definition(
        functools.partial(_correlation, quantity=_PROJECTION, of="statistic"),
        OF_A_CORRELATION,
    ),
    "correlation_p": Definition(functools.partial(_correlation, quantity=_PROJECTION, of="pvalue")),
    "relative_correlation": Definition(
        functools.partial(_correlation, quantity=_RELATIVE_PROJECTION, of="statistic"),
        OF_A_CORRELATION,
    ),
    "relative_correlation_p": Definition(
        functools.partial(_correlation, quantity=_RELATIVE_PROJECTION, of="pvalue")
    ),
    "angle_correlation": Definition(
        functools.partial(_correlation, quantity=_ANGLE, of="statistic"), OF_A_CORRELATION
    ),
    "mean_label_entropy": Definition(functools.partial(_of_entropies, statistic=np.mean)),
    "label_entropy_deviation": Definition(functools.partial(_of_entropies, statistic=np.std)),
    "angle_of_client": Definition(_angle_of_client),
}
