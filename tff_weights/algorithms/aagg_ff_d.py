"""AAggFF-D: the server learns its weights online, for many clients, of whom some take part."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.aagg_ff_d import aagg_ff_d_weighting


def build_aagg_ff_d(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    distribution: str = "weibull",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds AAggFF-D (Hahn, Kim and Lee, ICML 2024, Algorithm 3).

    Every client reports the loss of the received model on its training data; the weights are those
    of `aagg_ff_d_weighting`, and `w_{t+1} = Σ weight_i w_i`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        num_clients: The number of clients in all.
        distribution: Whose distribution function bounds the losses: `"weibull"`,
            `"exponential"`, `"frechet"`, `"normal"`, `"gumbel"` or `"logistic"`.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=aagg_ff_d_weighting(num_clients=num_clients, distribution=distribution),
        inner_factory=inner_factory,
    )
