"""Multinomial logistic regression on the pixels of an image: 784 features for 28×28."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.models import classification, layers
from leaf_data.pixels import UNIT, PixelScaling


def image_logistic_regression(
    *,
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds `softmax(x W + b)` of the flattened pixels, with the cross entropy loss.

    Sources: FedFa, section 4.1 ("a flattened 784-dimensional (28×28) image"); FedAdp, section V,
    footnote 3.

    Args:
        image_shape: (height, width) or (height, width, channels).
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        A model of the input `Batch(x=[None, *image_shape] pixel_dtype, y=[None] int32)`. Its
        trainable weights are `(W [pixels, num_classes], b [num_classes])`. Its predictions are
        logits [batch, num_classes], and its metric is `accuracy`. Its loss is the weighted mean
        `Σ w_j l_j / Σ w_j` where sample weights are given.

    Raises:
        ValueError: If an argument is out of range.
    """
    layers.check_images(image_shape, pixels, pixel_dtype, ranks=None)
    classification.check_num_classes(num_classes)
    num_features = int(np.prod(image_shape))

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        (kernel, bias), _ = model_weights
        return layers.dense(layers.flatten(layers.scale_pixels(x, pixels)), kernel, bias)

    return classification.classifier(
        (layers.initial_layers([(num_features, num_classes)], seed=seed), ()),
        predict_on_batch,
        layers.image_input_spec(image_shape, pixel_dtype),
    )
