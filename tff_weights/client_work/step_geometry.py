"""How the gradients of local steps differ from the full gradient, measured while training."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tff_weights.aggregators.update_geometry import squared_norm
from tff_weights.client_work import training_loop
from tff_weights.client_work.local_data import LocalData, RoundPlan
from tff_weights.client_work.local_model import BoundModel, ModelWeights
from tff_weights.client_work.local_training import LocalTraining


def train_and_measure(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    data: LocalData,
    plan: RoundPlan,
    squared_gradient_norm: tf.Tensor,
) -> tuple[Any, Any, tf.Tensor, tf.Tensor]:
    """Trains by plain SGD and measures how the steps' gradients vary (FedVeca, Algorithm 2).

    Args:
        model: The model, bound to this graph.
        local_training: The solver's parameters.
        weights: The received weights `w_k`.
        data: The client's data.
        plan: What to visit.
        squared_gradient_norm: float32 scalar `‖∇F(w_{k−1})‖²`; 0 while there is none.

    Returns:
        The client's trainable weights; `∇F_i(w_k)`, shaped like them; and the float32 scalars
        `β_i` and `δ_i`, see `build_fed_veca_client_work`. `δ_i` is not finite where the squared
        norm is 0.
    """
    gradient = training_loop.mean_gradient(
        model, weights=weights, data=data, padded=local_training.compile_with_xla
    )

    def observe(observation: Any, step: tf.Tensor, _: Any, step_gradient: Any) -> Any:
        gradient_sum, squared_norm_before, squared_beta, delta_numerator = observation
        gradient_sum = tf.nest.map_structure(tf.add, gradient_sum, step_gradient)
        squared_norm_of_sum = squared_norm(gradient_sum)
        deviation = tf.nest.map_structure(tf.subtract, gradient, step_gradient)
        # Steps of plain SGD: w_k − w^λ = η Σ_{s<λ} g_s, which nothing has to be computed for.
        squared_displacement = plan.learning_rate**2 * squared_norm_before
        # At step 0 nothing has moved: divide_no_nan leaves both maxima as they are.
        is_later = tf.cast(step > 0, tf.float32)
        return (
            gradient_sum,
            squared_norm_of_sum,
            tf.maximum(
                squared_beta,
                is_later * tf.math.divide_no_nan(squared_norm(deviation), squared_displacement),
            ),
            tf.maximum(
                delta_numerator, is_later * squared_norm_of_sum / tf.cast(step + 1, tf.float32)
            ),
        )

    zeros = tf.nest.map_structure(tf.zeros_like, weights.trainable)
    trainable, (_, _, squared_beta, delta_numerator) = training_loop.train(
        model,
        local_training,
        weights=weights,
        data=data,
        plan=plan,
        observe=observe,
        first_observation=(zeros, tf.constant(0.0), tf.constant(0.0), tf.constant(0.0)),
    )
    return trainable, gradient, tf.sqrt(squared_beta), delta_numerator / squared_gradient_norm
