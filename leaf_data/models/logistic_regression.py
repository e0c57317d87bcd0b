"""Multinomial logistic regression (MLR), the convex model of the FedProx and FedFa papers."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.checks import check_integer, check_one_of, check_type
from leaf_data.models import classification, layers
from leaf_data.models.batch import Batch


def logistic_regression(
    *,
    num_features: int,
    num_classes: int,
    seed: int,
    feature_dtype: tf.DType = tf.float32,
    label_dtype: tf.DType = tf.int32,
) -> tff.learning.models.FunctionalModel:
    """Builds `softmax(x W + b)` with the cross entropy loss.

    The initial `W` is Glorot uniform and `b` is zero, the defaults of `tf.layers.dense`, with which
    FedProx's authors build it (https://github.com/litian96/FedProx,
    `flearn/models/synthetic/mclr.py`). The L2 regularizer they attach to the kernel is left out:
    they take the gradient of the cross entropy alone.

    Args:
        num_features: The number of features, at least 1.
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        feature_dtype: The dtype of `x`; anything else than float32 is cast to it.
        label_dtype: The dtype of `y`, int32 or int64.

    Returns:
        A model of the input `Batch(x=[None, num_features], y=[None])`. All its weights are
        trainable: `(W [num_features, num_classes], b [num_classes])`, float32. Its predictions are
        logits [batch, num_classes], and its metric is `accuracy`. Its loss is the weighted mean
        `Σ w_j l_j / Σ w_j` where sample weights are given.

    Raises:
        ValueError: If an argument is out of range.
    """
    check_integer("num_features", num_features, least=1)
    classification.check_num_classes(num_classes)
    check_type("feature_dtype", feature_dtype, tf.DType)
    check_one_of("label_dtype", label_dtype, (tf.int32, tf.int64))
    trainable = layers.initial_layers([(num_features, num_classes)], seed=seed)

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        (weights, bias), _ = model_weights
        return layers.dense(tf.cast(x, tf.float32), weights, bias)

    batch = Batch(
        x=tf.TensorSpec([None, num_features], feature_dtype), y=tf.TensorSpec([None], label_dtype)
    )
    return classification.classifier((trainable, ()), predict_on_batch, batch)
