"""Rows of a matrix by their indices: the embedding of symbols and words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf


def embed(embedding: tf.Tensor, indices: tf.Tensor) -> tf.Tensor:
    """Looks up rows.

    The gradient is a dense tensor, which solvers can add to others. They cannot add the
    `tf.IndexedSlices` of `tf.gather`.

    Args:
        embedding: [num_rows, size] float32.
        indices: [...] int32, in `0..num_rows-1`.

    Returns:
        [..., size] float32.
    """
    rows: tf.Tensor = _gather(tf.convert_to_tensor(embedding), indices)
    return rows


@tf.custom_gradient
def _gather(
    embedding: tf.Tensor, indices: tf.Tensor
) -> tuple[tf.Tensor, Callable[[tf.Tensor], Any]]:
    def gradient(of_rows: tf.Tensor) -> Any:
        flat = tf.reshape(of_rows, [-1, embedding.shape[1]])
        num_rows = embedding.shape[0]
        return tf.math.unsorted_segment_sum(flat, tf.reshape(indices, [-1]), num_rows), None

    return tf.gather(embedding, indices), gradient


def glorot_uniform(generator: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    """Draws a matrix from U(-l, l) with `l = √(6 / (rows + columns))`, TensorFlow's default.

    Args:
        generator: The source of randomness.
        *shape: The numbers of rows and columns.

    Returns:
        The matrix, float32.
    """
    limit = np.sqrt(6.0 / sum(shape))
    return generator.uniform(-limit, limit, shape).astype(np.float32)
