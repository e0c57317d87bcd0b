"""A user's own model: a function that builds it for a data set, in Keras or in TFF."""

from __future__ import annotations

import collections
import contextlib
import inspect
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from tensorflow.python.eager import context

from leaf_data.client_data import client_examples
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models.by_name import ModelDefinition
from leaf_data.models.classification import KerasCrossEntropy

_ARGUMENTS = ("dataset", "seed")
# For the trial: the number of examples, and sizes of random weights, over the root of the inputs.
_NUM_TRIED = 8
_SIZES_TRIED = (0.5, 1.0, 2.0, 5.0, 10.0)


def own_model(build: Callable[..., Any], *, name: str) -> ModelDefinition:
    """Makes a `ModelDefinition` of a user's function.

    Args:
        build: A function that builds the model. It is given the `FederatedDataset` as `dataset` and
            the seed of the initial weights as `seed`, if it has arguments of these names, and
            returns

            * a `tf.keras.Model` that is not compiled, from `x`, [batch, ...]. Logits or
            probabilities
              [batch, num_classes] have the loss `KerasCrossEntropy`. For two classes, one logit or
              probability [batch, 1] has the binary cross entropy. Numbers of the labels' shape, for
              a data set without classes, have the mean squared error. Trial predictions decide
              whether outputs are probabilities. The initial weights are seeded, even if the
              function does not take the seed. Statistics of layers, such as batch normalization's,
              keep their initial values;
            * or a `tff.learning.models.FunctionalModel`, but none of `functional_model_from_keras`;
            * or a function without arguments that returns a `tff.learning.models.VariableModel`.

            Loss and shapes decide which predictions are right.
        name: What the model is called in messages.

    Returns:
        The model. Its `build` raises ValueError if the function returns something else, or a
        functional model that cannot predict an example of the data set.

    Raises:
        ValueError: If `build` is no such function.
    """
    if not callable(build):
        raise ValueError(
            f"model {name!r} is a {type(build).__name__}; it must be a function that returns one."
        )
    known = inspect.signature(build).parameters
    for argument, parameter in known.items():
        if argument not in _ARGUMENTS and parameter.default is inspect.Parameter.empty:
            raise ValueError(
                f"model {name!r} takes {argument!r}; it is given 'dataset' and 'seed', if it takes"
                " them, and no more."
            )

    def build_for(dataset: FederatedDataset, seed: int) -> Any:
        given = {"dataset": dataset, "seed": seed}
        arguments = {key: value for key, value in given.items() if key in known}

        def build_seeded() -> Any:
            with _seeded(seed):
                return build(**arguments)

        model = build_seeded()
        if isinstance(model, tf.keras.Model):
            return _from_keras(build_seeded, dataset, name)
        if isinstance(model, tff.learning.models.FunctionalModel):
            _try_one_example(model, dataset, name)
        elif not (callable(model) and not inspect.signature(model).parameters):
            raise ValueError(
                f"model {name!r} returned a {type(model).__name__}; it must be a tf.keras.Model, a"
                " tff.learning.models.FunctionalModel, or a function without arguments that returns"
                " a tff.learning.models.VariableModel."
            )
        return model

    return ModelDefinition(build_for, correct_fn=None)


def _try_one_example(
    model: tff.learning.models.FunctionalModel, dataset: FederatedDataset, name: str
) -> None:
    """Makes sure that the model predicts, before any training.

    Raises:
        ValueError: If it does not.
    """
    spec = dataset.train.element_type_structure["x"]
    try:
        model.predict_on_batch(model.initial_weights, tf.zeros([1, *spec.shape], spec.dtype))
    except Exception as error:  # A user's function may raise anything.
        if type(error).__name__ == "KerasFunctionalModelError":  # TFF exports no name.
            raise ValueError(
                f"model {name!r} comes from functional_model_from_keras, which TFF does not let"
                " evaluate outside its computations; return the tf.keras.Model itself."
            ) from error
        raise ValueError(
            f"model {name!r} cannot predict an example of data set {dataset.name!r}, of the shape"
            f" {tuple(spec.shape)} and {spec.dtype.name}: {_what_it_says(error)}"
        ) from error


def _what_it_says(error: Exception) -> str:
    """The line with an error's cause: the last one, if TensorFlow prints a traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return lines[-1] if lines[0] == "in user code:" else lines[0]


def _from_keras(
    build_keras: Callable[[], tf.keras.Model], dataset: FederatedDataset, name: str
) -> Callable[[], tff.learning.models.VariableModel]:
    input_spec = collections.OrderedDict(
        (field, tf.TensorSpec([None, *spec.shape], spec.dtype))
        for field, spec in dataset.train.element_type_structure.items()
    )
    make_loss, make_metrics = _loss_and_metrics(build_keras(), dataset, name)

    def build() -> tff.learning.models.VariableModel:
        keras_model = build_keras()
        if not keras_model.built:  # A subclassed model is built at its first call.
            keras_model(tf.zeros([1, *input_spec["x"].shape[1:]], input_spec["x"].dtype))
        return tff.learning.models.from_keras_model(
            keras_model, loss=make_loss(), input_spec=input_spec, metrics=make_metrics()
        )

    return build


def _loss_and_metrics(
    keras_model: tf.keras.Model, dataset: FederatedDataset, name: str
) -> tuple[Callable[[], tf.keras.losses.Loss], Callable[[], list[tf.keras.metrics.Metric]]]:
    """Chooses the loss by the data set's classes and the model's output.

    Raises:
        ValueError: If the model is compiled, cannot predict, or its outputs do not fit the labels.
    """
    if keras_model.optimizer is not None:
        raise ValueError(f"model {name!r} is compiled; return it without calling compile.")
    try:
        shape, are_probabilities = _try_outputs(keras_model, dataset)
    except Exception as error:  # A user's model may raise anything.
        raise ValueError(
            f"model {name!r} cannot predict an example of data set {dataset.name!r}:"
            f" {_what_it_says(error)}"
        ) from error
    num_outputs, num_classes = math.prod(shape[-1:]), dataset.num_classes
    if num_classes is None:
        labels = tuple(dataset.train.element_type_structure["y"].shape)
        # Keras takes a column for numbers, and the reverse.
        if {shape, (*shape, 1)}.isdisjoint({labels, (*labels, 1)}):
            raise ValueError(
                f"model {name!r} gives numbers of the shape {shape}; the labels of data set"
                f" {dataset.name!r} have the shape {labels}."
            )
        return tf.keras.losses.MeanSquaredError, list
    if num_outputs < num_classes and (num_outputs > 1 or num_classes > 2):
        raise ValueError(
            f"model {name!r} gives {num_outputs} output{'s' * (num_outputs > 1)}; data set"
            f" {dataset.name!r} has {num_classes} classes, and needs one for each."
        )
    if num_outputs > 1:
        return (
            lambda: KerasCrossEntropy(from_logits=not are_probabilities),
            lambda: [tf.keras.metrics.SparseCategoricalAccuracy("accuracy")],
        )
    return (
        lambda: tf.keras.losses.BinaryCrossentropy(from_logits=not are_probabilities),
        lambda: [
            tf.keras.metrics.BinaryAccuracy("accuracy", threshold=0.5 if are_probabilities else 0.0)
        ],
    )


def _try_outputs(
    keras_model: tf.keras.Model, dataset: FederatedDataset
) -> tuple[tuple[int, ...], bool]:
    """Returns the shape of an output, and whether outputs are probabilities for any weights.

    Weights of several sizes are tried: in a deep network outputs of large ones are not finite.
    """
    examples = (client_examples(dataset.train, client) for client in dataset.train.client_ids)
    x = next(each["x"][:_NUM_TRIED] for each in examples if len(each["x"]))
    generator = np.random.default_rng(0)
    keras_model(x, training=False)  # Which also builds it.
    weights = [variable.numpy() for variable in keras_model.trainable_variables]
    try:
        tried = []
        for size in _SIZES_TRIED:
            for variable in keras_model.trainable_variables:
                scale = size / math.sqrt(math.prod(variable.shape[:-1]))
                variable.assign(generator.normal(scale=scale, size=variable.shape))
            tried.append(np.asarray(keras_model(x, training=False), np.float64))
    finally:  # This may be the model that is trained.
        for variable, weight in zip(keras_model.trainable_variables, weights):
            variable.assign(weight)
    outputs = np.concatenate(tried)
    shape = outputs.shape[1:]
    outputs = outputs.reshape(len(outputs), *(shape or [1]))
    outputs = outputs[np.isfinite(outputs).reshape(len(outputs), -1).all(axis=1)]
    if not len(outputs):
        raise ValueError("its outputs are not finite for any of the weights that were tried")
    is_share = np.all((outputs >= 0) & (outputs <= 1))
    sums_to_one = outputs.shape[-1] == 1 or np.allclose(outputs.sum(axis=-1), 1.0, atol=1e-2)
    return shape, bool(is_share and sums_to_one)


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Lets Keras draw from a seed, and restores other generators afterwards."""
    of_python, of_numpy = random.getstate(), np.random.get_state()
    of_tensorflow = context.context()
    kept = of_tensorflow._seed, getattr(of_tensorflow, "_rng", None)
    tf.keras.utils.set_random_seed(seed)
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)
        # `tf.random.set_seed` with the old seed would repeat its first numbers.
        of_tensorflow._seed, of_tensorflow._rng = kept
