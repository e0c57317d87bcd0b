"""One interface to TFF's two kinds of models, for local training."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.client_work.label_trial import format_of_mean, label_format
from tff_weights.client_work.labels import LabelFormat, Loss
from tff_weights.client_work.local_loss import LocalLoss, OverExamples, example_losses
from tff_weights.client_work.random_numbers import random_numbers_of_graph
from tff_weights.float_types import computed_in

Model = Union[tff.learning.models.FunctionalModel, Callable[[], tff.learning.models.VariableModel]]
ModelWeights: TypeAlias = tff.learning.models.ModelWeights


class BatchLoss(NamedTuple):
    """The mean loss of a batch, a scalar, and the model's predictions, `[batch, ...]`.

    The loss has the type of `computed_in`, since it is summed over many batches.
    """

    loss: tf.Tensor
    predictions: Any


class BoundModel(abc.ABC):
    """A model inside one TensorFlow graph, its weights passed in at every call.

    Attributes:
        random_numbers: The random stream of its layers; it must be restarted before the first call.
    """

    def __init__(self, local_loss: LocalLoss | None, loss: Loss | None) -> None:
        self.random_numbers = random_numbers_of_graph()
        self._local_loss, self._loss = local_loss, loss
        # What labels are, if the loss is a mean over those that count; known of the first batch.
        self._format_of_mean: tuple[LabelFormat | None, int] | None = None

    @abc.abstractmethod
    def gradients(self, weights: ModelWeights, batch: Any, sample_weight: tf.Tensor | None) -> Any:
        """Returns the gradient of what is minimised, shaped like `weights.trainable`.

        It is 0 for a batch where no label counts, if the loss is not a number there.
        """

    @abc.abstractmethod
    def evaluate(
        self, weights: ModelWeights, batch: Any, sample_weight: tf.Tensor | None
    ) -> BatchLoss:
        """Returns the batch's plain mean loss and predictions, in inference mode.

        The loss is 0 for a batch where no label counts, if it is not a number there.
        """

    def num_counted(self, labels: Any, sample_weight: tf.Tensor | None = None) -> tf.Tensor | None:
        """Returns how many labels a batch's mean loss is over, a float32 scalar.

        `None` if it is over all. It is known after the first `gradients` or `evaluate`.

        Args:
            labels: The batch's.
            sample_weight: Its examples' weights, `[batch]`, if it is padded.
        """
        found, rank = self._format_of_mean or (None, 0)
        if found is None:
            return None
        counts = found.counts(found.classes(labels, rank))
        if sample_weight is not None:
            of_examples = tf.reshape(counts, [tf.shape(counts)[0], -1])
            counts = tf.reduce_sum(of_examples, axis=1) * tf.cast(sample_weight, tf.float32)
        return tf.reduce_sum(counts)

    def _zero_if_nothing_counts(
        self, values: Any, predictions: Any, batch: Any, sample_weight: tf.Tensor | None
    ) -> Any:
        labels = labels_of(batch)
        self._find_format_of_mean(predictions, labels)
        counted = self.num_counted(labels, sample_weight)
        if counted is None:
            return values
        return tf.nest.map_structure(
            lambda x: tf.where((counted > 0) | tf.math.is_finite(x), x, tf.zeros_like(x)), values
        )

    def _find_format_of_mean(self, predictions: Any, labels: Any) -> LabelFormat | None:
        if self._format_of_mean is None:
            found = format_of_mean(self._loss, predictions, labels)
            self._format_of_mean = found, 0 if found is None else len(predictions.shape) - 1
        return self._format_of_mean[0]

    def example_losses(self, weights: ModelWeights, batch: Any) -> tf.Tensor:
        """Returns the plain loss of each example, `[batch]`, in inference mode.

        Raises:
            ValueError: If the model does not show its loss, or it is a mean over labels that count.
        """
        return self._losses_of(self.evaluate(weights, batch, None).predictions, batch)

    def _losses_of(self, predictions: Any, batch: Any) -> tf.Tensor:
        labels = labels_of(batch)
        losses = example_losses(self._loss, predictions, labels)
        if self._find_format_of_mean(predictions, labels) is not None:
            raise ValueError(
                "the losses of single examples are needed, and the model's loss is a mean over the "
                "labels that count, in which they have no weights: take a loss that multiplies "
                "ignored labels by 0"
            )
        return losses

    def _minimised(
        self, loss: tf.Tensor, predictions: Any, batch: Any, sample_weight: tf.Tensor | None
    ) -> tf.Tensor:
        """Returns the loss whose gradients are taken."""
        if not isinstance(self._local_loss, OverExamples):
            return loss if self._local_loss is None else _scalar(self._local_loss(loss))
        losses = self._losses_of(predictions, batch)
        # Half precision would round off their differences.
        losses = tf.cast(losses, computed_in(losses))
        counts = tf.ones_like(losses) if sample_weight is None else sample_weight
        return _scalar(self._local_loss(loss, losses, tf.cast(counts, losses.dtype)))


def _scalar(loss: Any) -> tf.Tensor:
    if not tf.is_tensor(loss) or loss.shape.rank:
        raise ValueError(f"local_loss must return a scalar tensor, got {loss!r}")
    return loss


class LocalModel(abc.ABC):
    """A model outside any graph: its types, and a method that binds it to a graph."""

    @property
    @abc.abstractmethod
    def input_spec(self) -> Any:
        """The structure of `tf.TensorSpec` of a batch, batch dimension first."""

    @abc.abstractmethod
    def initial_weights(self) -> ModelWeights:
        """Returns the initial weights as tensors or variables of the current graph."""

    @abc.abstractmethod
    def bind(self) -> BoundModel:
        """Returns the model bound to the current graph."""

    @property
    @abc.abstractmethod
    def allows_sample_weight(self) -> bool:
        """Whether padding changes nothing: the loss is a weighted mean under `sample_weight`.

        Nor may an example's output in training depend on the rest of the batch, as it does with
        batch statistics. This is not known of a model that draws random numbers.
        """

    @property
    @abc.abstractmethod
    def loss(self) -> Loss | None:
        """`(output, label) → mean loss`; `None` where the model does not show it."""

    @functools.cached_property
    def label_format(self) -> LabelFormat:
        """What the labels are, see `label_trial.label_format`.

        Raises:
            NoAccuracyError: If loss and shapes do not say so.
        """
        with tf.Graph().as_default():
            weights, bound = self.initial_weights(), self.bind()

            def predict(batch: Any) -> Any:
                bound.random_numbers.restart(0, tf.constant(0), tf.constant(0, tf.int64))
                return bound.evaluate(weights, batch, None).predictions

            traced = tf.function(predict, autograph=False).get_concrete_function(self.input_spec)
            predictions = tf.nest.map_structure(
                tf.TensorSpec.from_tensor, traced.structured_outputs
            )
        return label_format(
            loss=self.loss, predictions=predictions, labels=labels_of(self.input_spec)
        )

    @functools.cached_property
    def initial_weights_computation(self) -> tff.Computation:
        """The TFF computation `( → ModelWeights)` that a learning process starts with."""

        @tff.tensorflow.computation
        def initial_weights() -> ModelWeights:
            return self.initial_weights()

        return initial_weights


def labels_of(batch: Any) -> Any:
    """Returns `y` of `{"x": ..., "y": ...}` or `(x, y)`; `None` where a batch has no labels."""
    if isinstance(batch, Mapping):
        return batch.get("y")
    return batch[1] if isinstance(batch, (tuple, list)) and len(batch) > 1 else None


def features_and_labels(batch: Any) -> tuple[Any, Any]:
    """Splits a batch, `{"x": ..., "y": ...}` or `(x, y)`, as TFF's models do."""
    if isinstance(batch, Mapping):
        return batch["x"], batch["y"]
    features, labels = batch
    return features, labels
