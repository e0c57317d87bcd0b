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

# The models of each data set, the default first.
_MODELS_OF: dict[str, tuple[str, ...]] = {
    "synthetic_iid": ("logistic_regression",),
    "synthetic_0_0": ("logistic_regression",),
    "synthetic_0.5_0.5": ("logistic_regression",),
    "synthetic_1_1": ("logistic_regression",),
    "synthetic_dirichlet_0.1": ("logistic_regression",),
    "synthetic_dirichlet_0.5": ("logistic_regression",),
    "synthetic_dirichlet_3": ("logistic_regression",),
    "synthetic_dirichlet_5": ("logistic_regression",),
    "mnist": ("image_logistic_regression",),
    "femnist": ("image_logistic_regression",),
    "leaf_femnist": ("fed_adp_cnn", "image_logistic_regression"),
    "mnist_x_class": ("fed_adp_cnn", "image_logistic_regression"),
    "fashion_mnist_x_class": ("fed_adp_cnn", "image_logistic_regression"),
    "mnist_mixed_classes": ("fed_adp_cnn", "image_logistic_regression"),
    "mnist_general_case_1": ("fed_adp_cnn", "image_logistic_regression"),
    "mnist_general_case_2": ("fed_adp_cnn", "image_logistic_regression"),
    "mnist_case_1": ("squared_svm", "fed_veca_cnn"),
    "mnist_case_2": ("squared_svm", "fed_veca_cnn"),
    "mnist_case_3": ("squared_svm", "fed_veca_cnn"),
    "cifar10_case_1": ("fed_veca_cnn",),
    "cifar10_case_2": ("fed_veca_cnn",),
    "cifar10_case_3": ("fed_veca_cnn",),
    "mnist_entropy": ("fed_adp_cnn",),
    "fashion_mnist_entropy": ("fed_adp_cnn",),
    "cifar10_entropy": ("fed_adp_cnn",),
    "mnist_major_minor": ("le_net",),
    "sent140": ("sentiment_lstm",),
    "shakespeare": ("next_character_lstm",),
    "leaf_sent140": ("sentiment_lstm",),
    "leaf_shakespeare": ("next_character_lstm",),
    "leaf": ("logistic_regression",),
}


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


def models(name: str) -> tuple[str, ...]:
    """The names of a data set's models, the default first.

    Args:
      name: A name from `registry.names()`.

    Raises:
      ValueError: If the name is unknown.
    """
    if name not in _MODELS_OF:
        raise ValueError(f"name is {name!r}; it must be one of {', '.join(_MODELS_OF)}.")
    return _MODELS_OF[name]


def model_name(dataset: str, model: str | None = None) -> str:
    """The name of the model that is trained on a data set.

    Args:
      dataset: A name from `registry.names()`.
      model: One of `models(dataset)`, or None for the first of them.

    Raises:
      ValueError: If a name is unknown.
    """
    known = models(dataset)
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
      model: One of `models(name)`, or None for the first of them.
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
