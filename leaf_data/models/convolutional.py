"""Two convolutions and two dense layers: the CNNs of FedAdp, WeiAvg and FedVeca."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.models import classification, layers
from leaf_data.pixels import UNIT, PixelScaling

_WINDOW = (5, 5)
# The smallest images that the convolutions do not reduce to nothing.
_SMALLEST = {"SAME": 4, "VALID": 16}


def fed_adp_cnn(
    *,
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds FedAdp's CNN, which is McMahan et al.'s: 1,663,370 parameters on 28×28 images.

    "5×5×32 convolutional → 2×2 max pool → 5×5×64 convolutional → 2×2 max pool → 1024×512 fully
    connected → 512×10 fully connected → softmax (1,663,370 total parameters)" (Wu and Wang, IEEE
    TCCN 2021, section V, footnote 4). The two numbers contradict each other: convolutions without
    padding leave 1,024 inputs, which gives 582,026 parameters. Decision: the total is right, as
    McMahan et al. have the same (arXiv:1602.05629, section 3). So the convolutions are padded, and
    the dense layer has 7·7·64 = 3,136 inputs. The last layer has no ReLU, although the footnote
    gives one to all. WeiAvg's paper names no model; this is its data sets' default.

    Args:
        image_shape: (height, width) or (height, width, channels); (32, 32, 3) gives 2,156,490
            parameters for 10 classes.
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        The model; see `_two_convolutions`.

    Raises:
        ValueError: If an argument is out of range.
    """
    return _two_convolutions(
        image_shape, num_classes, seed, pixels, pixel_dtype, num_filters=(32, 64), num_hidden=512
    )


def fed_adp_cnn_unpadded(
    *,
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds the other reading of FedAdp's CNN: 582,026 parameters on 28×28 images.

    Its convolutions are not padded. So the dense layer has the paper's 1,024 = 4·4·64 inputs, but
    the total of parameters differs; see `fed_adp_cnn`.

    Args:
        image_shape: (height, width) or (height, width, channels), at least 16×16.
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        The model; see `_two_convolutions`.

    Raises:
        ValueError: If an argument is out of range.
    """
    return _two_convolutions(
        image_shape,
        num_classes,
        seed,
        pixels,
        pixel_dtype,
        num_filters=(32, 64),
        num_hidden=512,
        padding="VALID",
    )


def fed_veca_cnn(
    *,
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    pixels: PixelScaling = UNIT,
    pixel_dtype: tf.DType = tf.uint8,
) -> tff.learning.models.FunctionalModel:
    """Builds FedVeca's CNN: two padded 5×5×32 convolutions and a dense layer of 256 units.

    Luo et al., IEEE TPDS 2024, section V-A, footnote 2: "Two 5×5×32 convolution layers, two 2×2 max
    pool layers, a 1568×256 fully connected layer, a 256×10 fully connected layer, and a softmax
    output layer". 1,568 = 7·7·32 is for 28×28 images; CIFAR-10's 32×32 give 2,048. Decision: ReLU
    between the layers, and no local response normalization. The paper's predecessor has one (Wang
    et al., https://github.com/IBM/adaptive-federated-learning); the paper does not name it.

    Args:
        image_shape: (height, width) or (height, width, channels).
        num_classes: The number of classes, at least 2.
        seed: The seed of the initial weights, a non-negative integer.
        pixels: How the model scales the bytes.
        pixel_dtype: The dtype of the images; uint8 for bytes.

    Returns:
        The model; see `_two_convolutions`.

    Raises:
        ValueError: If an argument is out of range.
    """
    return _two_convolutions(
        image_shape, num_classes, seed, pixels, pixel_dtype, num_filters=(32, 32), num_hidden=256
    )


def _two_convolutions(
    image_shape: Sequence[int],
    num_classes: int,
    seed: int,
    pixels: PixelScaling,
    pixel_dtype: tf.DType,
    *,
    num_filters: tuple[int, int],
    num_hidden: int,
    padding: str = "SAME",
) -> tff.learning.models.FunctionalModel:
    """Convolution, pool, convolution, pool, dense, dense, with ReLU between.

    The model's input is `Batch(x=[None, *image_shape] pixel_dtype, y=[None] int32)`. Its trainable
    weights are four kernels, Glorot uniform, and four biases, zero. Its predictions are logits
    [batch, num_classes], its loss is the weighted mean cross entropy, its metric is `accuracy`.
    """
    layers.check_images(image_shape, pixels, pixel_dtype)
    classification.check_num_classes(num_classes)
    height, width, channels = (*image_shape, 1)[:3]
    num_flat = _size_left(height, padding) * _size_left(width, padding) * num_filters[1]
    kernel_shapes = [
        (*_WINDOW, channels, num_filters[0]),
        (*_WINDOW, *num_filters),
        (num_flat, num_hidden),
        (num_hidden, num_classes),
    ]
    if num_flat == 0:
        raise ValueError(
            f"image_shape is {tuple(image_shape)}; height and width must be at least"
            f" {_SMALLEST[padding]}."
        )

    @tf.function
    def predict_on_batch(model_weights: Any, x: tf.Tensor, training: bool = True) -> tf.Tensor:
        del training  # The same in training and evaluation.
        (kernel_1, bias_1, kernel_2, bias_2, kernel_3, bias_3, kernel_4, bias_4), _ = model_weights
        x = layers.scale_pixels(x, pixels)
        for kernel, bias in ((kernel_1, bias_1), (kernel_2, bias_2)):
            x = layers.convolution(x, kernel, bias, padding=padding)
            x = layers.max_pool(tf.nn.relu(x))
        x = tf.nn.relu(layers.dense(layers.flatten(x), kernel_3, bias_3))
        return layers.dense(x, kernel_4, bias_4)

    return classification.classifier(
        (layers.initial_layers(kernel_shapes, seed=seed), ()),
        predict_on_batch,
        layers.image_input_spec(image_shape, pixel_dtype),
    )


def _size_left(size: int, padding: str) -> int:
    """The height or width after two convolutions, each with a pool."""
    lost = _WINDOW[0] - 1 if padding == "VALID" else 0
    return max(0, (size - lost) // 2 - lost) // 2
