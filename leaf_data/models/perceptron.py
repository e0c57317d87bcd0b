"""The perceptron with one hidden layer on the pixels of an image: 784-64-10 for 28×28."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.checks import check_integer
from leaf_data.models import classification, layers
from leaf_data.pixels import UNIT, PixelScaling


def perceptron(
    *,
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    num_hidden: int = 64,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds pixels → 64 hidden units with ReLU → classes: 50,890 parameters for 28×28 and ten.

    For papers that do not name their model: it is small enough for many seeds. Decision: the
    initial weights are Glorot uniform and zero, as for all models here.

    Args:
        image_shape: The shape of `x`, (height, width) or (height, width, channels), or any other.
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        num_hidden: The number of hidden units, at least 1.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        A model of the input `Batch(x=[None, *image_shape] pixel_dtype, y=[None] int32)`. Its
        trainable weights are two kernels and two biases. Its predictions are logits
        [batch, num_classes], its loss is the weighted mean cross entropy, its metric is `accuracy`.

    Raises:
        ValueError: If an argument is out of range.
    """
    layers.check_images(image_shape, pixels, pixel_dtype, ranks=None)
    classification.check_num_classes(num_classes)
    check_integer("num_hidden", num_hidden, least=1)
    kernel_shapes = [(int(np.prod(image_shape)), num_hidden), (num_hidden, num_classes)]

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        (kernel, bias, output_kernel, output_bias), _ = model_weights
        x = layers.flatten(layers.scale_pixels(x, pixels))
        return layers.dense(tf.nn.relu(layers.dense(x, kernel, bias)), output_kernel, output_bias)

    return classification.classifier(
        (layers.initial_layers(kernel_shapes, seed=seed), ()),
        predict_on_batch,
        layers.image_input_spec(image_shape, pixel_dtype),
    )
