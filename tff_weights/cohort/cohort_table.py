"""The cohort's table at the server, a row per client; tokens lead weights back to the clients."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.cohort.update_geometry import UPDATE_FIELDS
from tff_weights.float_types import widened

# TFF has no client identities. Each row has a random number, by which its client finds its weight.
# The client's index does not suffice: it may be unknown, or twice in a cohort.
_TOKEN = "token"
_REASON = "reason"
# The column with a client's index if it has kept something, and −1 otherwise.
KEPT = "kept"
GRAM_MATRIX = "gram_matrix"

# The reasons to leave out a client; if several apply, the first one counts.
REASONS = (
    "unknown_client",
    "no_examples",
    "update_not_finite",
    "report_not_finite",
    "report_negative",
)


def check_names(whose: str, names: Iterable[str]) -> None:
    """Checks that scalars have no name that a column of the table, or what stands beside it, has.

    Args:
        whose: What they belong to, for the message.
        names: Their names.

    Raises:
        ValueError: If one has.
    """
    taken = (_TOKEN, _REASON, KEPT, GRAM_MATRIX, *UPDATE_FIELDS)
    for name in names:
        if name in taken:
            raise ValueError(f"{whose}: the name {name!r} is taken, as are {sorted(taken)}")


def reason_to_leave_out(**applies: tf.Tensor) -> tf.Tensor:
    """Returns the reason to leave out a client, an int8 scalar: an index into `REASONS`, or −1.

    Args:
        **applies: Bool scalars by reason; reasons that are not given do not apply.
    """
    reason = tf.constant(-1, tf.int8)  # It has one byte, because it is sent.
    for place, name in reversed([*enumerate(REASONS)]):
        if name in applies:
            reason = tf.where(applies[name], tf.constant(place, tf.int8), reason)
    return reason


def takes_part(reason: tf.Tensor) -> tf.Tensor:
    """Returns whether a client takes part, bool, shaped like the reasons."""
    return reason < 0


def new_entry(fields: Mapping[str, tf.Tensor], reason: tf.Tensor) -> Any:
    """Returns a client's row.

    Args:
        fields: The report, scalars by name.
        reason: As `reason_to_leave_out` returns it.
    """
    return collections.OrderedDict(
        {
            # Never seeded, even if TensorFlow is deterministic: all clients would get the same
            # number.
            _TOKEN: tf.raw_ops.NonDeterministicInts(shape=np.zeros([0], np.int32), dtype=tf.int64),
            _REASON: reason,
            **fields,
        }
    )


def table_type(entry_type: tff.StructType) -> tff.StructType:
    """Returns the type of the table of such rows: a vector `[None]` per column."""
    return tff.to_type(
        collections.OrderedDict(
            (name, tff.TensorType(scalar_type.dtype, [None]))
            for name, scalar_type in tff.structure.iter_elements(entry_type)
        )
    )


def gather_table(entries: tff.Value) -> tff.Value:
    """Gathers the clients' rows at the server, inside a federated computation.

    Args:
        entries: Rows of `new_entry`, or other structures of scalars, placed at the clients.

    Returns:
        The table, placed at the server, its rows in one order for all columns.
    """
    entry_type = entries.type_signature.member
    # Rows are appended one by one, at a cost for each tensor. So there is one matrix for each dtype
    # instead of one vector for each column.
    columns = _columns_by_dtype(entry_type)

    @tff.tensorflow.computation
    def no_rows() -> Any:
        # The length stays open, as the accumulator's type demands.
        return collections.OrderedDict(
            (
                dtype,
                tf.compat.v1.placeholder_with_default(
                    np.zeros([0, len(names)], dtype), [None, len(names)]
                ),
            )
            for dtype, names in columns.items()
        )

    matrices_type = no_rows.type_signature.result

    @tff.tensorflow.computation(matrices_type, entry_type)
    def append(matrices: Any, entry: Any) -> Any:
        return collections.OrderedDict(
            (dtype, tf.concat([matrices[dtype], tf.stack([[entry[name] for name in names]])], 0))
            for dtype, names in columns.items()
        )

    @tff.tensorflow.computation(matrices_type, matrices_type)
    def concatenate(first: Any, second: Any) -> Any:
        return tf.nest.map_structure(lambda a, b: tf.concat([a, b], axis=0), first, second)

    @tff.tensorflow.computation(matrices_type)
    def as_table(matrices: Any) -> Any:
        table = {
            name: column
            for dtype, names in columns.items()
            for name, column in zip(names, tf.unstack(matrices[dtype], axis=1))
        }
        return collections.OrderedDict(
            (name, table[name]) for name, _ in tff.structure.iter_elements(entry_type)
        )

    return tff.federated_aggregate(entries, no_rows(), append, concatenate, as_table)


def _columns_by_dtype(entry_type: tff.StructType) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for name, scalar_type in tff.structure.iter_elements(entry_type):
        columns.setdefault(np.dtype(scalar_type.dtype).name, []).append(name)
    return columns


def reports_of_participants(table: Mapping[str, tf.Tensor]) -> Mapping[str, tf.Tensor]:
    """Returns the columns of the report, without the rows that are left out."""
    rows = _rows_of_participants(table)
    return collections.OrderedDict(
        (name, tf.gather(column, rows))
        for name, column in table.items()
        if name not in (_TOKEN, _REASON)
    )


def _rows_of_participants(table: Mapping[str, tf.Tensor]) -> tf.Tensor:
    return tf.squeeze(tf.where(takes_part(table[_REASON])), axis=1)


def participation(table: Mapping[str, tf.Tensor]) -> collections.OrderedDict[str, Any]:
    """Returns how many clients take part and how many do not, int32 scalars.

    Returns:
        `num_participants`, `num_left_out`, and under `left_out` how many for each of `REASONS`.
    """

    def count(condition: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.cast(condition, tf.int32))

    reason = table[_REASON]
    return collections.OrderedDict(
        num_participants=count(takes_part(reason)),
        num_left_out=count(~takes_part(reason)),
        left_out=collections.OrderedDict(
            (name, count(tf.equal(reason, place))) for place, name in enumerate(REASONS)
        ),
    )


def token_of(entry: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Returns a random number that identifies a client's row, an int64 scalar."""
    return entry[_TOKEN]


def tokens_of_participants(table: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Returns the tokens of those who take part, `[num_participants]` int64."""
    return tf.gather(table[_TOKEN], _rows_of_participants(table))


def address_weights(table: Mapping[str, tf.Tensor], weights: tf.Tensor) -> Any:
    """Returns what is broadcast so that each participant finds its weight.

    Args:
        table: The table.
        weights: `[num_participants]` float32, in the table's order.
    """
    return collections.OrderedDict(tokens=tokens_of_participants(table), weights=weights)


def scale_by_own_weight(values: tff.Value, entries: tff.Value, addressed: tff.Value) -> tff.Value:
    """Scales every client's value by its weight, inside a federated computation.

    Args:
        values: Structures of floats, placed at clients.
        entries: The clients' rows.
        addressed: What `address_weights` returned, placed at the server, which broadcasts it.

    Returns:
        The scaled values, `widened`, placed at the clients; those of dropped clients are 0.
    """

    @tff.tensorflow.computation(
        values.type_signature.member,
        entries.type_signature.member[_TOKEN],
        addressed.type_signature.member,
    )
    def scale(value: Any, token: tf.Tensor, addressed: Any) -> Any:
        is_own = tf.equal(addressed["tokens"], token)
        weight = tf.reduce_sum(tf.where(is_own, addressed["weights"], 0.0))
        return tf.nest.map_structure(lambda x: x * tf.cast(weight, x.dtype), widened(value))

    return tff.federated_map(scale, (values, entries[_TOKEN], tff.federated_broadcast(addressed)))


def in_single_precision(reports: Mapping[str, tf.Tensor]) -> Mapping[str, tf.Tensor]:
    """Returns reports in float32, in which every weighting computes, also of a float64 model."""
    return collections.OrderedDict(
        (name, tf.cast(column, tf.float32) if column.dtype == tf.float64 else column)
        for name, column in reports.items()
    )
