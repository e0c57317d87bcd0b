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

    @tff.tensorflow.computation(value_type)
    def as_row(value: Any) -> Any:
        # `boolean_mask` leaves the number of rows open, as the accumulator's type demands.
        return tf.nest.map_structure(lambda x: tf.boolean_mask(x[tf.newaxis], [True]), value)

    rows_type = as_row.type_signature.result

    @tff.tensorflow.computation
    def no_rows() -> Any:
        specs = tff.types.type_to_tf_tensor_specs(value_type)
        return tf.nest.map_structure(
            lambda spec: tf.boolean_mask(tf.zeros([1, *spec.shape], spec.dtype), [False]), specs
        )

    @tff.tensorflow.computation(rows_type, rows_type)
    def concatenate(first: Any, second: Any) -> Any:
        return tf.nest.map_structure(lambda a, b: tf.concat([a, b], axis=0), first, second)

    @tff.tensorflow.computation(rows_type)
    def all_rows(rows: Any) -> Any:
        return rows

    rows = tff.federated_map(as_row, values)
    return tff.federated_aggregate(rows, no_rows(), concatenate, concatenate, all_rows)
