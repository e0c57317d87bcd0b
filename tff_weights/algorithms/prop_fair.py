"""PropFair: what counts is by how much a client's loss falls, relative to its possible gain."""

from __future__ import annotations

import dataclasses
import functools
import math

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.algorithms.composition import ClientWorkWrapper, compose_algorithm
from tff_weights.checks import POSITIVE, Range, check_number
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.plain import plain_weighting


def build_prop_fair(
    model: Model,
    *,
    local_training: LocalTraining,
    baseline: float = 5.0,
    epsilon: float = 0.2,
    weighting: str = "num_examples",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    wrap_client_work: ClientWorkWrapper | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds PropFair (Zhang et al., 2022, Algorithm 1).

    Clients minimise `proportional_loss` of every mini-batch's loss, and the server averages by
    `p_i`. Reports and metrics are of the plain loss. A step is `1 / (M − ℓ)` times as long as
    FedAvg's, so a large `M` needs a rate that is larger by the same factor.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round; its own `local_loss` must be
            None.
        baseline: `M > 0`, the loss at which the logarithm would end.
        epsilon: `ε` in (0, M): from a loss of `M − ε` on the logarithm is continued as a line.
        weighting: `"num_examples"`, `p_i = n_i / Σ_j n_j`; or `"uniform"`, `p_i = 1/K`.
        inner_factory: See `compose_algorithm`.
        wrap_client_work: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range, or a local loss is given twice.
    """
    check_number("baseline", baseline, POSITIVE)
    below = Range(f"a number in (0, baseline={baseline!r})", lambda x: 0 < x < baseline)
    check_number("epsilon", epsilon, below)
    if local_training.local_loss is not None:
        raise ValueError("local_training.local_loss must be None: PropFair has its own")
    local_loss = functools.partial(proportional_loss, baseline=baseline, epsilon=epsilon)
    return compose_algorithm(
        model,
        local_training=dataclasses.replace(local_training, local_loss=local_loss),
        weighting=plain_weighting(weighting),
        inner_factory=inner_factory,
        wrap_client_work=wrap_client_work,
    )


def proportional_loss(loss: tf.Tensor, *, baseline: float, epsilon: float) -> tf.Tensor:
    """Returns what a client of PropFair minimises.

    1. `−log(M − ℓ)` for `ℓ ≤ M − ε`;
    2. `−log ε + (ℓ − M + ε) / ε` beyond, a line of the same value and slope there.

    Args:
        loss: `ℓ`, a mini-batch's mean, a float scalar.
        baseline: `M`.
        epsilon: `ε`.
    """
    left = baseline - loss
    # The logarithm must be finite even if it is not chosen, or its gradient is NaN.
    curve = -tf.math.log(tf.maximum(left, epsilon))
    line = -math.log(epsilon) + (epsilon - left) / epsilon
    return tf.where(left >= epsilon, curve, line)
