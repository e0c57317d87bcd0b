"""The Gram matrix of a cohort's updates, for weightings that compare every two of them.

The server sees every single update. So inner factories that hide updates are refused.
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.cohort import cohort_table
from tff_weights.cohort.gathered_rows import gather_rows
from tff_weights.runtime.compilation import SECURE_PREFIX
from tff_weights.runtime.program.context import ProgramContext
from tff_weights.runtime.program.options import ProgramOptions

# Products of two numbers in one matrix: some seconds, and hundreds of clients for most models.
_MOST_PRODUCTS = 2**36


def most_clients(num_weights: int) -> int:
    """Returns the most clients for which the matrix is computed: `n² d ≤ 2³⁶` for `d` weights."""
    return max(int((_MOST_PRODUCTS // max(num_weights, 1)) ** 0.5), 2)


def check_shows_updates(name: str, inner: tff.templates.AggregationProcess) -> None:
    """Checks that an inner process does not hide what the Gram matrix shows.

    To detect noise, two updates of zeros are aggregated inside the program.

    Args:
        name: The weighting's, for the message.
        inner: The process that adds up the updates.

    Raises:
        ValueError: If it sums securely, or adds noise.
    """
    reason = "sums securely" if _is_secure(inner) else "adds noise" if _is_noisy(inner) else None
    if reason is not None:
        raise ValueError(
            f"weighting {name!r} compares every two updates, which the server must see, but "
            f"inner_factory {reason}: take one that does not, or another weighting"
        )


def _is_secure(inner: tff.templates.AggregationProcess) -> bool:
    found = []

    def note(block: Any) -> tuple[Any, bool]:
        if isinstance(block, tff.framework.Intrinsic):
            found.append(block.uri)
        return block, False

    tff.framework.transform_postorder(inner.next.to_building_block(), note)
    return any(uri.startswith(SECURE_PREFIX) for uri in found)


def _is_noisy(inner: tff.templates.AggregationProcess) -> bool:
    value_type = inner.next.type_signature.parameter[1].member
    zeros = tf.nest.map_structure(
        lambda spec: np.zeros(spec.shape, spec.dtype.as_numpy_dtype),
        tff.types.type_to_tf_tensor_specs(value_type),
    )
    context = ProgramContext(ProgramOptions(device="cpu"))
    try:
        with tff.framework.get_context_stack().install(context):
            result = inner.next(inner.initialize(), [zeros] * 2).result
    except Exception:  # In its own runtime it may still work, or raise its own error.
        return False
    finally:
        context.close()
    return any(np.any(np.asarray(x) != 0) for x in tf.nest.flatten(result))


def gather_gram_matrix(values: tff.Value, entries: tff.Value, table: tff.Value) -> tff.Value:
    """Returns the Gram matrix at the server, inside a federated computation.

    Args:
        values: The updates, structures of floats, placed at the clients; zeros for dropped clients.
        entries: The clients' rows of the table.
        table: The cohort's table, placed at the server.

    Returns:
        `[n, n]` float32, `<Δ_i, Δ_j>` of the participants, in the table's order. The products are
        added up in float64 and then rounded. So the order of the sums, which depends on the
        processor, changes a digit only where a product lies on the edge of rounding. The
        computation ends with an error where there are more than `most_clients`.
    """
    value_type = values.type_signature.member
    specs = tf.nest.flatten(tff.types.type_to_tf_tensor_specs(value_type))
    num_weights = sum(spec.shape.num_elements() for spec in specs)

    @tff.tensorflow.computation(value_type, entries.type_signature.member)
    def as_row(value: Any, entry: Any) -> Any:
        flat = [tf.reshape(tf.cast(x, tf.float32), [-1]) for x in tf.nest.flatten(value)]
        return collections.OrderedDict(
            token=cohort_table.token_of(entry), update=tf.concat(flat, 0)
        )

    rows = gather_rows(tff.federated_map(as_row, (values, entries)))

    @tff.tensorflow.computation(rows.type_signature.member, table.type_signature.member)
    def multiply(rows: Any, table: Any) -> tf.Tensor:
        tokens, most = cohort_table.tokens_of_participants(table), most_clients(num_weights)
        is_few = tf.debugging.assert_less_equal(
            tf.size(tokens),
            most,
            f"a weighting that compares every two updates of {num_weights:,} weights takes at most "
            f"{most:,} clients a round",
        )
        with tf.control_dependencies([is_few]):
            # The rows of two aggregations may differ in order; tokens identify them.
            places = tf.where(tf.equal(tokens[:, tf.newaxis], rows["token"]))[:, 1]
            updates = tf.cast(tf.gather(rows["update"], places), tf.float64)
            return tf.cast(tf.matmul(updates, updates, transpose_b=True), tf.float32)

    return tff.federated_map(multiply, (rows, table))
