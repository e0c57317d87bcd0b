"""Local training as one in-graph loop over dense examples, and passes over a whole client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.dense_examples import count_rows
from tff_weights.client_work.local_data import LocalData, RoundPlan, split_into_batches
from tff_weights.client_work.local_model import BoundModel, ModelWeights, features_and_labels
from tff_weights.client_work.local_training import LocalTraining

CorrectFn = Callable[[Any, Any], tf.Tensor]
Observe = Callable[[Any, tf.Tensor, Any, Any], Any]

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


def train(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    data: LocalData,
    plan: RoundPlan,
    gradient_correction: Any = None,
    observe: Observe | None = None,
    first_observation: Any = (),
) -> tuple[Any, Any]:
    """Takes `plan.num_steps` steps of SGD from the received weights.

    Args:
        model: The model, bound to this graph.
        local_training: The solver's parameters.
        weights: The received weights `w_t`.
        data: The client's data.
        plan: What to visit.
        gradient_correction: Added to every step's gradient, shaped like `weights.trainable`.
        observe: Called at every step with the observation so far, the step's number, the weights
            before it and its mini-batch gradient, without proximal term or correction; returns
            the new observation.
        first_observation: Structure of tensors, the observation before the first step.

    Returns:
        The client's trainable weights `w_i`, shaped like `weights.trainable`, and the last
        observation.
    """
    optimizer = tff.learning.optimizers.build_sgdm(
        plan.learning_rate, momentum=local_training.momentum or None
    )

    def take_step(
        step: tf.Tensor, trainable: Any, optimizer_state: Any, observation: Any
    ) -> tuple[tf.Tensor, Any, Any, Any]:
        batch = batch_at(step, local_training=local_training, data=data, plan=plan)
        gradients = model.gradients(ModelWeights(trainable, weights.non_trainable), *batch)
        if observe is not None:
            observation = observe(observation, step, trainable, gradients)
        if local_training.proximal_strength:
            gradients = tf.nest.map_structure(
                lambda gradient, weight, received: (
                    gradient + local_training.proximal_strength * (weight - received)
                ),
                gradients,
                trainable,
                weights.trainable,
            )
        if gradient_correction is not None:
            gradients = tf.nest.map_structure(tf.add, gradients, gradient_correction)
        optimizer_state, trainable = optimizer.next(optimizer_state, trainable, gradients)
        return step + 1, trainable, optimizer_state, observation

    specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, weights.trainable)
    state = (tf.constant(0), weights.trainable, optimizer.initialize(specs), first_observation)
    _, trainable, _, observation = tf.while_loop(
        lambda step, *_: step < plan.num_steps, take_step, state
    )
    return trainable, observation


def batch_at(
    step: tf.Tensor, *, local_training: LocalTraining, data: LocalData, plan: RoundPlan
) -> tuple[Any, tf.Tensor | None]:
    """Returns the mini-batch of one step, and its examples' weights where it is padded."""
    # One operation each, where slicing takes three; this runs at every step.
    rows, size = tf.gather(plan.batches, step), tf.gather(plan.batch_sizes, step)
    if not local_training.compile_with_xla:
        return _gather(data.examples, rows[:size]), None
    return _gather(data.examples, rows), _weights_of_padded(rows, size)


def _weights_of_padded(rows: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
    """XLA wants every batch of one size: the missing examples are repeated and weigh nothing."""
    return tf.cast(tf.range(tf.shape(rows)[0]) < size, tf.float32)


def evaluate(
    model: BoundModel,
    *,
    weights: ModelWeights,
    data: LocalData,
    correct_fn: CorrectFn,
    padded: bool,
) -> Evaluation:
    """Measures loss and accuracy over all of a client's examples.

    Args:
        model: The model, bound to this graph.
        weights: The weights to measure.
        data: The client's data.
        correct_fn: `(predictions, labels) → [batch, ...]` float32, 1.0 where right.
        padded: Whether the data hold rows past the examples. If so they pass through the model as
            one batch, otherwise in batches of 512, which bounds the memory.

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
        is_example = tf.cast(tf.range(count_rows(data.examples)) < data.num_examples, tf.float32)
        loss_sum, correct_sum = batch_sums(data.examples, is_example)
    else:

        def add_batch(
            start: tf.Tensor, loss_sum: tf.Tensor, correct_sum: tf.Tensor
        ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            stop = tf.minimum(start + _EVALUATION_BATCH_SIZE, data.num_examples)
            batch = tf.nest.map_structure(lambda tensor: tensor[start:stop], data.examples)
            batch_loss, batch_correct = batch_sums(batch, None)
            return stop, loss_sum + batch_loss, correct_sum + batch_correct

        _, loss_sum, correct_sum = tf.while_loop(
            lambda start, *_: start < data.num_examples,
            add_batch,
            (tf.constant(0), tf.constant(0.0), tf.constant(0.0)),
        )
    count = tf.cast(data.num_examples, tf.float32)
    return Evaluation(loss_sum / count, correct_sum / count)


def mean_gradient(
    model: BoundModel, *, weights: ModelWeights, data: LocalData, padded: bool
) -> Any:
    """Returns the gradient of the mean loss over all of a client's examples.

    Args:
        model: The model, bound to this graph.
        weights: Where the gradient is taken.
        data: The client's data.
        padded: As for `evaluate`.

    Returns:
        Tensors shaped like `weights.trainable`; zeros without examples.
    """
    count = tf.cast(data.num_examples, tf.float32)
    if padded:
        is_example = tf.cast(tf.range(count_rows(data.examples)) < data.num_examples, tf.float32)
        gradients = model.gradients(weights, data.examples, is_example)
        # A weighted mean without any weight is whatever the model's loss makes of it.
        return tf.nest.map_structure(lambda x: tf.where(count > 0, x, tf.zeros_like(x)), gradients)

    def add_batch(start: tf.Tensor, gradient_sum: Any) -> tuple[tf.Tensor, Any]:
        stop = tf.minimum(start + _EVALUATION_BATCH_SIZE, data.num_examples)
        batch = tf.nest.map_structure(lambda tensor: tensor[start:stop], data.examples)
        share = tf.cast(stop - start, tf.float32) / count
        gradients = model.gradients(weights, batch, None)
        return stop, tf.nest.map_structure(
            lambda total, gradient: total + share * gradient, gradient_sum, gradients
        )

    _, gradient_sum = tf.while_loop(
        lambda start, _: start < data.num_examples,
        add_batch,
        (tf.constant(0), tf.nest.map_structure(tf.zeros_like, weights.trainable)),
    )
    return gradient_sum


def sum_of_batch_losses(
    model: BoundModel, local_training: LocalTraining, *, weights: ModelWeights, data: LocalData
) -> tf.Tensor:
    """Returns the sum, over one epoch's mini-batches in the data set's order, of their mean losses.

    A float32 scalar; not a number without examples. It grows with the number of batches, unlike
    `evaluate`'s mean.
    """
    # Padding makes batches of its own, of size 0: their number is the same for many clients.
    num_rows, batch_size = count_rows(data.examples), local_training.batch_size
    batches, batch_sizes = split_into_batches(
        tf.range(num_rows)[tf.newaxis],
        data,
        batch_size=batch_size,
        batches_per_order=(num_rows + batch_size - 1) // batch_size,
    )
    num_batches = (data.num_examples + batch_size - 1) // batch_size
    plan = RoundPlan(batches, batch_sizes, num_batches, tf.constant(0.0))

    def add_batch(step: tf.Tensor, loss_sum: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        batch = batch_at(step, local_training=local_training, data=data, plan=plan)
        return step + 1, loss_sum + model.evaluate(weights, *batch).loss

    _, loss_sum = tf.while_loop(
        lambda step, _: step < num_batches, add_batch, (tf.constant(0), tf.constant(0.0))
    )
    return tf.where(num_batches > 0, loss_sum, np.nan)


def _gather(examples: Any, rows: tf.Tensor) -> Any:
    return tf.nest.map_structure(lambda tensor: tf.gather(tensor, rows), examples)


def mean_per_example(correct: tf.Tensor) -> tf.Tensor:
    """Returns `[batch]`: sequence models have more than one prediction per example."""
    return tf.reduce_mean(tf.reshape(correct, [tf.shape(correct)[0], -1]), axis=1)
