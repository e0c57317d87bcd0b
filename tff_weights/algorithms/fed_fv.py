"""FedFV: updates that conflict lose what points against each other."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_fv import fed_fv_weighting


def build_fed_fv(
    model: Model,
    *,
    local_training: LocalTraining,
    alpha: float = 0.1,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedFV without stored updates, `τ = 0` (Wang et al., IJCAI 2021).

    Every client reports the loss of the received model on its training data; the weights are those
    of `fed_fv_weighting`. The server sees every update.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        alpha: In [0, 1], the share of the clients, those with the largest losses, that keep their
            updates; 1 is the simple mean.
        inner_factory: Adds up the weighted updates; by default a plain sum. One that sums
            securely or adds noise is refused.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_fv_weighting(alpha=alpha),
        inner_factory=inner_factory,
    )
