"""TFF's models with variables, such as those made of Keras networks, for local training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff
from tensorflow.python.eager import context
from typing_extensions import override

from tff_weights.client_work.labels import Loss
from tff_weights.client_work.local_loss import LocalLoss
from tff_weights.client_work.local_model import (
    BatchLoss,
    BoundModel,
    LocalModel,
    ModelWeights,
    features_and_labels,
)
from tff_weights.client_work.random_numbers import random_numbers_of_graph
from tff_weights.float_types import computed_in


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


def advice(model: Any) -> str:
    """Returns the right call for something that is nearly a model."""
    if isinstance(model, tf.keras.Model):
        return (
            ", a Keras model: give a function that makes both, as in lambda: "
            "tff.learning.models.from_keras_model(make_network(), loss=..., input_spec=...)"
        )
    if isinstance(model, tff.learning.models.VariableModel):
        return ": give the function that makes it"
    return ""


class LocalVariableModel(LocalModel):
    """A model with variables outside any graph; every binding makes new variables."""

    def __init__(
        self,
        model_fn: Callable[[], tff.learning.models.VariableModel],
        local_loss: LocalLoss | None,
    ):
        self._model_fn, self._local_loss = model_fn, local_loss
        # A separate graph keeps these variables out of the caller's graph.
        with tf.Graph().as_default():
            try:
                model = self._build()
            except RuntimeError as error:  # Such as that of `Normalization.adapt`.
                raise ValueError(
                    "model must be a function that works in a graph, too, as TFF calls it there: "
                    f"{str(error).rstrip('.')}"
                ) from error
            if not isinstance(model, tff.learning.models.VariableModel):
                raise TypeError(
                    "model must return a tff.learning.models.VariableModel when it is a function, "
                    f"it returned a {type(model).__name__}{advice(model)}"
                )
            _check_is_mean(model)
            self._input_spec = model.input_spec
            self._loss = _loss_of(model)
        self._set_by_function = _set_by_function(model_fn)

    @property
    @override
    def input_spec(self) -> Any:
        return self._input_spec

    @override
    def initial_weights(self) -> ModelWeights:
        weights = ModelWeights.from_model(self._build())
        flat = [
            drawn if value is None else tf.constant(value, drawn.dtype)
            for drawn, value in zip(tf.nest.flatten(weights), self._set_by_function)
        ]
        return tf.nest.pack_sequence_as(weights, flat)

    @override
    def bind(self) -> BoundModel:
        return _BoundVariableModel(self._build(), self._local_loss)

    @property
    @override
    def loss(self) -> Loss | None:
        return self._loss

    @property
    @override
    def allows_sample_weight(self) -> bool:
        return False

    def _build(self) -> tff.learning.models.VariableModel:
        with random_numbers_of_graph().seeds_end_here():
            return new_variable_model(self._model_fn)


def _set_by_function(
    model_fn: Callable[[], tff.learning.models.VariableModel],
) -> list[npt.NDArray[Any] | None]:
    """Returns the weights that a function gives to every model that it makes; None where it draws.

    TFF makes models in graphs, which lose what Keras' `set_weights` and `load_weights` assign.
    Outside of graphs two models tell these weights, such as pre-trained ones, from drawn ones.
    """
    with context.eager_mode():
        one, other = (ModelWeights.from_model(new_variable_model(model_fn)) for _ in range(2))
        pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other))
        values = ((first.numpy(), second.numpy()) for first, second in pairs)
        return [first if np.array_equal(first, second) else None for first, second in values]


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
