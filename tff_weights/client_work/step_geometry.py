"""Measures, while training, how the gradients of local steps differ from the full gradient."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from tff_weights.client_work import training_loop
from tff_weights.client_work.dense_examples import count_rows
from tff_weights.client_work.local_data import LocalData, RoundPlan
from tff_weights.client_work.local_model import BoundModel, ModelWeights
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.cohort.update_geometry import squared_norm
from tff_weights.float_types import widened


def train_and_measure(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    data: LocalData,
    plan: RoundPlan,
    gradient: Any,
    squared_gradient_norm: tf.Tensor,
    same_batch: bool = False,
) -> tuple[Any, tf.Tensor, tf.Tensor]:
    """Trains by plain SGD and measures how the steps' gradients vary (FedVeca, Algorithm 2).

    Args:
        model: The model, bound to this graph.
        local_training: The solver's parameters.
        weights: The received weights `w_k`.
        data: The client's data.
        plan: What to visit.
        gradient: `∇F_i(w_k)` of all the client's examples, shaped like `weights.trainable`.
        squared_gradient_norm: float32 scalar `‖∇F(w_{k−1})‖²`; 0 before there is one.
        same_batch: Whether `β_i` compares a step's gradient with the same mini-batch's gradient at
            `w_k` instead of the full one.

    Returns:
        The client's trainable weights, and the float32 scalars `β_i` and `δ_i`, see `FedVecaWork`.
        `δ_i` is not finite where the squared norm is 0.
    """
    # The following runs at every step, and a step of a small model has only a dozen operations. So
    # λ + 1 is looked up, and factors common to all steps come at the end. At step 0 nothing has
    # moved. A division by infinity, or a safe one by 0, then changes neither maximum.
    most_steps = tf.cast(tf.maximum(count_rows(plan.batches), 1), tf.float32)
    divisors = tf.concat([[math.inf], tf.range(2.0, most_steps + 1.0)], axis=0)

    def observe(observation: Any, step: tf.Tensor, _: Any, step_gradient: Any) -> Any:
        gradient_sum, squared_norm_before, deviation_ratio, delta_numerator = observation
        gradient_sum = tf.nest.map_structure(tf.add, gradient_sum, widened(step_gradient))
        squared_norm_of_sum = squared_norm(gradient_sum)
        if same_batch:
            batch = training_loop.batch_at(
                step, local_training=local_training, data=data, plan=plan
            )
            compared = model.gradients(weights, *batch)
        else:
            compared = gradient
        deviation = tf.nest.map_structure(tf.subtract, compared, step_gradient)
        return (
            gradient_sum,
            squared_norm_of_sum,
            tf.maximum(
                deviation_ratio,
                tf.math.divide_no_nan(squared_norm(deviation), squared_norm_before),
            ),
            tf.maximum(delta_numerator, squared_norm_of_sum / tf.gather(divisors, step)),
        )

    zeros = tf.nest.map_structure(tf.zeros_like, widened(weights.trainable))
    trainable, (_, _, deviation_ratio, delta_numerator) = training_loop.train(
        model,
        local_training,
        weights=weights,
        data=data,
        plan=plan,
        observe=observe,
        first_observation=(zeros, tf.constant(0.0), tf.constant(0.0), tf.constant(0.0)),
    )
    # With plain SGD, w_k − w^λ = η Σ_{s<λ} g_s needs no further computation.
    beta = tf.sqrt(deviation_ratio) / plan.learning_rate
    return trainable, beta, delta_numerator / squared_gradient_norm
