"""Gathers what clients have as rows of tensors, which the server then sees."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow_federated as tff


def gather_rows(values: tff.Value) -> tff.Value:
    """Gathers the clients' values at the server, inside a federated computation.

    Args:
        values: Structures of tensors `[...]`, placed at the clients.

    Returns:
        The same structure of tensors `[n, ...]`, placed at the server: a row for each client, in
        one order for all tensors, which depends on the runtime.
    """
    value_type = values.type_signature.member

    @tff.tensorflow.computation
    def no_rows() -> Any:
        # `boolean_mask` leaves the number of rows open, as the accumulator's type demands.
        specs = tff.types.type_to_tf_tensor_specs(value_type)
        return tf.nest.map_structure(
            lambda spec: tf.boolean_mask(tf.zeros([1, *spec.shape], spec.dtype), [False]), specs
        )

    rows_type = no_rows.type_signature.result

    @tff.tensorflow.computation(rows_type, value_type)
    def append(rows: Any, value: Any) -> Any:
        return tf.nest.map_structure(lambda a, b: tf.concat([a, b[tf.newaxis]], 0), rows, value)

    @tff.tensorflow.computation(rows_type, rows_type)
    def concatenate(first: Any, second: Any) -> Any:
        return tf.nest.map_structure(lambda a, b: tf.concat([a, b], 0), first, second)

    @tff.tensorflow.computation(rows_type)
    def all_rows(rows: Any) -> Any:
        return rows

    return tff.federated_aggregate(values, no_rows(), append, concatenate, all_rows)
