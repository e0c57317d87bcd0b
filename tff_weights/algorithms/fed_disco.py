"""FedDisco: clients count more the nearer their labels are to an even distribution."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_disco import fed_disco_weighting


def build_fed_disco(
    model: Model,
    *,
    local_training: LocalTraining,
    discount: float = 0.5,
    offset: float = 0.1,
    metric: str = "kl",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedDisco (Ye et al., ICML 2023).

    The weights are those of `fed_disco_weighting`, and `w_{t+1} = Σ weight_i w_i`. The labels must
    be classes.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        discount: `a ≥ 0`, how much the discrepancy of the labels counts.
        offset: `b`, what is added to every score.
        metric: The discrepancy: `"kl"`, a divergence relative to the cohort's, or `"l2"`, a
            distance.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_disco_weighting(discount=discount, offset=offset, metric=metric),
        inner_factory=inner_factory,
    )
