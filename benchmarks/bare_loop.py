"""The limit: the same local steps in a bare `tf.function` loop in the program's own process.

It shares the model and the optimizer with the other contenders, and nothing of this library.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from benchmarks.contenders import LEARNING_RATE, Contender, Setting


def bare_loop(setting: Setting) -> Contender:
    """Trains one client after the other from the same weights, and takes the mean."""
    model = setting.task.build_model(0)
    workload = setting.workload
    optimizer = tff.learning.optimizers.build_sgdm(LEARNING_RATE)
    clients = [
        tf.nest.map_structure(tf.constant, examples) for examples in setting.cohort().values()
    ]
    weights, fixed = tf.nest.map_structure(tf.convert_to_tensor, model.initial_weights)

    @tf.function(autograph=False)
    def train(weights: Any, examples: Any) -> Any:
        def take_step(step: tf.Tensor, weights: Any, state: Any) -> Any:
            start = step % workload.steps_per_epoch * workload.batch_size
            batch = tf.nest.map_structure(
                lambda tensor: tensor[start : start + workload.batch_size], examples
            )
            with tf.GradientTape() as tape:
                tape.watch(weights)
                output = model.predict_on_batch((weights, fixed), batch["x"], training=True)
                loss = model.loss(output, batch["y"])
            state, weights = optimizer.next(state, weights, tape.gradient(loss, weights))
            return step + 1, weights, state

        state = optimizer.initialize(tf.nest.map_structure(tf.TensorSpec.from_tensor, weights))
        _, weights, _ = tf.while_loop(
            lambda step, *_: step < workload.client_steps,
            take_step,
            (tf.constant(0), weights, state),
        )
        return weights

    def run_round() -> None:
        nonlocal weights
        trained = [train(weights, examples) for examples in clients]
        weights = tf.nest.map_structure(
            lambda *tensors: np.mean([tensor.numpy() for tensor in tensors], axis=0), *trained
        )
        weights = tf.nest.map_structure(tf.convert_to_tensor, weights)

    return Contender("a bare tf.function loop", run_round, lambda: weights)
