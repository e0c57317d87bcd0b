"""The layers of the image models as pure functions of their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from leaf_data.checks import check_shape, check_type
from leaf_data.models.batch import Batch
from leaf_data.pixels import PixelScaling
from leaf_data.random_streams import random_stream


def image_input_spec(image_shape: Sequence[int], pixel_dtype: tf.DType = tf.uint8) -> Batch:
    """The batched element of an image data set.

    Args:
        image_shape: (height, width) or (height, width, channels).
        pixel_dtype: The dtype of the images.

    Returns:
        `Batch(x=[None, *image_shape] pixel_dtype, y=[None] int32)`.
    """
    return Batch(
        x=tf.TensorSpec([None, *image_shape], pixel_dtype), y=tf.TensorSpec([None], tf.int32)
    )


def check_images(
    image_shape: object,
    pixels: object,
    pixel_dtype: object,
    *,
    ranks: tuple[int, ...] | None = (2, 3),
) -> None:
    """Checks the arguments that all models of images have.

    Args:
        image_shape: (height, width) or (height, width, channels).
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images.
        ranks: How many sizes the shape may have; None for any number.

    Raises:
        ValueError: If one is out of range or of another type.
    """
    check_shape("image_shape", image_shape, ranks=ranks)
    check_type("pixels", pixels, PixelScaling)
    check_type("pixel_dtype", pixel_dtype, tf.DType)


def initial_layers(
    kernel_shapes: Sequence[Sequence[int]], *, seed: int
) -> tuple[npt.NDArray[np.float32], ...]:
    """Draws Glorot uniform kernels, Keras' default, and zero biases.

    A kernel is U(-l, l) with `l = √(6 / (fan in + fan out))`; the fans of a convolution count its
    window. Every layer has a random stream of its own.

    Args:
        kernel_shapes: For each layer [inputs, outputs], or [height, width, inputs, outputs].
        seed: The seed of the initial weights, a non-negative integer.

    Returns:
        Kernel and bias of the first layer, then of the second, and so on; float32.

    Raises:
        ValueError: If the seed is not a non-negative integer.
    """
    weights = []
    for layer, shape in enumerate(kernel_shapes):
        *window, inputs, outputs = shape
        limit = np.sqrt(6.0 / (np.prod(window) * (inputs + outputs)))
        kernel = random_stream(seed, "initial weights", layer).uniform(-limit, limit, shape)
        weights += [kernel.astype(np.float32), np.zeros(outputs, np.float32)]
    return tuple(weights)


def scale_pixels(x: tf.Tensor, pixels: PixelScaling) -> tf.Tensor:
    """Pixels as numbers.

    Args:
        x: [batch, height, width] or [batch, height, width, channels] of any dtype.
        pixels: How they are scaled.

    Returns:
        [batch, height, width, channels] float32, with one channel where `x` has no channel axis.
    """
    scaled = pixels(tf.cast(x, tf.float32))
    return scaled if x.shape.rank == 4 else tf.expand_dims(scaled, -1)


def flatten(x: tf.Tensor) -> tf.Tensor:
    """Each example as a vector: [batch, ...] to [batch, size]."""
    return tf.reshape(x, [-1, int(np.prod(x.shape[1:]))])


def convolution(x: tf.Tensor, kernel: Any, bias: Any, *, padding: str = "SAME") -> tf.Tensor:
    """A convolution of stride 1.

    Args:
        x: [batch, height, width, inputs] float32.
        kernel: [window height, window width, inputs, outputs] float32.
        bias: [outputs] float32.
        padding: "SAME" or "VALID", as TensorFlow has it.

    Returns:
        [batch, height, width, outputs] float32, smaller by the window where it is not padded.
    """
    return tf.nn.bias_add(tf.nn.conv2d(x, kernel, strides=1, padding=padding), bias)


def max_pool(x: tf.Tensor) -> tf.Tensor:
    """The maxima of 2×2 windows: [batch, height, width, channels] with height and width halved."""
    return tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")


def dense(x: tf.Tensor, kernel: Any, bias: Any) -> tf.Tensor:
    """A fully connected layer.

    Args:
        x: [batch, inputs] float32.
        kernel: [inputs, outputs] float32.
        bias: [outputs] float32.

    Returns:
        [batch, outputs] float32.
    """
    return tf.nn.bias_add(tf.matmul(x, kernel), bias)
