"""AFL: the model is trained for the mixture of clients that is worst for it."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.afl import afl_weighting


def build_afl(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    mixture_rate: float = 0.1,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds AFL (Mohri, Sivek and Suresh, ICML 2019, Algorithm 1).

    Every client reports the loss of the received model on its training data; the weights are those
    of `afl_weighting`, and `w_{t+1} = Σ weight_i w_i`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        num_clients: The number of clients in all.
        mixture_rate: `γ ≥ 0`, how fast the mixture follows the losses; 0 is the simple mean.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=afl_weighting(num_clients=num_clients, mixture_rate=mixture_rate),
        inner_factory=inner_factory,
    )
