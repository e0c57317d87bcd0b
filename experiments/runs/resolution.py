"""What the names in a run's configuration stand for, looked up once."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from experiments.declaration import Algorithm
from experiments.papers import catalogue
from experiments.runs.configuration import RunConfiguration
from leaf_data import registry
from leaf_data.registry import DataSetDefinition

if TYPE_CHECKING:
    from leaf_data.models.by_name import ModelDefinition


@dataclasses.dataclass(frozen=True)
class ResolvedRun:
    """A run with all that its configuration names.

    Attributes:
        configuration: What to run.
        algorithm: Its algorithm.
        data_set: Its data set, not loaded.
        model: Its model.
    """

    configuration: RunConfiguration
    algorithm: Algorithm
    data_set: DataSetDefinition
    model: ModelDefinition


def resolve(configuration: RunConfiguration) -> ResolvedRun:
    """Looks up what a configuration names.

    Raises:
        ValueError: If there is no such algorithm, data set or model, one of one's own cannot be
            imported, or the algorithm has no such hyperparameter.
    """
    from leaf_data.tasks import model_definition  # Deferred: it needs TensorFlow.

    found = find_algorithm(configuration.algorithm)
    for name in configuration.hyperparameters:
        if name not in found.hyperparameters:
            raise ValueError(
                f"{name} is not a hyperparameter of {configuration.algorithm}, which has "
                f"{sorted(found.hyperparameters)}"
            )
    return ResolvedRun(
        configuration,
        found,
        registry.definition(configuration.dataset),
        model_definition(str(configuration.model)),
    )


def find_algorithm(name: str) -> Algorithm:
    """Returns what is known of an algorithm, one of one's own included.

    Raises:
        ValueError: As `catalogue.algorithm`, or if it is one of one's own with a hyperparameter
            that has the name of a field of every run.
    """
    found = catalogue.algorithm(name)
    for field in dataclasses.fields(RunConfiguration):
        if field.name in found.hyperparameters:
            raise ValueError(
                f"{name} has the hyperparameter {field.name}, which every run has already: take "
                "it from local_training, or call it something else"
            )
    return found


def hyperparameter_defaults(algorithm: Algorithm) -> dict[str, Any]:
    """Returns the defaults of an algorithm's own hyperparameters.

    Returns:
        Names with defaults; `inspect.Parameter.empty` where there is no default.
    """
    return {argument.name: argument.default for argument in algorithm.hyperparameters.values()}
