"""A client's examples as dense tensors, and the orders in which training visits them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tff_weights.client_work.random_numbers import round_key

# One batch larger than any client, whose rows have 32-bit numbers; tf.data reserves no memory.
WHOLE_DATASET = 2**31 - 1
# XLA compiles for each size: 100 rounds of FedFa take 15 s of processor time with four sizes and
# 18 s with six. Large sizes lie closer together, since a pass goes through the padding, too.
_PADDED_SIZES = (64, 256, 1024, *(2**exponent for exponent in range(12, 31)))


def to_dense(batches: tf.data.Dataset) -> Any:
    """Reads a client's whole data set into tensors.

    Args:
        batches: Batches of any sizes, usually one.

    Returns:
        The structure of tensors `[num_examples, ...]`, in the data set's order; 0 rows where the
        data set holds nothing.
    """
    nothing = no_rows(batches.element_spec)
    return first_element(batches.rebatch(WHOLE_DATASET), nothing)


def no_rows(batch_spec: Any) -> Any:
    """Returns a batch of no examples, with a size of 0 wherever it is not known."""
    return tf.nest.map_structure(
        lambda spec: tf.zeros([0] + [size or 0 for size in spec.shape[1:]], spec.dtype), batch_spec
    )


def first_element(dataset: tf.data.Dataset, otherwise: Any) -> Any:
    """Returns a data set's first element, or `otherwise`, of the same types, where it is empty."""
    options = tf.data.Options()
    # To rewrite the pipeline costs more than to read a few elements.
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    # `reduce` would need no second data set, but has its function instantiated at every call.
    otherwise = tf.data.Dataset.from_tensors(otherwise)
    return dataset.concatenate(otherwise).take(1).with_options(options).get_single_element()


def count_rows(dense: Any) -> tf.Tensor:
    """Returns the number of examples, an int32 scalar."""
    return tf.shape(tf.nest.flatten(dense)[0])[0]


def padded_size(num_examples: tf.Tensor) -> tf.Tensor:
    """Returns the next power of four, at least 64, from 4,096 on of two; no row is lost."""
    sizes = tf.constant(_PADDED_SIZES, tf.int32)
    return sizes[tf.searchsorted(sizes, num_examples[tf.newaxis])[0]]


def pad(dense: Any, size: tf.Tensor, *, axis: int = 0) -> Any:
    """Appends zeros to every tensor until `axis` has `size` entries."""

    def pad_tensor(tensor: tf.Tensor) -> tf.Tensor:
        paddings = [[0, 0]] * tensor.shape.rank
        paddings[axis] = [0, size - tf.shape(tensor)[axis]]
        return tf.pad(tensor, paddings)

    return tf.nest.map_structure(pad_tensor, dense)


def pad_with_first(dense: Any, num_rows: tf.Tensor) -> Any:
    """Appends copies of the first row until there are `num_rows`; zeros where there is no row.

    A model may fail on rows of zeros, and what is not a number does not vanish by a weight of 0.
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

    The orders depend on nothing but the arguments: a resumed run, another order of the cohort
    and another machine get the same ones.

    Args:
        num_examples: int32 scalar.
        num_epochs: int32 scalar.
        num_visited: int32 scalar, at most `num_examples`: how many examples an epoch visits.
        shuffle: Whether each epoch has a random order; otherwise all have the data set's.
        seed: In [0, 2**31).
        round_number: int32 scalar.
        client_index: int64 scalar.

    Returns:
        `[num_epochs, num_visited]` int32, every row the beginning of a permutation.
    """
    if not shuffle:
        return tf.tile(tf.range(num_visited)[tf.newaxis], [num_epochs, 1])
    key = round_key(seed, round_number, client_index)
    keys = tf.random.stateless_uniform([num_epochs, num_examples], seed=key, alg="philox")
    # The smallest keys in order, as `tf.argsort` would find them; but fresh mini-batches visit only
    # a few examples of each epoch, and sorting all of them would take longer than to train.
    return tf.math.top_k(-keys, k=num_visited).indices
