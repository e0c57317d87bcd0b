"""Scalars that the aggregator measures on each update, at the client.

A new field is one function and one entry of `UPDATE_FIELDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf


def squared_norm(update: Any) -> tf.Tensor:
    """Returns `‖Δ_i‖²` over all of the update's tensors, a float32 scalar."""
    return tf.add_n(
        [tf.reduce_sum(tf.square(tf.cast(x, tf.float32))) for x in tf.nest.flatten(update)]
    )


UPDATE_FIELDS: Mapping[str, Callable[[Any], tf.Tensor]] = {"squared_norm": squared_norm}
