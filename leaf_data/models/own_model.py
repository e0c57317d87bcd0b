"""A model of one's own: a function that builds it for a data set, in Keras or in TFF."""

from __future__ import annotations

import collections
import contextlib
import inspect
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models.by_name import ModelDefinition
from leaf_data.models.classification import KerasCrossEntropy

_ARGUMENTS = ("dataset", "seed")


def own_model(build: Callable[..., Any], *, name: str) -> ModelDefinition:
    """Makes a classifier of one's own one that data sets are trained with.

    Args:
        build: A function that builds the model. It is given the `FederatedDataset` as `dataset` and
            the seed of the initial weights as `seed`, if it has arguments of these names, and
            returns

            * a `tf.keras.Model`, not compiled, from `x`, [batch, ...], to logits [batch,
              num_classes], or, where its last layer is a softmax, to probabilities; its loss is
              `KerasCrossEntropy`. Its initial weights are seeded, whether it takes the seed or
              not. Layers that keep statistics of their own, such as batch normalization, are left
              at their first ones; group normalization has none;
            * or a `tff.learning.models.FunctionalModel`, but none of `functional_model_from_keras`;
            * or a function without arguments that returns a `tff.learning.models.VariableModel`.

            A prediction is right where its largest entry is the label's.
        name: What the model is called in messages.

    Returns:
        The model; its `build` raises ValueError where the function returns something else, or a
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
            return _from_keras(build_seeded, dataset)
        if isinstance(model, tff.learning.models.FunctionalModel):
            _try_one_example(model, dataset, name)
        elif not (callable(model) and not inspect.signature(model).parameters):
            raise ValueError(
                f"model {name!r} returned a {type(model).__name__}; it must be a tf.keras.Model, a"
                " tff.learning.models.FunctionalModel, or a function without arguments that returns"
                " a tff.learning.models.VariableModel."
            )
        return model

    return ModelDefinition(build_for)


def _try_one_example(
    model: tff.learning.models.FunctionalModel, dataset: FederatedDataset, name: str
) -> None:
    """Makes sure that the model predicts, where nothing has begun yet.

    Raises:
        ValueError: If it does not.
    """
    spec = dataset.train.element_type_structure["x"]
    try:
        model.predict_on_batch(model.initial_weights, tf.zeros([1, *spec.shape], spec.dtype))
    except Exception as error:  # Whatever a function of one's own raises.
        if type(error).__name__ == "KerasFunctionalModelError":  # Of TFF, which exports no name.
            raise ValueError(
                f"model {name!r} comes from functional_model_from_keras, which TFF does not let"
                " evaluate outside its computations; return the tf.keras.Model itself."
            ) from error
        raise ValueError(
            f"model {name!r} cannot predict an example of data set {dataset.name!r}, of the shape"
            f" {tuple(spec.shape)} and {spec.dtype.name}: {_what_it_says(error)}"
        ) from error


def _what_it_says(error: Exception) -> str:
    """The one line of an error that says it: the last where TensorFlow tells the way before it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return lines[-1] if lines[0] == "in user code:" else lines[0]


def _from_keras(
    build_keras: Callable[[], tf.keras.Model], dataset: FederatedDataset
) -> Callable[[], tff.learning.models.VariableModel]:
    input_spec = collections.OrderedDict(
        (field, tf.TensorSpec([None, *spec.shape], spec.dtype))
        for field, spec in dataset.train.element_type_structure.items()
    )

    def build() -> tff.learning.models.VariableModel:
        keras_model = build_keras()
        return tff.learning.models.from_keras_model(
            keras_model,
            loss=KerasCrossEntropy(from_logits=not _ends_with_softmax(keras_model)),
            input_spec=input_spec,
            metrics=[tf.keras.metrics.SparseCategoricalAccuracy("accuracy")],
        )

    return build


def _ends_with_softmax(keras_model: tf.keras.Model) -> bool:
    last = keras_model.layers[-1]
    is_softmax = getattr(last, "activation", None) is tf.keras.activations.softmax
    return is_softmax or isinstance(last, tf.keras.layers.Softmax)


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Lets Keras draw from a seed, and leaves the generators of others as they were."""
    of_python, of_numpy = random.getstate(), np.random.get_state()
    tf.keras.utils.set_random_seed(seed)
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)
