"""What labels are, and which predictions are right."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any, Union

import tensorflow as tf

Correct = Union[tf.Tensor, tuple[tf.Tensor, tf.Tensor]]
# From predictions, labels and, if it takes it, the batch: see `training_loop.correct_per_example`.
CorrectFn = Callable[..., Correct]
# `(output, label) → mean loss`, as a `tff.learning.models.FunctionalModel` has it.
Loss = Callable[[Any, Any], Any]

# Above which output a binary prediction is positive.
LOGIT, PROBABILITY = 0.0, 0.5


class NoAccuracyError(ValueError):
    """The model's loss and shapes do not say which predictions are right."""


class LabelKind(enum.Enum):
    """What a label is."""

    INDEX = "the index of a class"
    ONE_HOT = "a 1 among zeros, or a share for each class"
    BINARY = "yes or no, for each output"


@dataclasses.dataclass(frozen=True)
class LabelFormat:
    """How predictions are compared with labels.

    Attributes:
        kind: What a label is.
        threshold: The output above which a binary prediction is positive.
        ignored: The class indices that do not count, such as padding.
        of_counted: Whether the mean loss of a batch is over the labels that count, as with Keras'
            `ignore_class`, and not over all.
    """

    kind: LabelKind
    threshold: float = LOGIT
    ignored: tuple[int, ...] = ()
    of_counted: bool = dataclasses.field(default=False, compare=False)

    def correct(self, predictions: tf.Tensor, labels: tf.Tensor) -> Correct:
        """Says which predictions are right.

        Args:
            predictions: `[batch, ...]`, or `[batch, ..., num_classes]` where classes compete.
            labels: In this format; class indices may be a column, `[batch, ..., 1]`.

        Returns:
            `[batch, ...]` float32, 1.0 where right; NaN is right for no label. If labels are
            ignored, also the weights, 0.0 for an ignored label.
        """
        if self.kind is LabelKind.BINARY:
            says_yes = predictions > tf.cast(self.threshold, predictions.dtype)
            is_yes = tf.reshape(tf.cast(labels, tf.float32) > 0.5, tf.shape(says_yes))
            is_right = tf.equal(says_yes, is_yes) & ~tf.math.is_nan(predictions)
            return tf.cast(is_right, tf.float32)
        classes = self.classes(labels, len(predictions.shape) - 1)
        correct = sparse_categorical_correct(predictions, classes)
        return (correct, self.counts(classes)) if self.ignored else correct

    def classes(self, labels: tf.Tensor, rank: int | None = None) -> tf.Tensor:
        """Returns the class indices, `[batch, ...]`.

        Args:
            labels: In this format.
            rank: How many dimensions class indices have, if that is known.
        """
        if self.kind is LabelKind.ONE_HOT:
            return tf.argmax(labels, axis=-1)
        is_column = len(labels.shape) > 1 and labels.shape[-1] == 1
        return tf.squeeze(labels, -1) if is_column and rank != len(labels.shape) else labels

    def counts(self, classes: tf.Tensor) -> tf.Tensor:
        """Returns 1.0 for every class index that counts, and 0.0 for those that are ignored."""
        is_ignored = tf.zeros(tf.shape(classes), tf.bool)
        for value in self.ignored:
            is_ignored |= tf.equal(classes, tf.cast(value, classes.dtype))
        return tf.cast(~is_ignored, tf.float32)


def sparse_categorical_correct(predictions: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Returns 1.0 where the largest prediction is the label's, else 0.0.

    Predictions with one that is not a number are wrong for every label.

    Args:
        predictions: `[batch, ..., num_classes]` logits or probabilities.
        labels: `[batch, ...]` integers.

    Returns:
        `[batch, ...]` float32.
    """
    chosen = tf.argmax(predictions, axis=-1, output_type=tf.int64)
    are_numbers = ~tf.reduce_any(tf.math.is_nan(predictions), axis=-1)
    return tf.cast(tf.equal(chosen, tf.cast(labels, tf.int64)) & are_numbers, tf.float32)
