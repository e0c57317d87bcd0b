"""FedMGDA+: the shortest mean of normalised updates, near a prior."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_mgda import fed_mgda_weighting


def build_fed_mgda(
    model: Model,
    *,
    local_training: LocalTraining,
    epsilon: float = 0.1,
    prior: str = "num_examples",
    normalize: bool = True,
    step_size: float = 1.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedMGDA+ (Hu et al., IEEE TNSE 2022, Algorithm 1).

    The weights are those of `fed_mgda_weighting`: of the shortest mean of normalised updates. The
    server sees every update.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        epsilon: In [0, 1], how far a weight may be from the prior.
        prior: The weights that they are near to: `"num_examples"` or `"uniform"`.
        normalize: Whether updates are normalised.
        step_size: `η > 0`, the length of the server's step, as a multiple of that mean.
        inner_factory: Adds up the weighted updates; by default a plain sum. One that sums
            securely or adds noise is refused.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_mgda_weighting(
            epsilon=epsilon, prior=prior, normalize=normalize, step_size=step_size
        ),
        inner_factory=inner_factory,
    )
