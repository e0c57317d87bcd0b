"""Tasks: a data set with the model, loss and metric that are trained on it.

The counterpart of `tff.simulation.baselines.BaselineTask`, for functional models and per-client
evaluation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import tensorflow as tf
import tensorflow_federated as tff

from leaf_data import models, registry
from leaf_data.errors import DataError
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models import classification


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


def load_task(
    name: str,
    *,
    data_seed: int = 0,
    data_dir: str | None = None,
    leaf_dir: str | None = None,
) -> Task:
    """Loads a data set and pairs it with its model.

    Args:
      name: A name from `registry.names()`.
      data_seed: As `seed` in `registry.load`.
      data_dir: As in `registry.load`.
      leaf_dir: As in `registry.load`.

    Returns:
      The task.

    Raises:
      ValueError: If the name is unknown or an argument is out of range.
      DataError: If the data cannot be read, or no model fits it.
    """
    dataset = registry.load(name, seed=data_seed, data_dir=data_dir, leaf_dir=leaf_dir)
    return _BUILDERS[name](dataset)


def _logistic_regression_task(dataset: FederatedDataset) -> Task:
    """MLR on vectors of features: the synthetic data sets, and LEAF's JSON of that form."""
    spec = dataset.train.element_type_structure
    x, y = spec["x"], spec["y"]
    num_classes = dataset.num_classes
    if x.dtype == tf.string or x.shape.rank != 1 or num_classes is None:
        raise DataError(
            f"data set {dataset.name!r} has the elements {dict(spec)}; logistic regression needs x"
            " to be a vector of numbers and y a class index."
        )

    def build_model(seed: int) -> tff.learning.models.FunctionalModel:
        return models.logistic_regression(
            num_features=x.shape[0],
            num_classes=max(num_classes, 2),
            seed=seed,
            feature_dtype=x.dtype,
            label_dtype=y.dtype,
        )

    return Task(
        name=dataset.name,
        dataset=dataset,
        build_model=build_model,
        correct_fn=classification.correct,
        compile_with_xla=True,
    )


_BUILDERS: dict[str, Callable[[FederatedDataset], Task]] = dict.fromkeys(
    registry.names(), _logistic_regression_task
)
