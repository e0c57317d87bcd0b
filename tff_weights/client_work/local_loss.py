"""What clients minimise in place of the mean loss of a mini-batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Union

import tensorflow as tf
from typing_extensions import TypeAlias

from tff_weights.client_work.labels import Loss


@dataclasses.dataclass(frozen=True)
class OverExamples:
    """A local loss of the examples' losses, which takes the place of their mean.

    What the mini-batch's loss holds besides that mean, such as a penalty on weights, is kept.

    Attributes:
        function: From the losses, `[batch]`, and how much they count, `[batch]`, 1 for an example
            and 0 for padding, to a scalar.
    """

    function: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]

    def __call__(self, loss: tf.Tensor, losses: tf.Tensor, counts: tf.Tensor) -> tf.Tensor:
        """Returns what is minimised for the mini-batch's `loss` and its examples' `losses`."""
        mean = tf.reduce_sum(counts * losses) / tf.reduce_sum(counts)
        return tf.cast(loss, losses.dtype) - mean + self.function(losses, counts)


# From the mean loss of a batch to the loss that is minimised instead; or from its examples' losses.
LocalLoss: TypeAlias = Union[Callable[[Any], Any], OverExamples]


def example_losses(loss: Loss | None, predictions: Any, labels: Any) -> tf.Tensor:
    """Returns each example's loss, that of a batch with this example alone, `[batch]`.

    Args:
        loss: The model's, `None` where it does not show it.
        predictions: `[batch, ...]`, or a structure.
        labels: `[batch, ...]`, or a structure.

    Raises:
        ValueError: If the model does not show its loss, or it is Keras' with an `ignore_class`,
            whose shapes differ between examples.
    """
    if loss is None:
        raise ValueError(
            "the losses of single examples are needed, and model does not show its loss: take a "
            "tff.learning.models.FunctionalModel, or from_keras_model with one loss"
        )
    if getattr(loss, "ignore_class", None) is not None:
        raise ValueError(
            "the losses of single examples are needed, which Keras' loss with an ignore_class does "
            "not give: take a FunctionalModel whose loss multiplies ignored labels by 0"
        )

    def of_one(example: Any) -> tf.Tensor:
        return loss(*tf.nest.map_structure(lambda tensor: tensor[tf.newaxis], example))

    return tf.vectorized_map(of_one, (predictions, labels))
