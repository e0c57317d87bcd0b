"""What all classifiers share: the weighted loss, the accuracy, and which examples are right."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.checks import check_integer


def weighted_cross_entropy(
    output: tf.Tensor, label: tf.Tensor, sample_weight: tf.Tensor | None = None
) -> tf.Tensor:
    """The mean cross entropy of softmax(logits), `Σ w_j l_j / Σ w_j`.

    A weight of 0 takes an example out of the mean, which padding needs. If a label is no class, the
    loss and its gradient are not a number, so its client is dropped from the round and counted.
    TensorFlow does so on a GPU and under XLA; on a CPU it would end the round of all clients.

    Args:
        output: Logits, [batch, num_classes] float32.
        label: Labels, [batch] int32 or int64.
        sample_weight: Weights w, [batch] float32; None weighs all examples equally.

    Returns:
        The loss, scalar float32; 0 where all weights are 0.
    """
    is_class = (label >= 0) & (label < output.shape[-1])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.where(is_class, label, tf.zeros_like(label)), logits=output
    )
    return weighted_mean(losses * tf.where(is_class, 1.0, math.nan), sample_weight)


class KerasCrossEntropy(tf.keras.losses.SparseCategoricalCrossentropy):
    """Keras' sparse cross entropy, which is not a number for a label that is no class.

        tff.learning.models.from_keras_model(network, loss=KerasCrossEntropy(from_logits=True), …)

    A client with such a label is dropped from the round and counted, as with
    `weighted_cross_entropy`. With Keras' own loss the round would end for all clients, on a CPU.
    This class has the arguments and methods of Keras' own.
    """

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        """The cross entropy of every label.

        Args:
            y_true: Labels, [batch, ...] or [batch, ..., 1], numbers of any dtype.
            y_pred: Logits or probabilities, [batch, ..., num_classes] float.

        Returns:
            [batch, ...] float.
        """
        # Of 64 bits: the number of classes may be beyond the labels' dtype.
        y_true, y_pred = tf.cast(y_true, tf.int64), tf.convert_to_tensor(y_pred)
        is_class = (y_true >= 0) & (y_true < y_pred.shape[-1])
        losses = super().call(tf.where(is_class, y_true, tf.zeros_like(y_true)), y_pred)
        factors = tf.where(is_class, tf.ones([], losses.dtype), tf.cast(math.nan, losses.dtype))
        return losses * tf.reshape(factors, tf.shape(losses))


def weighted_mean(losses: tf.Tensor, sample_weight: tf.Tensor | None = None) -> tf.Tensor:
    """The mean of a batch's losses, `Σ w_j l_j / Σ w_j`.

    Args:
        losses: [batch] float32.
        sample_weight: Weights w, [batch] float32; None weighs all examples equally.

    Returns:
        The mean, scalar float32; 0 where all weights are 0.
    """
    if sample_weight is None:
        return tf.reduce_mean(losses)
    weights = tf.cast(sample_weight, losses.dtype)
    # Dividing the weights instead of the sums halves the gradient's operations.
    return tf.reduce_sum(losses * tf.math.divide_no_nan(weights, tf.reduce_sum(weights)))


def correct(predictions: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Whether predictions are right: 1.0 if the largest logit is the label's, else 0.0.

    Logits with one that is not a number are wrong for every label.

    Args:
        predictions: Logits, [batch, num_classes] float.
        labels: Labels, [batch] int.

    Returns:
        [batch] float32.
    """
    predicted = tf.argmax(predictions, axis=-1, output_type=labels.dtype)
    are_numbers = ~tf.reduce_any(tf.math.is_nan(predictions), axis=-1)
    return tf.cast(tf.equal(predicted, labels) & are_numbers, tf.float32)


def classifier(
    initial_weights: tuple[Sequence[npt.NDArray[Any]], Sequence[npt.NDArray[Any]]],
    predict_on_batch: Callable[..., tf.Tensor],
    input_spec: Any,
) -> tff.learning.models.FunctionalModel:
    """A model of classes, its loss `weighted_cross_entropy`, its metric `accuracy`.

    Args:
        initial_weights: Those that are trained, and those that are not.
        predict_on_batch: From the weights, `x` and `training` to logits [batch, num_classes].
        input_spec: The batch's `x` and `y`.

    Returns:
        The model.
    """
    return tff.learning.models.FunctionalModel(
        initial_weights=initial_weights,
        predict_on_batch_fn=predict_on_batch,
        loss_fn=weighted_cross_entropy,
        metrics_fns=tff.learning.metrics.create_functional_metric_fns(
            collections.OrderedDict(accuracy=tf.keras.metrics.SparseCategoricalAccuracy)
        ),
        input_spec=input_spec,
    )


def check_num_classes(num_classes: int) -> None:
    """Makes sure that there are at least two classes.

    Raises:
        ValueError: If there are fewer than 2 classes.
    """
    check_integer("num_classes", num_classes, least=2)
