"""Writes trained models to files, for predictions or for further training."""

from __future__ import annotations

import os
import pathlib
import zipfile
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.local_model import (
    Model,
    ModelWeights,
    features_and_labels,
)
from tff_weights.client_work.variable_model import new_variable_model

_PARTS = ("trainable", "non_trainable")


def as_keras_model(model: Model, weights: ModelWeights) -> tf.keras.Model:
    """Returns a Keras model with trained weights, for predictions, or to be compiled and fitted.

    Args:
        model: What the process was built with.
        weights: What `process.get_model_weights(state)` returned.

    Returns:
        The network itself if `model` makes a Keras model; `save("network.keras")` writes it. Any
        other model is wrapped; Keras saves a wrapped one only as a SavedModel.

    Raises:
        TypeError: If `model` is no model.
        ValueError: If the weights are of another model.
    """
    built = _with_weights(model, weights)
    # TFF shows a model's network nowhere else.
    keras_model = getattr(built, "_keras_model", None)
    return _Wrapped(built) if keras_model is None else keras_model


def is_wrapped(keras_model: tf.keras.Model) -> bool:
    """Says whether `as_keras_model` had to wrap a model, which Keras saves as a SavedModel only."""
    return isinstance(keras_model, _Wrapped)


def save_as_saved_model(model: Model, weights: ModelWeights, path: str | os.PathLike[str]) -> None:
    """Writes a TensorFlow SavedModel that predicts, which needs neither TFF nor this library.

    After `loaded = tf.saved_model.load(path)`, `loaded.predict(x)` takes a batch of the model's
    features; keep `loaded`, since TensorFlow deletes its variables with it. So does the signature
    `serving_default`, where features and predictions are one tensor each: it takes `x` and gives
    `predictions`.

    Args:
        model: As for `as_keras_model`.
        weights: As for `as_keras_model`.
        path: The folder; it is made.

    Raises:
        TypeError: If `model` is no model.
        ValueError: If the weights are of another model.
    """
    features, _ = features_and_labels(local_model(model).input_spec)
    predictor = _Predictor(_with_weights(model, weights), features)
    signatures = {}
    predictions = predictor.predict.get_concrete_function().structured_outputs
    if not (tf.nest.is_nested(features) or tf.nest.is_nested(predictions)):
        signatures["serving_default"] = tf.function(
            lambda x: {"predictions": predictor.predict(x)}, autograph=False
        ).get_concrete_function(tf.TensorSpec(features.shape, features.dtype, name="x"))
    tf.saved_model.save(predictor, os.fspath(path), signatures=signatures)


def save_functional_model(
    model: tff.learning.models.FunctionalModel, weights: ModelWeights, path: str | os.PathLike[str]
) -> None:
    """Writes a functional model for `tff.learning.models.load_functional_model`.

    The loaded model takes the same batches, and its initial weights are the trained ones. TFF's own
    function, which this one calls, refuses a model whose input is an `OrderedDict(x=..., y=...)`.

    Args:
        model: The model.
        weights: As for `as_keras_model`.
        path: The folder; it is made.

    Raises:
        TypeError: If `model` is no functional model.
        ValueError: If the weights are of another model.
    """
    if not isinstance(model, tff.learning.models.FunctionalModel):
        raise TypeError(f"model must be a FunctionalModel, got {type(model).__name__}")
    checked = _checked(model, weights)
    tff.learning.models.save_functional_model(
        tff.learning.models.FunctionalModel(
            initial_weights=(checked.trainable, checked.non_trainable),
            predict_on_batch_fn=model.predict_on_batch,
            loss_fn=model.loss,
            input_spec=_by_place(model.input_spec),
        ),
        os.fspath(path),
    )


class _Batch(NamedTuple):
    x: Any
    y: Any


def _by_place(input_spec: Any) -> Any:
    """Returns the spec of a batch as a tuple, with its names if it has any."""
    if not isinstance(input_spec, Mapping):
        return input_spec
    return _Batch(*features_and_labels(input_spec))


def save_weights(weights: ModelWeights, path: str | os.PathLike[str]) -> None:
    """Writes weights as NumPy's `.npz`: the arrays `trainable_0` …, `non_trainable_0` ….

    NumPy's files do not know bfloat16, whose numbers are written as float32.

    Args:
        weights: As for `as_keras_model`.
        path: The file, whose name ends with `.npz`.

    Raises:
        ValueError: If the name ends otherwise.
    """
    if pathlib.Path(path).suffix != ".npz":
        raise ValueError(f"path must end with .npz, got {os.fspath(path)!r}")
    np.savez(path, **as_arrays(weights))


def as_arrays(weights: ModelWeights) -> dict[str, npt.NDArray[Any]]:
    """Returns weights as arrays of their shapes, by the names that `save_weights` gives them."""
    return {
        f"{part}_{place}": _for_numpy(np.asarray(array))
        for part in _PARTS
        for place, array in enumerate(tf.nest.flatten(getattr(weights, part)))
    }


def _for_numpy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.astype(np.float32) if array.dtype == tf.bfloat16.as_numpy_dtype else array


def load_weights(path: str | os.PathLike[str], model: Model) -> ModelWeights:
    """Reads weights of `save_weights`, to go on from with `process.set_model_weights`.

    Args:
        path: The file.
        model: The model that they are for.

    Raises:
        TypeError: If `model` is no model.
        ValueError: If the file was not written by `save_weights`, or its weights are another
            model's.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except (ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"path must be a file of weights, {os.fspath(path)!r} is none") from error
    return from_arrays(arrays, model)


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]], model: Model) -> ModelWeights:
    """Returns the weights from the arrays of `as_arrays`.

    Args:
        arrays: The arrays, each of its weight's shape.
        model: The model that they are for.

    Raises:
        TypeError: If `model` is no model.
        ValueError: If the weights are of another model.
    """
    of_parts = [
        [arrays[name] for name in sorted(names, key=lambda name: int(name.rpartition("_")[2]))]
        for names in ([n for n in arrays if n.rpartition("_")[0] == part] for part in _PARTS)
    ]
    return _checked(model, ModelWeights(*of_parts))


def _checked(model: Model, weights: ModelWeights) -> ModelWeights:
    """Returns the weights as arrays, in the model's structure.

    Raises:
        ValueError: If they are not the model's.
    """
    weights_type = local_model(model).initial_weights_computation.type_signature.result
    specs = tff.types.type_to_tf_tensor_specs(weights_type)
    parts = []
    for part in _PARTS:
        wanted = getattr(specs, part)
        given = [np.asarray(array) for array in tf.nest.flatten(getattr(weights, part))]
        for place, spec in enumerate(tf.nest.flatten(wanted)[: len(given)]):
            if spec.dtype == tf.bfloat16:  # Written as float32, without a loss.
                given[place] = given[place].astype(spec.dtype.as_numpy_dtype)
        shapes = [(array.shape, array.dtype.name) for array in given]
        needed = [(tuple(spec.shape), spec.dtype.name) for spec in tf.nest.flatten(wanted)]
        if shapes != needed:
            raise ValueError(f"weights.{part} must be {needed} as the model's, got {shapes}")
        parts.append(tf.nest.pack_sequence_as(wanted, given))
    return ModelWeights(*parts)


def _with_weights(model: Model, weights: ModelWeights) -> tff.learning.models.VariableModel:
    """Builds the model as one with variables that hold the weights."""
    checked = _checked(model, weights)
    built = (
        tff.learning.models.model_from_functional(model)
        if isinstance(model, tff.learning.models.FunctionalModel)
        else new_variable_model(model)
    )
    checked.assign_weights_to(built)
    return built


class _Predictor(tf.Module):
    """A model with variables as a module that TensorFlow saves."""

    def __init__(self, model: tff.learning.models.VariableModel, features: Any):
        super().__init__()
        self._of_model = [*model.trainable_variables, *model.non_trainable_variables]

        def predict(x: Any) -> Any:
            return model.predict_on_batch(x, training=False)

        self.predict = tf.function(predict, input_signature=[features], autograph=False)


class _Wrapped(tf.keras.Model):
    """A model with variables as a Keras model."""

    def __init__(self, model: tff.learning.models.VariableModel):
        super().__init__()
        self._of_model = [*model.trainable_variables, *model.non_trainable_variables]

        # Held by a function, since Keras treats a model's attributes as layers.
        def predict(x: Any, training: bool) -> Any:
            return model.predict_on_batch(x, training=training)

        self._predict = predict

    def call(self, x: Any, training: bool | None = None) -> Any:
        """Predicts a batch."""
        return self._predict(x, bool(training))
