"""A client's data and its plan for one round, ready for the training loop."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.checks import check_integer
from tff_weights.client_work import dense_examples
from tff_weights.client_work.local_model import LocalModel
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.random_numbers import round_key
from tff_weights.client_work.raw_examples import as_one_batch
from tff_weights.client_work.uniform_epochs import UniformEpochs


class LocalData(NamedTuple):
    """A client's data as dense tensors.

    Attributes:
        client_index: int64 scalar, the client's position in `0..num_clients−1`.
        examples: Structure of tensors `[num_rows, ...]`; the first `num_examples` rows are
            examples, the others are padding.
        num_examples: int32 scalar `n_i`.
    """

    client_index: tf.Tensor
    examples: Any
    num_examples: tf.Tensor


class RoundPlan(NamedTuple):
    """Which examples a client visits in one round, and how fast it learns.

    Attributes:
        batches: `[num_batches, width]` int32, the rows of the examples that each step visits;
            there are at least `num_steps` batches. The width is `batch_size`, or the number of
            rows, if that is smaller.
        batch_sizes: `[num_batches]` int32, how many of a batch's rows count. The last batch of an
            epoch may have fewer examples and is filled with a repeated one.
        num_steps: int32 scalar `τ_i`.
        learning_rate: float32 scalar `η_t`; the rate of the first step, if it falls within the
            round.
    """

    batches: tf.Tensor
    batch_sizes: tf.Tensor
    num_steps: tf.Tensor
    learning_rate: tf.Tensor


def client_data_type(model: LocalModel) -> tff.Type:
    """Returns the type of one client's data, `<client_index=int64*, examples=B*>`.

    The index is a sequence of exactly one element, because a learning process only accepts
    sequences from clients. The examples are batches `B` of any sizes, usually a single one.
    """
    return tff.to_type(
        collections.OrderedDict(
            client_index=tff.SequenceType(np.int64),
            examples=tff.SequenceType(tff.types.tensorflow_to_type(model.input_spec)),
        )
    )


def client_data(client_index: int, examples: tf.data.Dataset) -> dict[str, tf.data.Dataset]:
    """Returns one client's data in the form that every process of this library takes.

    The examples are read once, now: keep what is returned for the client's next round.

    Args:
        client_index: The client's position in `0..num_clients−1`, the same in every round.
        examples: The client's raw, unbatched examples; batching, shuffling and epochs belong to
            the algorithm's local training. See `raw_examples.as_one_batch`.

    Raises:
        TypeError: If `examples` is no `tf.data.Dataset`.
        ValueError: If the index is no integer in `0..2⁶³−1`, or if the examples never end, are
            batched, differ in shape, or do not fit into memory.
    """
    check_integer("client_index", client_index, least=0, below=2**63)
    return collections.OrderedDict(
        client_index=tf.data.Dataset.from_tensors(np.int64(client_index)),
        examples=as_one_batch(examples),
    )


def read_local_data(data: Any, *, padded: bool) -> LocalData:
    """Reads one client's data inside its computation.

    Args:
        data: Of the type that `client_data_type` returns.
        padded: Whether to pad the examples to one of a few sizes.
    """
    # −1 if the sequence is empty: no history knows this index.
    client_index = dense_examples.first_element(data["client_index"], np.int64(-1))
    examples = dense_examples.to_dense(data["examples"])
    num_examples = dense_examples.count_rows(examples)
    if padded:
        examples = dense_examples.pad_with_first(examples, dense_examples.padded_size(num_examples))
    return LocalData(client_index, examples, num_examples)


def num_local_steps(
    local_training: LocalTraining, num_examples: tf.Tensor, *, drawn_epochs: tf.Tensor | None = None
) -> tf.Tensor:
    """Returns the client's steps `τ_i` of one round, an int32 scalar; 0 without examples.

    Args:
        local_training: The solver's parameters.
        num_examples: int32 scalar.
        drawn_epochs: int32 scalar, the epochs if clients draw them; by default the most that they
            can draw.
    """
    epochs = local_training.epochs
    if epochs is None:
        steps = tf.constant(local_training.steps, tf.int32)
    elif isinstance(epochs, UniformEpochs):
        taken = epochs.most if drawn_epochs is None else drawn_epochs
        steps = taken * steps_per_epoch(local_training, num_examples)
    elif epochs == int(epochs):
        steps = int(epochs) * steps_per_epoch(local_training, num_examples)
    else:
        batches = tf.cast(num_examples, tf.float64) / local_training.batch_size
        # In floating point, a budget of whole steps may be slightly smaller.
        steps = tf.maximum(tf.cast(epochs * batches + 1e-6, tf.int32), 1)
    return tf.where(num_examples > 0, steps, 0)


def steps_per_epoch(local_training: LocalTraining, num_examples: tf.Tensor) -> tf.Tensor:
    """Returns how many batches one epoch has, an int32 scalar; 0 without examples.

    With `fresh_batches` every step begins a new epoch.
    """
    if local_training.fresh_batches:
        return tf.minimum(num_examples, 1)
    return (num_examples + local_training.batch_size - 1) // local_training.batch_size


def plan_round(
    local_training: LocalTraining,
    data: LocalData,
    round_number: tf.Tensor,
    *,
    num_steps: tf.Tensor | None = None,
) -> RoundPlan:
    """Plans a client's round.

    Args:
        local_training: The solver's parameters.
        data: The client's data.
        round_number: int32 scalar, 0 the first.
        num_steps: int32 scalar, the steps if the server sets them; else those of `local_training`.
    """
    steps_are_given = num_steps is not None
    if num_steps is None:
        num_steps = num_local_steps(
            local_training,
            data.num_examples,
            drawn_epochs=_drawn_epochs(local_training, data, round_number),
        ) + _extra_step(local_training, data, round_number)
    num_steps = tf.where(data.num_examples > 0, num_steps, 0)
    of_an_epoch = tf.maximum(steps_per_epoch(local_training, data.num_examples), 1)
    orders = dense_examples.epoch_orders(
        num_examples=data.num_examples,
        num_epochs=(num_steps + of_an_epoch - 1) // of_an_epoch,
        num_visited=tf.minimum(of_an_epoch * local_training.batch_size, data.num_examples),
        shuffle=local_training.shuffle,
        seed=local_training.shuffle_seed,
        round_number=round_number,
        client_index=data.client_index,
    )
    batches, batch_sizes = split_into_batches(
        orders,
        data,
        batch_size=local_training.batch_size,
        batches_per_order=of_an_epoch,
    )
    if local_training.compile_with_xla:  # XLA compiles for every shape.
        most_steps = (
            dense_examples.padded_size(num_steps)
            if steps_are_given
            # Padding counts as examples here, so there is one number of steps for each padded size.
            else num_local_steps(local_training, dense_examples.count_rows(data.examples))
            + int(bool(local_training.extra_step_from))
        )
        most_steps = tf.maximum(most_steps, 1)  # XLA cannot take a batch from an empty tensor.
        batches, batch_sizes = dense_examples.pad(
            (batches[:most_steps], batch_sizes[:most_steps]), most_steps
        )
    learning_rate = _learning_rate(local_training, round_number)
    return RoundPlan(batches, batch_sizes, num_steps, learning_rate)


def _extra_step(
    local_training: LocalTraining, data: LocalData, round_number: tf.Tensor
) -> tf.Tensor:
    """Returns 1 in rounds in which the client takes one extra step, else 0: int32 scalar."""
    if not local_training.extra_step_from:
        return tf.constant(0)
    first_rounds = tf.constant(local_training.extra_step_from, tf.int32)
    index = data.client_index
    is_listed = (index >= 0) & (index < tf.size(first_rounds, out_type=tf.int64))
    first_round = tf.gather(first_rounds, tf.where(is_listed, index, 0))
    return tf.cast(is_listed & (round_number >= first_round), tf.int32)


def _drawn_epochs(
    local_training: LocalTraining, data: LocalData, round_number: tf.Tensor
) -> tf.Tensor | None:
    """Returns the client's epochs of the round, an int32 scalar, if clients draw them."""
    epochs = local_training.epochs
    if not isinstance(epochs, UniformEpochs):
        return None
    key = round_key(local_training.shuffle_seed, round_number, data.client_index)
    # Folded again, as for layers: the order of the examples is drawn from the key itself.
    key = tf.random.experimental.stateless_fold_in(key, tf.constant(2, tf.int64), alg="philox")
    chance, place = tf.unstack(tf.random.stateless_uniform([2], seed=key, alg="philox"))
    count = epochs.most - epochs.least + 1
    # In floating point, the product of the count and a number below 1 may equal the count.
    drawn = epochs.least + tf.minimum(tf.cast(place * float(count), tf.int32), count - 1)
    return tf.where(chance < epochs.share, drawn, epochs.most)


def _learning_rate(local_training: LocalTraining, round_number: tf.Tensor) -> tf.Tensor:
    schedule = local_training.learning_rate_schedule
    if schedule is not None and schedule.by == "round":
        return local_training.learning_rate * schedule(round_number)
    decay = tf.constant(local_training.learning_rate_decay, tf.float32)
    return local_training.learning_rate * decay ** tf.cast(round_number, tf.float32)


def split_into_batches(
    orders: tf.Tensor, data: LocalData, *, batch_size: int, batches_per_order: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Cuts each order into mini-batches.

    Args:
        orders: `[num_orders, num_visited]` int32, of all examples or as many as the batches take.
        data: The client's data.
        batch_size: Examples of a batch.
        batches_per_order: int32 scalar, how many batches each order gives; the rest of the order is
            not visited.

    Returns:
        `batches` and `batch_sizes` as in `RoundPlan`.
    """
    # At most the number of rows, so a batch size of a million needs no more memory than the
    # client's examples.
    width = tf.clip_by_value(dense_examples.count_rows(data.examples), 1, batch_size)
    places = tf.range(batches_per_order * width)
    rows = tf.gather(orders, tf.minimum(places, tf.maximum(data.num_examples - 1, 0)), axis=1)
    sizes = tf.clip_by_value(data.num_examples - tf.range(batches_per_order) * width, 0, width)
    return tf.reshape(rows, [-1, width]), tf.tile(sizes, [tf.shape(orders)[0]])
