"""Tests of `leaf_data.models.embedding`."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from leaf_data.models.embedding import embed, glorot_uniform


def test_rows_and_their_dense_gradient():
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


def test_glorot_uniform():
    """U(-l, l), l = √(6 / (200 + 100)) = 0.141421."""
    matrix = glorot_uniform(np.random.default_rng(0), 200, 100)
    assert (matrix.shape, matrix.dtype) == ((200, 100), np.float32)
    assert 0.141 < np.abs(matrix).max() <= 0.141422
