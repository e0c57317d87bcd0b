"""FedAvg: every client's model counts by its number of examples."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import ClientWorkWrapper, compose_algorithm
from tff_weights.algorithms.measuring import with_measurements
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.plain import plain_weighting


def build_fed_avg(
    model: Model,
    *,
    local_training: LocalTraining,
    weighting: str = "num_examples",
    measured: str = "",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
    wrap_client_work: ClientWorkWrapper | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds Federated Averaging (McMahan et al. 2017; FedFa Algorithm 1).

    In round `t` every client of the cohort trains from `w_t` to `w_i` and the server takes
    `w_{t+1} = Σ_i p_i w_i`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        weighting: `"num_examples"`, `p_i = n_i / Σ_j n_j`, for clients sampled uniformly; or
            `"uniform"`, `p_i = 1/K`, for clients sampled in proportion to `n_i`.
        measured: What else is measured of every participant; see `with_measurements`.
        inner_factory: Adds up the weighted updates; by default a plain sum.
        correct_fn: See `compose_algorithm`; for accuracies that are `measured`.
        wrap_client_work: See `compose_algorithm`.

    Raises:
        ValueError: If `weighting` or `measured` is unknown.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=with_measurements(plain_weighting(weighting), measured),
        inner_factory=inner_factory,
        correct_fn=correct_fn,
        wrap_client_work=wrap_client_work,
    )
