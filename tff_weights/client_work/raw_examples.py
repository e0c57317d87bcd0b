"""From a client's raw examples to one batch of them all."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tff_weights.client_work.dense_examples import WHOLE_DATASET, first_element, no_rows

# A data set of unknown size, such as a generator's, may be endless. After this many examples or
# bytes it counts as endless.
MOST_EXAMPLES = 1_000_000
MOST_BYTES = 2**30
# tf.data holds a batch's examples one by one until the batch is complete. For many small examples
# this would need a multiple of their size. For a few examples, two steps take three times as long.
_BATCH_SIZE = 2**16


def as_one_batch(examples: tf.data.Dataset) -> tf.data.Dataset:
    """Reads a client's examples, once, into a data set that holds them as tensors.

    Reading 600 examples one by one takes 0.6 ms, as one batch 0.1 ms, in every round.

    Args:
        examples: Unbatched examples, tensors of one shape each. If their number is unknown, at most
            1,000,000 examples and 1 GiB are read; `tf.data.experimental.assert_cardinality` makes
            the number known.

    Returns:
        One batch of all examples, in the data set's order; it may have 0 rows.

    Raises:
        TypeError: If `examples` is no `tf.data.Dataset`.
        ValueError: If the examples never end, if no end is found, if they do not fit into memory,
            are batched, or are not tensors of one shape.
    """
    if not isinstance(examples, tf.data.Dataset):
        raise TypeError(
            f"examples must be a tf.data.Dataset of single examples, got {type(examples).__name__}"
        )
    _check_elements(examples.element_spec)
    number = tf.get_static_value(examples.cardinality())  # None in a graph.
    if number is not None:
        _check_number(number, examples.element_spec)
    most = None
    if number == tf.data.UNKNOWN_CARDINALITY:
        most = min(MOST_EXAMPLES, max(MOST_BYTES // _bytes_of_one(examples.element_spec), 1))
        examples = examples.take(most + 1)
    if number in range(_BATCH_SIZE + 1):
        batches = examples.batch(WHOLE_DATASET)
    else:
        batches = examples.batch(_BATCH_SIZE).rebatch(WHOLE_DATASET)
    try:
        rows = first_element(batches, no_rows(batches.element_spec))
    except tf.errors.InvalidArgumentError as error:
        if "different shapes" not in str(error):
            raise
        raise ValueError(
            "examples must all have one shape, got several: pad them, or cut them to one length"
        ) from None
    flat = tf.nest.flatten(rows)
    if most is not None and flat[0].shape[0] > most:
        raise ValueError(
            f"examples must end: more than {most:,} were read of a data set that does not say how"
            " many there are; if that is right,"
            " examples.apply(tf.data.experimental.assert_cardinality(n)) says so"
        )
    specs = tuple(tf.TensorSpec([None, *row.shape[1:]], row.dtype) for row in flat)
    variant = _hold_function(specs)(*flat)
    element_spec = tf.nest.pack_sequence_as(batches.element_spec, specs)
    return tf.data.experimental.from_variant(variant, element_spec)


@functools.cache
def _hold_function(specs: tuple[tf.TensorSpec, ...]) -> Callable[..., tf.Tensor]:
    """Returns the function from tensors to a data set whose only element they are.

    Else TensorFlow keeps an operation for every number of rows.
    """
    return tf.function(
        lambda *rows: tf.data.experimental.to_variant(tf.data.Dataset.from_tensors(rows)),
        input_signature=specs,
        autograph=False,
    )


def _check_elements(element_spec: Any) -> None:
    specs = tf.nest.flatten(element_spec)
    for spec in specs:
        if not isinstance(spec, tf.TensorSpec):
            raise ValueError(
                f"examples must be tensors of one shape, got {spec}: a RaggedTensor or SparseTensor"
                " becomes one with .to_tensor() or tf.sparse.to_dense"
            )
        if spec.shape.rank is None:
            raise ValueError(
                f"examples must be tensors of a known shape, got {spec}: a generator's is its"
                " output_signature"
            )
    if specs and all(spec.shape.rank and spec.shape[0] is None for spec in specs):
        raise ValueError(
            f"examples must be single examples of one shape, got {element_spec}, which are batches:"
            " leave .batch() out, since local training makes them (.unbatch() takes them apart)"
        )


def _check_number(number: int, element_spec: Any) -> None:
    if number == tf.data.INFINITE_CARDINALITY:
        raise ValueError(
            "examples must end, got a data set without an end: leave .repeat() out, since local"
            " training makes the epochs (LocalTraining.epochs)"
        )
    size = _bytes_of_one(element_spec)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if number > WHOLE_DATASET or 2 * number * size > memory:  # As batches and as a whole.
        raise ValueError(
            f"examples must fit twice into the memory of {memory / 2**30:,.0f} GiB, got {number:,}"
            f" of {size:,} bytes each"
        )


def _bytes_of_one(element_spec: Any) -> int:
    """Returns the size of one example as far as it is known, at least 1."""
    return max(
        1,
        sum(
            (spec.shape.num_elements() or 0) * (0 if spec.dtype == tf.string else spec.dtype.size)
            for spec in tf.nest.flatten(element_spec)
        ),
    )
