"""TFF's functional models for local training: pure functions of their weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
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


class LocalFunctionalModel(LocalModel):
    """A functional model outside any graph."""

    def __init__(self, model: tff.learning.models.FunctionalModel, local_loss: LocalLoss | None):
        self._model, self._local_loss = model, local_loss

    @property
    @override
    def input_spec(self) -> Any:
        return self._model.input_spec

    @override
    def initial_weights(self) -> ModelWeights:
        trainable, non_trainable = self._model.initial_weights
        return ModelWeights(
            tuple(tf.convert_to_tensor(weight) for weight in trainable),
            tuple(tf.convert_to_tensor(weight) for weight in non_trainable),
        )

    @override
    def bind(self) -> BoundModel:
        return _BoundFunctionalModel(self._model, self._local_loss)

    @property
    @override
    def loss(self) -> Loss:
        return self._model.loss

    @property
    @override
    def allows_sample_weight(self) -> bool:
        """Tests the loss: a padded fourth example must not change that of three."""
        try:
            batch = tf.nest.map_structure(_distinct_examples, self.input_spec)
            features, labels = features_and_labels(batch)
            output = self._model.predict_on_batch(
                self._model.initial_weights, features, training=False
            )
            # Initial weights of 0 would give every example the same loss.
            output = tf.nest.map_structure(_disturbed, output)
            first_three = tf.nest.map_structure(lambda tensor: tensor[:3], (output, labels))
            plain = self._model.loss(*first_three)
            dtype = computed_in(self._model.initial_weights[0])
            padded = self._model.loss(output, labels, tf.constant([1.0, 1.0, 1.0, 0.0], dtype))
        except Exception:  # Texts, or a loss that raises any error, cannot be padded.
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

        traced = predict.get_concrete_function
        first = tf.nest.map_structure(lambda x: x[:3], features)
        try:
            three, again, four = (
                # Not by calls: TensorFlow warns of a function that is traced for several shapes.
                [x[:3] for x in tf.nest.flatten(traced(given, seed)(given, seed))]
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
