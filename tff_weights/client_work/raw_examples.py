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
    flat = tuple(tf.nest.flatten(examples.element_spec))
    read = _reader(flat, whole=number in range(_BATCH_SIZE + 1))
    try:
        variant, shapes = read(tf.data.experimental.to_variant(examples))
    except tf.errors.InvalidArgumentError as error:
        if "different shapes" not in str(error):
            raise
        raise ValueError(
            "examples must all have one shape, got several: pad them, or cut them to one length"
        ) from None
    if most is not None and shapes[0][0] > most:
        raise ValueError(
            f"examples must end: more than {most:,} were read of a data set that does not say how"
            " many there are; if that is right,"
            " examples.apply(tf.data.experimental.assert_cardinality(n)) says so"
        )
    found = [
        spec.shape if n is None else n[1:]
        for spec, n in zip(flat, map(tf.get_static_value, shapes))
    ]
    specs = [tf.TensorSpec([None, *shape], spec.dtype) for spec, shape in zip(flat, found)]
    structure = tf.nest.pack_sequence_as(examples.element_spec, specs)
    return tf.data.experimental.from_variant(variant, structure)


@functools.cache
def _reader(specs: tuple[tf.TensorSpec, ...], *, whole: bool) -> Callable[..., Any]:
    """Returns the function from examples to a data set whose only element they are.

    It takes and returns variants, and returns the shapes of the batches, too. As one function it
    takes a third of the time of its operations one by one, and TensorFlow keeps no operation for
    every number of rows.
    """

    def read(variant: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        examples = tf.data.experimental.from_variant(variant, specs)
        if whole:
            batches = examples.batch(WHOLE_DATASET)
        else:
            batches = examples.batch(_BATCH_SIZE).rebatch(WHOLE_DATASET)
        rows = first_element(batches, no_rows(batches.element_spec))
        held = tf.data.Dataset.from_tensors(rows)
        return tf.data.experimental.to_variant(held), [tf.shape(row) for row in rows]

    signature = [tf.TensorSpec([], tf.variant)]
    return tf.function(read, input_signature=signature, autograph=False)


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
            " leave .batch() out, since local training makes them (.unbatch() takes them apart);"
            " if the first dimension is a length, tf.ensure_shape states it"
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
