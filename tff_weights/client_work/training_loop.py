"""Local training as one in-graph loop over dense examples, and passes over a whole client."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.dense_examples import count_rows
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_data import LocalData, RoundPlan, split_into_batches
from tff_weights.client_work.local_model import BoundModel, ModelWeights, labels_of
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.float_types import AnyFloatOptimizer, computed_in, widened

Observe = Callable[[Any, tf.Tensor, Any, Any], Any]

_EVALUATION_BATCH_SIZE = 512
# The name of the sum of gradients in the state of TFF's SGD with momentum.
_MOMENTUM = "accumulator"


def train(
    model: BoundModel,
    local_training: LocalTraining,
    *,
    weights: ModelWeights,
    data: LocalData,
    plan: RoundPlan,
    start: Any = None,
    gradient_correction: Any = None,
    first_momentum: Any = None,
    observe: Observe | None = None,
    first_observation: Any = (),
) -> tuple[Any, Any]:
    """Takes `plan.num_steps` steps of the optimizer from the received or given weights.

    Args:
        model: The model, bound to this graph.
        local_training: The solver's parameters.
        weights: The received weights `w_t`, to which the proximal term pulls.
        data: The client's data.
        plan: What to visit.
        start: The trainable weights before the first step; by default the received ones.
        gradient_correction: Added to every step's gradient, shaped like `weights.trainable`.
        first_momentum: For SGD with momentum, the momentum before the first step in units of
            gradients, shaped like `weights.trainable`; by default 0. Nothing is observed then.
        observe: Called at every step with the observation so far, the step's number, the weights
            before it and its mini-batch gradient, without proximal term or correction; returns
            the new observation.
        first_observation: Structure of tensors, the observation before the first step.

    Returns:
        The client's trainable weights `w_i`, shaped like `weights.trainable`, and the last
        observation, or the last momentum if a first one is given.
    """
    optimizer = AnyFloatOptimizer(_optimizer(local_training, plan.learning_rate))

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
    optimizer_state = optimizer.initialize(specs)
    if first_momentum is not None:
        optimizer_state[_MOMENTUM] = _cast_like(first_momentum, optimizer_state[_MOMENTUM])
    start = weights.trainable if start is None else start
    state = (tf.constant(0), start, optimizer_state, first_observation)
    _, trainable, optimizer_state, observation = tf.while_loop(
        lambda step, *_: step < plan.num_steps, take_step, state
    )
    if first_momentum is None:
        return trainable, observation
    return trainable, _cast_like(optimizer_state[_MOMENTUM], first_momentum)


def _optimizer(
    local_training: LocalTraining, learning_rate: tf.Tensor
) -> tff.learning.optimizers.Optimizer:
    schedule = local_training.learning_rate_schedule
    by_step = schedule if schedule is not None and schedule.by == "step" else None
    # A NumPy number would make the momentum float64.
    build_sgdm = functools.partial(
        tff.learning.optimizers.build_sgdm, momentum=float(local_training.momentum) or None
    )
    if local_training.optimizer is None and by_step is None:
        return build_sgdm(learning_rate)
    # Some of TFF's optimizers compare the rate with 0 when they are built, so it must be known.
    build = local_training.optimizer or build_sgdm
    return tff.learning.optimizers.schedule_learning_rate(
        build(local_training.learning_rate),
        lambda step: learning_rate if by_step is None else learning_rate * by_step(step),
    )


def batch_at(
    step: tf.Tensor, *, local_training: LocalTraining, data: LocalData, plan: RoundPlan
) -> tuple[Any, tf.Tensor | None]:
    """Returns the mini-batch of one step, and its examples' weights if it is padded."""
    # One operation each, while slicing takes three; this runs at every step.
    rows, size = tf.gather(plan.batches, step), tf.gather(plan.batch_sizes, step)
    if not local_training.compile_with_xla:
        return _gather(data.examples, rows[:size]), None
    # XLA needs batches of one size: missing examples are filled with repeated ones of weight 0.
    return _gather(data.examples, rows), _weights_of_padded(rows, size)


def _weights_of_padded(rows: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.range(tf.shape(rows)[0]) < size, tf.float32)


def evaluate(
    model: BoundModel,
    *,
    weights: ModelWeights,
    data: LocalData,
    quantities: Collection[str],
    correct_fn: CorrectFn | None,
    padded: bool,
) -> dict[str, tf.Tensor]:
    """Measures loss and accuracy over all of a client's examples.

    Args:
        model: The model, bound to this graph.
        weights: The weights to measure.
        data: The client's data.
        quantities: Which of `"loss"` and `"accuracy"` to measure.
        correct_fn: See `correct_per_example`; needed for the accuracy.
        padded: Whether the data hold rows past the examples. Then they pass through the model as
            one batch; otherwise batches of 512 bound the memory.

    Returns:
        The mean over the examples by quantity, a scalar of the type `computed_in`; NaN without
        examples. Where the loss leaves out labels, both are means over all labels that count.
    """
    dtype = computed_in(weights.trainable)

    def batch_sums(batch: Any, sample_weight: tf.Tensor | None) -> dict[str, Any]:
        """Returns the sum over the batch, and its divisor for the mean, by quantity."""
        loss, predictions = model.evaluate(weights, batch, sample_weight)
        sums = {}
        counted_labels = model.num_counted(labels_of(batch), sample_weight)
        if counted_labels is not None:
            count = tf.cast(counted_labels, dtype)
        elif sample_weight is None:
            count = tf.cast(count_rows(batch), dtype)
        else:
            count = tf.cast(tf.reduce_sum(sample_weight), dtype)
        if "loss" in quantities:
            sums["loss"] = (loss * count, count)
        if "accuracy" in quantities:
            assert correct_fn is not None
            counted = correct_per_example(correct_fn, predictions, batch)
            if sample_weight is not None:
                counted = (counted[0] * sample_weight, counted[1] * sample_weight)
            right, total = (tf.cast(tf.reduce_sum(entries), dtype) for entries in counted)
            sums["accuracy"] = (right, total)
        return sums

    if padded:
        is_example = tf.cast(tf.range(count_rows(data.examples)) < data.num_examples, tf.float32)
        sums = batch_sums(data.examples, is_example)
    else:

        def add_batch(batch: Any, sums: dict[str, Any]) -> dict[str, Any]:
            return tf.nest.map_structure(tf.add, sums, batch_sums(batch, None))

        zero = tf.constant(0.0, dtype)
        sums = over_large_batches(data, add_batch, dict.fromkeys(quantities, (zero, zero)))
    return {quantity: total / count for quantity, (total, count) in sums.items()}


def correct_per_example(
    correct_fn: CorrectFn, predictions: Any, batch: Any
) -> tuple[tf.Tensor, tf.Tensor]:
    """Asks who is right.

    Args:
        correct_fn: `(predictions, labels) → [batch, ...]`, 1.0 or true where right. It may return a
            pair, with weights of the entries, `[batch]` or `[batch, ...]`, such as a mask of
            tokens. A function of three arguments also gets the whole batch.
        predictions: The model's.
        batch: What they were made of.

    Returns:
        For each example how much of it is right, and how much it counts, `[batch]` float32. Without
        weights these are the mean over its entries and 1, else the weighted sum and the sum of the
        weights.
    """
    parameters = inspect.signature(correct_fn).parameters.values()
    num_needed = sum(
        each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.KEYWORD_ONLY)
        for each in parameters
    )
    arguments = (predictions, labels_of(batch), batch)[: 3 if num_needed > 2 else 2]
    found = correct_fn(*arguments)
    if not isinstance(found, (tuple, list)):
        correct = tf.cast(found, tf.float32)
        # Sequence models have more than one prediction per example.
        mean = tf.reduce_mean(tf.reshape(correct, [tf.shape(correct)[0], -1]), axis=1)
        return mean, tf.ones_like(mean)
    correct, weight = (tf.cast(tensor, tf.float32) for tensor in found)
    for _ in range(correct.shape.rank - weight.shape.rank):
        weight = weight[..., tf.newaxis]
    rows = [tf.shape(correct)[0], -1]
    weight = tf.reshape(tf.broadcast_to(weight, tf.shape(correct)), rows)
    correct = tf.reshape(correct, rows)
    return tf.reduce_sum(correct * weight, axis=1), tf.reduce_sum(weight, axis=1)


def mean_gradient(
    model: BoundModel, *, weights: ModelWeights, data: LocalData, padded: bool
) -> Any:
    """Returns the gradient of the mean loss over all of a client's examples, or labels that count.

    Args:
        model: The model, bound to this graph.
        weights: Where the gradient is taken.
        data: The client's data.
        padded: As for `evaluate`.

    Returns:
        Tensors shaped like `weights.trainable`; zeros without examples.
    """
    dtype = computed_in(weights.trainable)
    count = tf.cast(data.num_examples, dtype)
    if padded:
        is_example = tf.cast(tf.range(count_rows(data.examples)) < data.num_examples, tf.float32)
        gradients = model.gradients(weights, data.examples, is_example)
        # Without weights above 0 the result depends on the model's loss.
        return tf.nest.map_structure(lambda x: tf.where(count > 0, x, tf.zeros_like(x)), gradients)

    def add_batch(batch: Any, gradient_sum: Any) -> Any:
        share = tf.cast(count_rows(batch), dtype) / count
        gradients = model.gradients(weights, batch, None)
        num_counted = model.num_counted(labels_of(batch))
        if num_counted is not None:
            in_all = model.num_counted(labels_of(data.examples)[: data.num_examples])
            share = tf.cast(num_counted / in_all, dtype)
        return tf.nest.map_structure(
            lambda total, gradient: total + tf.cast(share, gradient.dtype) * gradient,
            gradient_sum,
            widened(gradients),
        )

    zeros = tf.nest.map_structure(tf.zeros_like, widened(weights.trainable))
    return _cast_like(over_large_batches(data, add_batch, zeros), weights.trainable)


def over_large_batches(data: LocalData, add: Callable[[Any, Any], Any], initial: Any) -> Any:
    """Reduces a client's examples in the data set's order, in batches that bound the memory.

    Args:
        data: The client's data; rows past the examples are left out.
        add: `(batch, sums) → sums`, of tensors that keep their shapes and dtypes.
        initial: The sums of no example.
    """

    def add_next(start: tf.Tensor, sums: Any) -> tuple[tf.Tensor, Any]:
        stop = tf.minimum(start + _EVALUATION_BATCH_SIZE, data.num_examples)
        batch = tf.nest.map_structure(lambda tensor: tensor[start:stop], data.examples)
        return stop, add(batch, sums)

    _, sums = tf.while_loop(
        lambda start, _: start < data.num_examples, add_next, (tf.constant(0), initial)
    )
    return sums


def sum_of_batch_losses(
    model: BoundModel, local_training: LocalTraining, *, weights: ModelWeights, data: LocalData
) -> tf.Tensor:
    """Returns the sum, over one epoch's mini-batches in the data set's order, of their mean losses.

    A scalar of the type `computed_in`; NaN without examples. It grows with the number of batches,
    unlike `evaluate`'s mean. A batch where no label counts adds nothing.
    """
    # Padding adds batches of size 0, so that their number is the same for many clients.
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

    zero = tf.constant(0.0, computed_in(weights.trainable))
    _, loss_sum = tf.while_loop(
        lambda step, _: step < num_batches, add_batch, (tf.constant(0), zero)
    )
    return tf.where(num_batches > 0, loss_sum, np.nan)


def _cast_like(structure: Any, like: Any) -> Any:
    return tf.nest.map_structure(lambda x, other: tf.cast(x, other.dtype), structure, like)


def _gather(examples: Any, rows: tf.Tensor) -> Any:
    return tf.nest.map_structure(lambda tensor: tf.gather(tensor, rows), examples)
