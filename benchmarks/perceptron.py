"""A model of any size: a perceptron whose hidden layer is as wide as one likes."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.models import classification, layers


def perceptron(
    *, num_features: int, num_hidden: int, num_classes: int, seed: int
) -> tff.learning.models.FunctionalModel:
    """Builds a dense layer with ReLU and a dense layer, with the cross entropy loss.

    Args:
        num_features: The size of an example.
        num_hidden: The width; the model has `num_hidden · (num_features + 1 + num_classes) +
            num_classes` parameters.
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights.

    Raises:
        ValueError: If there are fewer than 2 classes.
    """
    classification.check_num_classes(num_classes)
    kernel_shapes = [(num_features, num_hidden), (num_hidden, num_classes)]

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        (kernel_1, bias_1, kernel_2, bias_2), _ = model_weights
        return layers.dense(tf.nn.relu(layers.dense(x, kernel_1, bias_1)), kernel_2, bias_2)

    return tff.learning.models.FunctionalModel(
        initial_weights=(layers.initial_layers(kernel_shapes, seed=seed), ()),
        predict_on_batch_fn=predict_on_batch,
        loss_fn=classification.weighted_cross_entropy,
        metrics_fns=classification.accuracy_metrics(),
        input_spec=collections.OrderedDict(
            x=tf.TensorSpec([None, num_features], tf.float32), y=tf.TensorSpec([None], tf.int32)
        ),
    )
