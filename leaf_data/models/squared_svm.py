"""FedVeca's support vector machine: is the digit even or odd?"""

from __future__ import annotations

import collections
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.checks import check_number
from leaf_data.models import classification, layers
from leaf_data.pixels import UNIT, PixelScaling


def squared_svm(
    *,
    image_shape: Sequence[int],
    seed: int,
    l2_strength: float = 0.1,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds the linear classifier `sign(<w, x>)` with the squared hinge loss.

    An even digit has the sign +1, an odd one -1, and an example the loss

        ½ max(0, 1 - sign · <w, x>)² + λ/2 ‖w‖².

    Source: Luo et al., FedVeca, IEEE TPDS 2024, section V-A2: "the squared-SVM has a fully
    connected neural network, and outputs a binary label that corresponds to whether the digit is
    even or odd". Decision: loss, signs, no bias and λ = 0.1 come from the paper's predecessor (Wang
    et al., `models/svm_smooth.py` in https://github.com/IBM/adaptive-federated-learning). They give
    table I's centralized result, loss 0.2206 and accuracy 86.9 %, to 0.001 and 1 %. Without the
    regularizer the loss falls to 0.17. Pixels are divided by 255. The initial w is Glorot uniform,
    as for all models here; the predecessor's is 0.

    Args:
        image_shape: (height, width) or (height, width, channels).
        seed: The seed of the initial weights, a non-negative integer.
        l2_strength: λ, at least 0.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        A model with the trainable weight `(w [pixels, 1],)`, the input `Batch(x=[None,
        *image_shape] pixel_dtype, y=[None] int32)` with the digits as labels, and the metric
        `accuracy`. The predictions are [batch, 2]: the score `<w, x>`, and the regularizer `λ/2
        ‖w‖²`, which is the same in every row and so passes through the weighted mean of the loss.

    Raises:
        ValueError: If an argument is out of range.
    """
    layers.check_images(image_shape, pixels, pixel_dtype)
    check_number("l2_strength", l2_strength, lambda x: x >= 0.0, "finite and at least 0")
    num_features = int(np.prod(image_shape))
    kernel, _ = layers.initial_layers([(num_features, 1)], seed=seed)

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        (weights,), _ = model_weights
        scores = tf.matmul(layers.flatten(layers.scale_pixels(x, pixels)), weights)
        regularizer = 0.5 * l2_strength * tf.reduce_sum(tf.square(weights))
        return tf.concat([scores, tf.fill(tf.shape(scores), regularizer)], axis=1)

    metrics: Any = tff.learning.metrics.create_functional_metric_fns(
        collections.OrderedDict(
            accuracy=functools.partial(
                tf.keras.metrics.MeanMetricWrapper, _correct_of_labels, name="accuracy"
            )
        )
    )
    return tff.learning.models.FunctionalModel(
        initial_weights=((kernel,), ()),
        predict_on_batch_fn=predict_on_batch,
        loss_fn=regularized_squared_hinge,
        metrics_fns=metrics,
        input_spec=layers.image_input_spec(image_shape, pixel_dtype),
    )


def regularized_squared_hinge(
    output: tf.Tensor, label: tf.Tensor, sample_weight: tf.Tensor | None = None
) -> tf.Tensor:
    """The mean of `½ max(0, 1 - sign · score)² + regularizer`, `Σ w_j l_j / Σ w_j`.

    Args:
        output: Scores and regularizers, [batch, 2] float32.
        label: Digits, [batch] int; even ones have the sign +1, odd ones -1.
        sample_weight: Weights w, [batch] float32; None weighs all examples equally.

    Returns:
        The loss, scalar float32; 0 where all weights are 0.
    """
    signs = 1.0 - 2.0 * tf.cast(label % 2, output.dtype)
    losses = 0.5 * tf.square(tf.nn.relu(1.0 - signs * output[:, 0])) + output[:, 1]
    return classification.weighted_mean(losses, sample_weight)


def correct_parity(predictions: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Which digits are correctly classified as even or odd: 1.0 if they are, else 0.0.

    Args:
        predictions: Scores and regularizers, [batch, 2] float; a score above 0 says even, one
            that is NaN is right for no digit.
        labels: Digits, [batch] int.

    Returns:
        [batch] float32.
    """
    is_right = tf.equal(predictions[:, 0] > 0.0, tf.equal(labels % 2, 0))
    return tf.cast(is_right & ~tf.math.is_nan(predictions[:, 0]), tf.float32)


def _correct_of_labels(labels: tf.Tensor, predictions: tf.Tensor) -> tf.Tensor:
    """`correct_parity` with the arguments in Keras' order."""
    return correct_parity(predictions, labels)
