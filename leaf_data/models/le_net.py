"""LeNet-5, as FedCav has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.models import classification, layers
from leaf_data.pixels import UNIT, PixelScaling

# LeNet-5 reads 32×32: smaller images are padded to that by the first convolution.
_PADDING = {28: "SAME", 32: "VALID"}


def le_net(
    *,
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds LeNet-5 with ReLU and maximum pooling: 61,706 parameters for ten classes.

    5×5×6 convolution, of 28×28 padded → 2×2 max pool → 5×5×16 convolution → 2×2 max pool → 5×5×120
    convolution → 84 → classes.

    Source: Zeng et al., FedCav, ICPP 2021, `CNNMnist` in `models.py` of the authors' code,
    https://github.com/zenghui9977/FedCav. Its dropout layer is defined there but never applied.
    Decision: the initial weights are Glorot uniform and zero, as for all models here; PyTorch's
    differ.

    Args:
        image_shape: (28, 28) or (32, 32), or with channels.
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        A model of the input `Batch(x=[None, *image_shape] pixel_dtype, y=[None] int32)`. Its
        trainable weights are five kernels and five biases. Its predictions are logits
        [batch, num_classes], its loss is the weighted mean cross entropy, its metric is `accuracy`.

    Raises:
        ValueError: If an argument is out of range.
    """
    classification.check_num_classes(num_classes)
    layers.check_images(image_shape, pixels, pixel_dtype)
    height, width, channels = (*image_shape, 1)[:3]
    if height != width or height not in _PADDING:
        raise ValueError(
            f"image_shape is {tuple(image_shape)}; height and width must be 28, or both 32."
        )
    kernel_shapes = [
        (5, 5, channels, 6),
        (5, 5, 6, 16),
        (5, 5, 16, 120),
        (120, 84),
        (84, num_classes),
    ]

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        weights, _ = model_weights
        first, second, third, fourth, fifth = zip(weights[::2], weights[1::2])
        x = layers.scale_pixels(x, pixels)
        x = layers.max_pool(tf.nn.relu(layers.convolution(x, *first, padding=_PADDING[height])))
        x = layers.max_pool(tf.nn.relu(layers.convolution(x, *second, padding="VALID")))
        x = tf.nn.relu(layers.convolution(x, *third, padding="VALID"))
        x = tf.nn.relu(layers.dense(layers.flatten(x), *fourth))
        return layers.dense(x, *fifth)

    return classification.classifier(
        (layers.initial_layers(kernel_shapes, seed=seed), ()),
        predict_on_batch,
        layers.image_input_spec(image_shape, pixel_dtype),
    )
