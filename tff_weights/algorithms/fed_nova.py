"""FedNova: updates are normalised by the local steps behind them."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_nova import fed_nova_weighting


def build_fed_nova(
    model: Model,
    *,
    local_training: LocalTraining,
    proximal_strength: float = 0.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedNova (Wang et al., NeurIPS 2020).

    The weights are those of `fed_nova_weighting` for the clients' solver: plain SGD, momentum, or
    a proximal term. Where all clients take equally many plain steps, it is FedAvg.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round; its own proximal strength
            must be 0.
        proximal_strength: The clients' `μ ≥ 0`; not together with momentum.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If an argument is outside its documented range, or the solver has both momentum
            and a proximal term.
    """
    return compose_algorithm(
        model,
        local_training=local_training.with_proximal_strength(proximal_strength),
        weighting=fed_nova_weighting(
            momentum=local_training.momentum, proximal_strength=proximal_strength
        ),
        inner_factory=inner_factory,
    )
