"""A client's examples as dense tensors, and the orders in which training visits them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tff_weights.client_work.random_numbers import round_key

# A batch larger than any client, as rows are counted by 32 bits. tf.data reserves no memory for it.
WHOLE_DATASET = 2**31 - 1
# XLA compiles for each size: 100 rounds of FedFa take 15 s of processor time with four sizes and
# 18 s with six. Large sizes are closer together, because padding costs time in every pass.
_PADDED_SIZES = (64, 256, 1024, *(2**exponent for exponent in range(12, 31)))


def to_dense(batches: tf.data.Dataset) -> Any:
    """Reads a client's whole data set into tensors.

    Args:
        batches: Batches of any sizes, usually one.

    Returns:
        The structure of tensors `[num_examples, ...]`, in the data set's order; 0 rows for an empty
        data set.
    """
    nothing = no_rows(batches.element_spec)
    return first_element(batches.rebatch(WHOLE_DATASET), nothing)


def no_rows(batch_spec: Any) -> Any:
    """Returns an empty batch; sizes that are not known are 0."""
    return tf.nest.map_structure(
        lambda spec: tf.zeros([0] + [size or 0 for size in spec.shape[1:]], spec.dtype), batch_spec
    )


def first_element(dataset: tf.data.Dataset, otherwise: Any) -> Any:
    """Returns a data set's first element, or `otherwise`, of the same types, if it is empty."""
    options = tf.data.Options()
    # Rewriting the pipeline costs more than reading a few elements.
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    # `reduce` would need no second data set, but instantiates its function at every call.
    otherwise = tf.data.Dataset.from_tensors(otherwise)
    return dataset.concatenate(otherwise).take(1).with_options(options).get_single_element()


def count_rows(dense: Any) -> tf.Tensor:
    """Returns the number of examples, an int32 scalar."""
    return tf.shape(tf.nest.flatten(dense)[0])[0]


def padded_size(num_examples: tf.Tensor) -> tf.Tensor:
    """Returns the next power of four, at least 64; above 4,096 the next power of two."""
    sizes = tf.constant(_PADDED_SIZES, tf.int32)
    return sizes[tf.searchsorted(sizes, num_examples[tf.newaxis])[0]]


def pad(dense: Any, size: tf.Tensor) -> Any:
    """Appends rows of zeros to every tensor until it has `size` rows."""

    def pad_tensor(tensor: tf.Tensor) -> tf.Tensor:
        rows = [0, size - tf.shape(tensor)[0]]
        return tf.pad(tensor, [rows, *[[0, 0]] * (tensor.shape.rank - 1)])

    return tf.nest.map_structure(pad_tensor, dense)


def pad_with_first(dense: Any, num_rows: tf.Tensor) -> Any:
    """Appends copies of the first row until there are `num_rows`, or zeros if there is no row.

    A model may fail on rows of zeros, and a weight of 0 does not remove NaN.
    """
    places = tf.range(num_rows)
    rows = tf.where(places < count_rows(dense), places, 0)
    return tf.nest.map_structure(lambda tensor: tf.gather(tensor, rows), pad(dense, num_rows))


def epoch_orders(
    *,
    num_examples: tf.Tensor,
    num_epochs: tf.Tensor,
    num_visited: tf.Tensor,
    shuffle: bool,
    seed: int,
    round_number: tf.Tensor,
    client_index: tf.Tensor,
) -> tf.Tensor:
    """Returns the order of the examples in each epoch.

    The orders depend only on the arguments. So they are the same in a resumed run, with another
    order of the cohort, and on another machine.

    Args:
        num_examples: int32 scalar.
        num_epochs: int32 scalar.
        num_visited: int32 scalar, the number of examples that an epoch visits, at most
            `num_examples`.
        shuffle: Whether each epoch has a random order; otherwise all epochs have the data set's
            order.
        seed: In [0, 2**31).
        round_number: int32 scalar.
        client_index: int64 scalar.

    Returns:
        `[num_epochs, num_visited]` int32; each row is the beginning of a permutation.
    """
    if not shuffle:
        return tf.tile(tf.range(num_visited)[tf.newaxis], [num_epochs, 1])
    key = round_key(seed, round_number, client_index)
    keys = tf.random.stateless_uniform([num_epochs, num_examples], seed=key, alg="philox")
    # The smallest keys in order. Fresh mini-batches visit only a few examples of each epoch, and
    # sorting all with `tf.argsort` would take longer than training.
    return tf.math.top_k(-keys, k=num_visited).indices
