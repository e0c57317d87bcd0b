"""Tasks: a data set with the model, loss and metric that are trained on it.

The counterpart of `tff.simulation.baselines.BaselineTask`, for functional models and per-client
evaluation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from leaf_data import extensions, registry
from leaf_data.checks import check_name, check_type
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models.by_name import MODELS, ModelDefinition
from leaf_data.models.own_model import own_model
from leaf_data.r2_score import R2Score

_REGRESSION_METRICS = ((tf.keras.metrics.MeanAbsoluteError, True), (R2Score, False))


@dataclasses.dataclass(frozen=True)
class Task:
    """A data set and what is trained on it.

    Attributes:
        name: The task's name, which is the data set's.
        dataset: The clients.
        build_model: From a seed of the initial weights to a new model. It is a
            `tff.learning.models.FunctionalModel`, or, for your own model in Keras, a function
            without arguments that returns a `tff.learning.models.VariableModel`. Its input is the
            batched element of the data set. The loss of this package's models is the weighted mean
            by sample weights.
        correct_fn: `(predictions [batch, ...], labels [batch]) -> [batch] float32`: 1.0 where the
            prediction is right, else 0.0. None for your own model, where loss and shapes decide.
        compile_with_xla: Whether XLA makes local training of this model faster: on a CPU it does so
            for small convex models, but not for convolutions and LSTMs.
        metrics: What is measured of each client if there are no classes: functions that make a
            Keras metric, each with whether a smaller number is better.
    """

    name: str
    dataset: FederatedDataset
    build_model: Callable[[int], Any]
    correct_fn: Callable[[tf.Tensor, tf.Tensor], tf.Tensor] | None
    compile_with_xla: bool
    metrics: tuple[tuple[Callable[[], tf.keras.metrics.Metric], bool], ...] = ()


def load_task(
    name: str,
    *,
    model: str | None = None,
    data_seed: int = 0,
    data_dir: str | None = None,
    leaf_dir: str | None = None,
    options: Mapping[str, Any] | None = None,
    prepared_dir: str | None = None,
) -> Task:
    """Loads a data set and pairs it with its model.

    Args:
        name: As in `registry.load`.
        model: As in `registry.model_name`.
        data_seed: As `seed` in `registry.load`.
        data_dir: As in `registry.load`.
        leaf_dir: As in `registry.load`.
        options: As in `registry.load`.
        prepared_dir: As in `registry.load`.

    Returns:
        The task.

    Raises:
        ValueError: If a name is unknown or an argument is out of range.
        DataError: If the data cannot be read, or the model does not fit it.
    """
    definition = model_definition(registry.model_name(name, model))
    dataset = registry.load(
        name,
        seed=data_seed,
        data_dir=data_dir,
        leaf_dir=leaf_dir,
        options=options,
        prepared_dir=prepared_dir,
    )
    return _task(dataset, definition)


def as_task(
    dataset: FederatedDataset,
    model: str | ModelDefinition | Callable[..., Any] = "logistic_regression",
) -> Task:
    """Pairs your own data set with a model.

    Args:
        dataset: The data set, as `leaf_data.from_arrays` and similar functions make it.
        model: The name of one of `leaf_data.models.by_name.MODELS`, or your own: a function as
            `own_model` takes it, or `module:name` of one; or what `model_definition` returns.

    Returns:
        The task.

    Raises:
        ValueError: If there is no such model, or `dataset` is none.
        DataError: If the model does not fit the data.
    """
    check_type("dataset", dataset, FederatedDataset)
    if isinstance(model, ModelDefinition):
        return _task(dataset, model)
    if callable(model):
        return _task(dataset, own_model(model, name=getattr(model, "__name__", repr(model))))
    check_name("model", model)
    if model not in MODELS and not extensions.is_reference(model):
        raise ValueError(f"model is {model!r}; it must be one of {', '.join(MODELS)}.")
    return _task(dataset, model_definition(model))


def model_definition(model: str) -> ModelDefinition:
    """What is known of a model.

    Args:
        model: One of `leaf_data.models.by_name.MODELS`, or `module:name` of your own.

    Raises:
        ValueError: If your own cannot be imported, or is no model.
    """
    if extensions.is_reference(model):
        return own_model(extensions.load(model), name=model)
    return MODELS[model]


def _task(dataset: FederatedDataset, definition: ModelDefinition) -> Task:
    definition.build(dataset, 0)  # Whether the model fits the data is known at once.
    return Task(
        name=dataset.name,
        dataset=dataset,
        build_model=lambda seed: definition.build(dataset, seed),
        correct_fn=definition.correct_fn,
        compile_with_xla=definition.compile_with_xla,
        metrics=_REGRESSION_METRICS if dataset.num_classes is None else (),
    )
