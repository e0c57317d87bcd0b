"""q-FedAvg: clients with a larger loss count more."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.q_fair import q_fair_weighting


def build_q_fed_avg(
    model: Model,
    *,
    local_training: LocalTraining,
    q: float = 1.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds q-FedAvg, which solves q-FFL (Li et al., ICLR 2020, Algorithm 2; FedFa's "q-Fair").

    The client measures its loss at the received model, before training, over its whole training
    set; the weights are those of `q_fair_weighting`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        q: In [0, ∞): the larger, the fairer; 0 gives the unweighted mean of the clients' models.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If `q` is negative or not finite.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=q_fair_weighting(q=q),
        inner_factory=inner_factory,
    )
