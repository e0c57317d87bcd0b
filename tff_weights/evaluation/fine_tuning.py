"""The global model fine-tuned on one client's examples, where the program runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tff_weights.client_work import training_loop
from tff_weights.client_work.client_work import begin_round, checked_local_model, compiled
from tff_weights.client_work.local_data import read_local_data
from tff_weights.client_work.local_model import Model, ModelWeights
from tff_weights.client_work.local_training import LocalTraining


def build_fine_tuning(
    model: Model, local_training: LocalTraining
) -> Callable[[ModelWeights, Any], ModelWeights]:
    """Builds the fine-tuning of a model on one client, as one round of local training.

    Personal models are compared with such models (Li et al., ICML 2021). It runs in the calling
    process, outside TFF. The order of the examples is that of round 0.

    Args:
        model: See `compose_algorithm`.
        local_training: What is done with the client's examples, such as `steps=k`.

    Returns:
        A function from weights and a client's data, see `client_data`, to the client's weights.

    Raises:
        TypeError: If `model` is of a kind that TFF's builders do not accept.
        ValueError: If local training is to be compiled with XLA, but the model's loss is not a
            weighted mean under `sample_weight`.
    """
    local = checked_local_model(model, local_training)
    # At the first call: a process that TFF builds changes the classes of Keras' layers.
    bind = functools.cache(local.bind)

    @tf.function(autograph=False, reduce_retracing=True)
    def fine_tune(weights: ModelWeights, data: Any) -> ModelWeights:
        bound = bind()
        local_data = read_local_data(data, padded=local_training.compile_with_xla)
        plan = begin_round(bound, local_training, local_data, tf.constant(0))
        trainable, _ = compiled(local_training, training_loop.train, bound, local_training)(
            weights=weights, data=local_data, plan=plan
        )
        return ModelWeights(trainable, weights.non_trainable)

    def fine_tuned(weights: ModelWeights, data: Any) -> ModelWeights:
        bind()
        return fine_tune(tf.nest.map_structure(tf.convert_to_tensor, weights), data)

    return fine_tuned
