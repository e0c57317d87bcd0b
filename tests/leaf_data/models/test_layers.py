"""Tests of `leaf_data.models.layers` and `embedding`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from leaf_data.models import layers
from leaf_data.models.embedding import embed, glorot_uniform
from leaf_data.pixels import UNIT, PixelScaling


def test_initial_layers_are_glorot_uniform():
    """U(-l, l), l = √(6 / (25 · (20 + 30))) = 0.0693 for a 5×5 convolution of 20 to 30 channels.

    Its deviation is l/√3; of n draws its relative standard error is √(0.2/n).
    """
    kernel, bias = layers.initial_layers([(5, 5, 20, 30)], seed=0)
    limit = np.sqrt(6 / (25 * 50))
    assert kernel.dtype == bias.dtype == np.float32
    assert 0.99 * limit < np.abs(kernel).max() <= limit * 1.0001
    assert kernel.std() == pytest.approx(limit / np.sqrt(3), rel=4 * np.sqrt(0.2 / kernel.size))
    np.testing.assert_array_equal(bias, np.zeros(30))


def test_each_layer_of_a_model_has_weights_of_its_own():
    weights = layers.initial_layers([(3, 4), (3, 4)], seed=1)
    assert not np.array_equal(weights[0], weights[2])


def test_pixels_are_scaled():
    """(51 - 1) / 10 = 5, and (255 - 55) / 40 = 5: each pixel by its own numbers."""
    x = tf.constant([[[51, 255]], [[1, 55]]], tf.uint8)
    scaled = layers.scale_pixels(x, PixelScaling([[1, 55]], [[10, 40]]))
    np.testing.assert_allclose(scaled, [[[[5], [5]]], [[[0], [0]]]])
    assert layers.scale_pixels(tf.zeros([2, 3, 4, 3], tf.uint8), UNIT).shape == (2, 3, 4, 3)


def test_flatten_takes_batches_of_unknown_size():
    flatten = tf.function(layers.flatten, input_signature=[tf.TensorSpec([None, 2, 3], tf.float32)])
    assert flatten(tf.zeros([4, 2, 3])).shape == (4, 6)


def test_max_pool_drops_an_odd_row():
    x = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    np.testing.assert_array_equal(layers.max_pool(x)[0, :, :, 0], [[6, 8], [16, 18]])


def test_rows_of_an_embedding_and_their_dense_gradient():
    """Row 1 occurs twice, with factors 1 and 3; row 2 never does."""
    embedding = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    factors = tf.constant([[[2.0, 2.0], [1.0, 1.0]], [[3.0, 3.0], [0.0, 0.0]]])
    with tf.GradientTape() as tape:
        tape.watch(embedding)
        rows = embed(embedding, tf.constant([[0, 1], [1, 0]]))
        loss = tf.reduce_sum(rows * factors)
    np.testing.assert_array_equal(rows, [[[1, 2], [3, 4]], [[3, 4], [1, 2]]])
    gradient = tape.gradient(loss, embedding)
    assert isinstance(gradient, tf.Tensor)
    np.testing.assert_array_equal(gradient, [[2, 2], [4, 4], [0, 0]])


def test_an_initial_embedding_is_glorot_uniform():
    """U(-l, l), l = √(6 / (200 + 100)) = 0.141421."""
    matrix = glorot_uniform(np.random.default_rng(0), 200, 100)
    assert (matrix.shape, matrix.dtype) == ((200, 100), np.float32)
    assert 0.141 < np.abs(matrix).max() <= 0.141422
