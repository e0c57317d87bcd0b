"""One interface to TFF's two kinds of models, for local training."""

from __future__ import annotations

import abc
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.client_work.labels import LabelFormat, Loss, format_of_mean, label_format
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
        if self._format_of_mean is None:
            found = format_of_mean(self._loss, predictions, labels)
            self._format_of_mean = found, 0 if found is None else len(predictions.shape) - 1
        counted = self.num_counted(labels, sample_weight)
        if counted is None:
            return values
        return tf.nest.map_structure(
            lambda x: tf.where((counted > 0) | tf.math.is_finite(x), x, tf.zeros_like(x)), values
        )

    def example_losses(self, weights: ModelWeights, batch: Any) -> tf.Tensor:
        """Returns the plain loss of each example, `[batch]`, in inference mode.

        Raises:
            ValueError: If the model does not show its loss.
        """
        predictions = self.evaluate(weights, batch, None).predictions
        return example_losses(self._loss, predictions, labels_of(batch))

    def _minimised(
        self, loss: tf.Tensor, predictions: Any, batch: Any, sample_weight: tf.Tensor | None
    ) -> tf.Tensor:
        """Returns the loss whose gradients are taken."""
        if not isinstance(self._local_loss, OverExamples):
            return loss if self._local_loss is None else self._local_loss(loss)
        losses = example_losses(self._loss, predictions, labels_of(batch))
        # Half precision would round off their differences.
        losses = tf.cast(losses, computed_in(losses))
        counts = tf.ones_like(losses) if sample_weight is None else sample_weight
        return self._local_loss(loss, losses, tf.cast(counts, losses.dtype))


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
        """What the labels are, see `labels.label_format`.

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


def local_model(model: Model, local_loss: LocalLoss | None = None) -> LocalModel:
    """Wraps a model of any kind that TFF's own builders accept.

    Args:
        model: A `tff.learning.models.FunctionalModel`, or a function without arguments that
            returns a new `tff.learning.models.VariableModel`.
        local_loss: See `LocalTraining`.

    Raises:
        TypeError: If `model` is neither; for a Keras model the message shows the right call.
        ValueError: If its loss is Keras' with `reduction="sum"`, which grows with the batch.
    """
    if isinstance(model, tff.learning.models.FunctionalModel):
        return _LocalFunctionalModel(model, local_loss)
    if callable(model) and not isinstance(model, tf.keras.Model):
        return _LocalVariableModel(model, local_loss)
    raise TypeError(
        "model must be a tff.learning.models.FunctionalModel or a function that returns a "
        f"tff.learning.models.VariableModel, got {type(model).__name__}{_advice(model)}"
    )


def new_variable_model(
    model_fn: Callable[[], tff.learning.models.VariableModel],
) -> tff.learning.models.VariableModel:
    """Makes a model, and calls a Keras network once that was never called, to give it weights."""
    model = model_fn()
    # TFF shows a model's network nowhere else.
    network = getattr(model, "_keras_model", None)
    if network is not None and not network.built:
        features, _ = features_and_labels(model.input_spec)
        example = tf.nest.map_structure(
            lambda spec: tf.zeros([1, *(size or 1 for size in spec.shape[1:])], spec.dtype),
            features,
        )
        network(example, training=False)
    return model


def _advice(model: Any) -> str:
    """Returns the right call for something that is nearly a model."""
    if isinstance(model, tf.keras.Model):
        return (
            ", a Keras model: give a function that makes both, as in lambda: "
            "tff.learning.models.from_keras_model(make_network(), loss=..., input_spec=...)"
        )
    if isinstance(model, tff.learning.models.VariableModel):
        return ": give the function that makes it"
    return ""


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


class _LocalFunctionalModel(LocalModel):
    def __init__(self, model: tff.learning.models.FunctionalModel, local_loss: LocalLoss | None):
        self._model, self._local_loss = model, local_loss

    @property
    def input_spec(self) -> Any:
        return self._model.input_spec

    def initial_weights(self) -> ModelWeights:
        trainable, non_trainable = self._model.initial_weights
        return ModelWeights(
            tuple(tf.convert_to_tensor(weight) for weight in trainable),
            tuple(tf.convert_to_tensor(weight) for weight in non_trainable),
        )

    def bind(self) -> BoundModel:
        return _BoundFunctionalModel(self._model, self._local_loss)

    @property
    def loss(self) -> Loss:
        return self._model.loss

    @property
    def allows_sample_weight(self) -> bool:
        """Tests the loss: a padded fourth example must not change that of three."""
        batch = tf.nest.map_structure(_distinct_examples, self.input_spec)
        features, labels = features_and_labels(batch)
        try:
            output = self._model.predict_on_batch(
                self._model.initial_weights, features, training=False
            )
            # Initial weights of 0 would give every example the same loss.
            output = tf.nest.map_structure(_disturbed, output)
            first_three = tf.nest.map_structure(lambda tensor: tensor[:3], (output, labels))
            plain = self._model.loss(*first_three)
            dtype = computed_in(self._model.initial_weights[0])
            padded = self._model.loss(output, labels, tf.constant([1.0, 1.0, 1.0, 0.0], dtype))
        except Exception:  # A loss that raises any error cannot be padded.
            return False
        rounding = 1e-5 if plain.dtype.size > 2 else 2e-2
        plain, padded = (float(tf.cast(loss, tf.float64)) for loss in (plain, padded))
        is_mean = math.isclose(plain, padded, rel_tol=rounding, abs_tol=1e-6)
        return is_mean and not self._mixes_examples(features)

    def _mixes_examples(self, features: Any) -> bool:
        """Whether the outputs for three examples depend, in training, on a fourth."""
        random_numbers, (trainable, others) = random_numbers_of_graph(), self._model.initial_weights
        # Initial weights of 0 would give every example the same output.
        weights = tf.nest.map_structure(_disturbed, trainable), others

        @tf.function(autograph=False)
        def predict(features: Any, seed: tf.Tensor) -> Any:
            random_numbers.restart(0, seed, tf.constant(0, tf.int64))
            with random_numbers.drawn_from():
                return self._model.predict_on_batch(weights, features, training=True)

        first = tf.nest.map_structure(lambda x: x[:3], features)
        try:
            three, again, four = (
                [x[:3] for x in tf.nest.flatten(predict(given, seed))]
                for given, seed in (
                    *((first, tf.constant(seed)) for seed in (0, 1)),
                    (features, tf.constant(0)),
                )
            )
        except Exception:  # Its own error comes where it is trained.
            return False
        return _are_near(three, again) and not _are_near(three, four)


def _distinct_examples(spec: tf.TensorSpec) -> tf.Tensor:
    """Returns `[4, ...]` examples, different from each other but valid as labels."""
    shape = [4] + [size or 1 for size in spec.shape[1:]]
    values = np.random.default_rng(0).integers(0, 2, size=shape)
    values[-1] = 1 - values[-2]
    return tf.constant(values, dtype=spec.dtype)


def _disturbed(output: tf.Tensor) -> tf.Tensor:
    noise = np.random.default_rng(1).normal(size=output.shape)
    return output + tf.constant(noise, output.dtype)


def _are_near(some: list[tf.Tensor], others: list[tf.Tensor]) -> bool:
    """Whether two lists of outputs are the same but for rounding."""

    def is_near(one: tf.Tensor, other: tf.Tensor) -> bool:
        rounding = 1e-3 if one.dtype.size > 2 else 3e-2
        a, b = (np.asarray(tf.cast(x, tf.float64)) for x in (one, other))
        return np.allclose(a, b, rtol=0, atol=rounding * np.max(np.abs(a), initial=0))

    return all(map(is_near, some, others))


class _BoundFunctionalModel(BoundModel):
    def __init__(self, model: tff.learning.models.FunctionalModel, local_loss: LocalLoss | None):
        super().__init__(local_loss, model.loss)
        self._model = model

    def gradients(self, weights: ModelWeights, batch: Any, sample_weight: tf.Tensor | None) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(weights.trainable)
            loss, predictions = self._forward(weights, batch, sample_weight, training=True)
            loss = self._minimised(loss, predictions, batch, sample_weight)
        gradients = tape.gradient(
            loss, weights.trainable, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        return self._zero_if_nothing_counts(gradients, predictions, batch, sample_weight)

    def evaluate(
        self, weights: ModelWeights, batch: Any, sample_weight: tf.Tensor | None
    ) -> BatchLoss:
        loss, predictions = self._forward(weights, batch, sample_weight, training=False)
        loss = self._zero_if_nothing_counts(loss, predictions, batch, sample_weight)
        return BatchLoss(tf.cast(loss, computed_in(weights.trainable)), predictions)

    def _forward(
        self,
        weights: ModelWeights,
        batch: Any,
        sample_weight: tf.Tensor | None,
        training: bool,
    ) -> tuple[tf.Tensor, Any]:
        features, labels = features_and_labels(batch)
        if sample_weight is not None:
            sample_weight = tf.cast(sample_weight, computed_in(weights.trainable))
        with self.random_numbers.drawn_from():
            predictions = self._model.predict_on_batch(
                (weights.trainable, weights.non_trainable), features, training=training
            )
            return self._model.loss(predictions, labels, sample_weight), predictions


class _LocalVariableModel(LocalModel):
    def __init__(
        self,
        model_fn: Callable[[], tff.learning.models.VariableModel],
        local_loss: LocalLoss | None,
    ):
        self._model_fn, self._local_loss = model_fn, local_loss
        # A separate graph keeps these variables out of the caller's graph.
        with tf.Graph().as_default():
            model = self._build()
            if not isinstance(model, tff.learning.models.VariableModel):
                raise TypeError(
                    "model must return a tff.learning.models.VariableModel when it is a function, "
                    f"it returned a {type(model).__name__}{_advice(model)}"
                )
            _check_is_mean(model)
            self._input_spec = model.input_spec
            self._loss = _loss_of(model)

    @property
    def input_spec(self) -> Any:
        return self._input_spec

    def initial_weights(self) -> ModelWeights:
        return ModelWeights.from_model(self._build())

    def bind(self) -> BoundModel:
        return _BoundVariableModel(self._build(), self._local_loss)

    @property
    def loss(self) -> Loss | None:
        return self._loss

    @property
    def allows_sample_weight(self) -> bool:
        return False

    def _build(self) -> tff.learning.models.VariableModel:
        with random_numbers_of_graph().seeds_end_here():
            return new_variable_model(self._model_fn)


def _check_is_mean(model: tff.learning.models.VariableModel) -> None:
    for loss in getattr(model, "_loss_fns", None) or ():
        if getattr(loss, "reduction", None) == tf.keras.losses.Reduction.SUM:
            raise ValueError(
                "the model's loss must be a mean over the examples, got Keras' reduction='sum': "
                "leave the reduction out"
            )


def _loss_of(model: tff.learning.models.VariableModel) -> Loss | None:
    """Returns the loss of a model that TFF made of a Keras one, or of a functional one.

    TFF shows it nowhere else.
    """
    of_keras = getattr(model, "_loss_fns", None)
    if isinstance(of_keras, list) and len(of_keras) == 1:
        return _KerasLoss(of_keras[0])
    return getattr(getattr(model, "_functional_model", None), "loss", None)


class _KerasLoss:
    """A loss of Keras with the arguments in TFF's order, and the class that it ignores."""

    def __init__(self, loss: tf.keras.losses.Loss):
        self._loss = loss
        self.ignore_class = getattr(loss, "_fn_kwargs", {}).get("ignore_class")

    def __call__(self, output: Any, label: Any) -> Any:
        """Returns the loss."""
        return self._loss(label, output)


class _BoundVariableModel(BoundModel):
    def __init__(self, model: tff.learning.models.VariableModel, local_loss: LocalLoss | None):
        super().__init__(local_loss, _loss_of(model))
        self._model = model

    def gradients(self, weights: ModelWeights, batch: Any, sample_weight: tf.Tensor | None) -> Any:
        del sample_weight  # Never given: `allows_sample_weight` is False.
        weights.assign_weights_to(self._model)
        with tf.GradientTape() as tape, self.random_numbers.drawn_from():
            output = self._model.forward_pass(batch, training=True)
            loss = self._minimised(output.loss, output.predictions, batch, None)
        gradients = tape.gradient(
            loss,
            self._model.trainable_variables,
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )
        gradients = tf.nest.pack_sequence_as(weights.trainable, tf.nest.flatten(gradients))
        return self._zero_if_nothing_counts(gradients, output.predictions, batch, None)

    def evaluate(
        self, weights: ModelWeights, batch: Any, sample_weight: tf.Tensor | None
    ) -> BatchLoss:
        del sample_weight  # Never given: `allows_sample_weight` is False.
        weights.assign_weights_to(self._model)
        with self.random_numbers.drawn_from():
            output = self._model.forward_pass(batch, training=False)
        loss = self._zero_if_nothing_counts(output.loss, output.predictions, batch, None)
        return BatchLoss(tf.cast(loss, computed_in(weights.trainable)), output.predictions)
