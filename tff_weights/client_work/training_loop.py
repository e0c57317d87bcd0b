"""Local training as one in-graph loop over dense examples, and passes over a whole client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.dense_examples import count_rows
from tff_weights.client_work.local_model import BoundModel, ModelWeights, features_and_labels
from tff_weights.client_work.local_training import LocalTraining

CorrectFn = Callable[[Any, Any], tf.Tensor]

_EVALUATION_BATCH_SIZE = 512


class Evaluation(NamedTuple):
    """Means over all examples of a client, float32 scalars; not a number without examples."""

    loss: tf.Tensor
    accuracy: tf.Tensor


def sparse_categorical_correct(predictions: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Returns 1.0 where the largest prediction is the label's, else 0.0.

    Args:
        predictions: `[batch, ..., num_classes]` logits or probabilities.
        labels: `[batch, ...]` integers.

    Returns:
        `[batch, ...]` float32.
    """
    chosen = tf.argmax(predictions, axis=-1, output_type=tf.int64)
    return tf.cast(tf.equal(chosen, tf.cast(labels, tf.int64)), tf.float32)


def num_local_steps(local_training: LocalTraining, num_examples: tf.Tensor) -> tf.Tensor:
    """Returns the client's steps `τ_i` of one round, an int32 scalar; 0 without examples."""
    if local_training.epochs is not None:
        return local_training.epochs * _steps_per_epoch(local_training, num_examples)
    return tf.where(num_examples > 0, tf.constant(local_training.steps, tf.int32), 0)


def num_started_epochs(
    local_training: LocalTraining, num_examples: tf.Tensor, num_steps: tf.Tensor
) -> tf.Tensor:
    """Returns how many epochs `num_steps` steps begin, an int32 scalar."""
    steps_per_epoch = tf.maximum(_steps_per_epoch(local_training, num_examples), 1)
    return (num_steps + steps_per_epoch - 1) // steps_per_epoch


def _steps_per_epoch(local_training: LocalTraining, num_examples: tf.Tensor) -> tf.Tensor:
    return (num_examples + local_training.batch_size - 1) // local_training.batch_size


def train(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    examples: Any,
    num_examples: tf.Tensor,
    orders: tf.Tensor,
    num_steps: tf.Tensor,
    learning_rate: tf.Tensor,
) -> Any:
    """Takes `num_steps` steps of SGD from the received weights.

    Args:
        model: The model, bound to this graph.
        local_training: The solver's parameters.
        weights: The received weights `w_t`.
        examples: Tensors `[num_rows, ...]`; only the first `num_examples` rows are visited.
        num_examples: int32 scalar.
        orders: `[num_epochs, num_rows]` int32, see `epoch_orders`; padded like `examples`.
        num_steps: int32 scalar; needs no more than `num_epochs` epochs.
        learning_rate: float32 scalar, this round's `η_t`.

    Returns:
        The client's trainable weights `w_i`, shaped like `weights.trainable`.
    """
    batch_size = local_training.batch_size
    steps_per_epoch = tf.maximum(_steps_per_epoch(local_training, num_examples), 1)
    optimizer = tff.learning.optimizers.build_sgdm(
        learning_rate, momentum=local_training.momentum or None
    )

    def batch_at(step: tf.Tensor) -> tuple[Any, tf.Tensor | None]:
        order = orders[step // steps_per_epoch]
        start = (step % steps_per_epoch) * batch_size
        if not local_training.compile_with_xla:
            rows = order[start : tf.minimum(start + batch_size, num_examples)]
            return _gather(examples, rows), None
        # XLA wants every batch of one size: the missing examples are repeated and weigh nothing.
        positions = start + tf.range(batch_size)
        rows = tf.gather(order, tf.minimum(positions, num_examples - 1))
        return _gather(examples, rows), tf.cast(positions < num_examples, tf.float32)

    def take_step(
        step: tf.Tensor, trainable: Any, optimizer_state: Any
    ) -> tuple[tf.Tensor, Any, Any]:
        batch, sample_weight = batch_at(step)
        gradients = model.gradients(
            ModelWeights(trainable, weights.non_trainable), batch, sample_weight
        )
        if local_training.proximal_strength:
            gradients = tf.nest.map_structure(
                lambda gradient, weight, received: (
                    gradient + local_training.proximal_strength * (weight - received)
                ),
                gradients,
                trainable,
                weights.trainable,
            )
        optimizer_state, trainable = optimizer.next(optimizer_state, trainable, gradients)
        return step + 1, trainable, optimizer_state

    specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, weights.trainable)
    _, trainable, _ = tf.while_loop(
        lambda step, *_: step < num_steps,
        take_step,
        (tf.constant(0), weights.trainable, optimizer.initialize(specs)),
    )
    return trainable


def evaluate(
    model: BoundModel,
    *,
    weights: ModelWeights,
    examples: Any,
    num_examples: tf.Tensor,
    correct_fn: CorrectFn,
    padded: bool,
) -> Evaluation:
    """Measures loss and accuracy over all of a client's examples.

    Args:
        model: The model, bound to this graph.
        weights: The weights to measure.
        examples: Tensors `[num_rows, ...]`; the first `num_examples` rows count.
        num_examples: int32 scalar.
        correct_fn: `(predictions, labels) → [batch, ...]` float32, 1.0 where right.
        padded: Whether `examples` holds rows past `num_examples`. If so it is passed through the
            model as one batch, otherwise in batches of 512, which bounds the memory.

    Returns:
        The means over the examples.
    """

    def batch_sums(batch: Any, sample_weight: tf.Tensor | None) -> tuple[tf.Tensor, tf.Tensor]:
        loss, predictions = model.evaluate(weights, batch, sample_weight)
        _, labels = features_and_labels(batch)
        correct = mean_per_example(correct_fn(predictions, labels))
        if sample_weight is not None:
            return loss * tf.reduce_sum(sample_weight), tf.reduce_sum(correct * sample_weight)
        return loss * tf.cast(tf.shape(correct)[0], tf.float32), tf.reduce_sum(correct)

    if padded:
        is_example = tf.cast(tf.range(count_rows(examples)) < num_examples, tf.float32)
        loss_sum, correct_sum = batch_sums(examples, is_example)
    else:

        def add_batch(
            start: tf.Tensor, loss_sum: tf.Tensor, correct_sum: tf.Tensor
        ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            stop = tf.minimum(start + _EVALUATION_BATCH_SIZE, num_examples)
            batch = tf.nest.map_structure(lambda tensor: tensor[start:stop], examples)
            batch_loss, batch_correct = batch_sums(batch, None)
            return stop, loss_sum + batch_loss, correct_sum + batch_correct

        _, loss_sum, correct_sum = tf.while_loop(
            lambda start, *_: start < num_examples,
            add_batch,
            (tf.constant(0), tf.constant(0.0), tf.constant(0.0)),
        )
    count = tf.cast(num_examples, tf.float32)
    return Evaluation(loss_sum / count, correct_sum / count)


def _gather(examples: Any, rows: tf.Tensor) -> Any:
    return tf.nest.map_structure(lambda tensor: tf.gather(tensor, rows), examples)


def mean_per_example(correct: tf.Tensor) -> tf.Tensor:
    """Returns `[batch]`: sequence models have more than one prediction per example."""
    return tf.reduce_mean(tf.reshape(correct, [tf.shape(correct)[0], -1]), axis=1)
