"""FedEBA+: weights of the largest entropy for a mean loss."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_eba import fed_eba_weighting


def build_fed_eba(
    model: Model,
    *,
    local_training: LocalTraining,
    temperature: float = 0.1,
    prior: str = "uniform",
    loss_at: str = "after",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedEBA+'s entropy-based aggregation (Wang et al., eq. 3).

    The weights are those of `fed_eba_weighting`, and `w_{t+1} = Σ weight_i w_i`. The paper's
    alignment of updates is left out, `α = 0`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        temperature: `T > 0`; a large one gives the prior.
        prior: What the weights are without losses: `"uniform"` or `"num_examples"`.
        loss_at: Which model's loss counts, the one `"after"` local training or the received
            one, `"before"` it.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_eba_weighting(temperature=temperature, prior=prior, loss_at=loss_at),
        inner_factory=inner_factory,
    )
