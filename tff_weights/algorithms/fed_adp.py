"""FedAdp: clients whose updates point along the mean count more."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.algorithms.measuring import with_measurements
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_adp import fed_adp_weighting


def build_fed_adp(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    alpha: float = 5.0,
    smoothing: str = "participation",
    measured: str = "",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedAdp (Wu & Wang, IEEE TCCN 2021, Algorithm 1).

    The weights are those of `fed_adp_weighting` (eq. 8–11), and `w_{t+1} = Σ weight_i w_i`. The
    paper's learning rate is `0.01 · 0.995^t`, a matter of `local_training`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        num_clients: The number of clients in all.
        alpha: `α > 0` of the Gompertz function.
        smoothing: What the angles are averaged over: `"participation"`, `"round"` or `"none"`.
        measured: What else is measured of every participant; see `with_measurements`.
        inner_factory: Forms the mean update and adds up the weighted ones; by default plain sums.
        correct_fn: See `compose_algorithm`; for accuracies that are `measured`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=with_measurements(
            fed_adp_weighting(num_clients=num_clients, alpha=alpha, smoothing=smoothing), measured
        ),
        inner_factory=inner_factory,
        correct_fn=correct_fn,
    )
