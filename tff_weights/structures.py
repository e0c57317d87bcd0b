"""Structures of tensors: zeros, a choice between two, and whether all is finite."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def zeros_like(specs: Any) -> Any:
    """Returns zeros shaped and typed like specs."""
    return tf.nest.map_structure(lambda spec: tf.zeros(spec.shape, spec.dtype), specs)


def chosen(condition: tf.Tensor, yes: Any, no: Any) -> Any:
    """Returns one of two structures of the same shapes and dtypes, by a bool scalar."""
    return tf.nest.map_structure(lambda a, b: tf.where(condition, a, b), yes, no)


def is_all_finite(structure: Any) -> tf.Tensor:
    """Returns whether every float in the structure is finite, a bool scalar."""
    floats = [tensor for tensor in tf.nest.flatten(structure) if tensor.dtype.is_floating]
    return tf.reduce_all([True, *(tf.reduce_all(tf.math.is_finite(tensor)) for tensor in floats)])
