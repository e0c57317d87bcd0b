"""Tasks: a data set with the model, loss and metric that are trained on it.

The counterpart of `tff.simulation.baselines.BaselineTask`, for functional models and per-client
evaluation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data import registry
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models.by_name import MODELS


@dataclasses.dataclass(frozen=True)
class Task:
    """A data set and what is trained on it.

    Attributes:
        name: The task's name, which is the data set's.
        dataset: The clients.
        build_model: From a seed of the initial weights to a new model. The model's input is the
            batched element of the data set; its loss takes sample weights and is the weighted mean.
        correct_fn: `(predictions [batch, ...], labels [batch]) -> [batch] float32`: 1.0 where the
            prediction is right, else 0.0.
        compile_with_xla: Whether local training of this model is faster when XLA compiles it: on a
            CPU it is for the small convex models, and it is not for convolutions and LSTMs.
    """

    name: str
    dataset: FederatedDataset
    build_model: Callable[[int], tff.learning.models.FunctionalModel]
    correct_fn: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    compile_with_xla: bool


def model_name(dataset: str, model: str | None = None) -> str:
    """The name of the model that is trained on a data set.

    Args:
        dataset: A name from `registry.names()`.
        model: One of `registry.models(dataset)`, or None for the first of them.

    Raises:
        ValueError: If a name is unknown.
    """
    known = registry.models(dataset)
    if model is not None and model not in known:
        raise ValueError(
            f"model is {model!r}; for data set {dataset!r} it must be one of {', '.join(known)}."
        )
    return known[0] if model is None else model


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
        name: A name from `registry.names()`.
        model: One of `registry.models(name)`, or None for the first of them.
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
    definition = MODELS[model_name(name, model)]
    dataset = registry.load(
        name,
        seed=data_seed,
        data_dir=data_dir,
        leaf_dir=leaf_dir,
        options=options,
        prepared_dir=prepared_dir,
    )
    definition.build(dataset, 0)  # Whether the model fits the data is known at once.
    return Task(
        name=dataset.name,
        dataset=dataset,
        build_model=lambda seed: definition.build(dataset, seed),
        correct_fn=definition.correct_fn,
        compile_with_xla=definition.compile_with_xla,
    )
