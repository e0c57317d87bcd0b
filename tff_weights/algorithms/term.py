"""TERM: a tilt makes clients with a larger loss count more, or less."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.term import term_weighting


def build_term(
    model: Model,
    *,
    local_training: LocalTraining,
    tilt: float = 0.1,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds TERM over clients (Li et al., ICLR 2021).

    Every client reports the loss of the received model on its training data; the weights are those
    of `term_weighting`, and `w_{t+1} = Σ weight_i w_i`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        tilt: `t`: above 0 the largest losses count more, below 0 less; 0 is FedAvg.
        inner_factory: Adds up the weighted updates; by default a plain sum.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=term_weighting(tilt=tilt),
        inner_factory=inner_factory,
    )
