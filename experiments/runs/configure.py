"""Completes a run's configuration, and looks up what its names stand for."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from experiments.declaration import Algorithm
from experiments.declaration.recipe import OfAllClients, combined
from experiments.papers import catalogue
from experiments.runs.configuration import RunConfiguration
from leaf_data import extensions, registry
from leaf_data.registry import DataSetDefinition

if TYPE_CHECKING:
    from leaf_data.models.by_name import ModelDefinition

# Each says how many steps a client takes.
STEPS = ("epochs", "steps", "epochs_per_client")
_INSTEAD_OF = {
    "learning_rate_schedule": ("learning_rate_decay", 1.0),
    "client_optimizer": ("client_momentum", 0.0),
}


@dataclasses.dataclass(frozen=True)
class ResolvedRun:
    """A run with everything that its configuration names; the data set is not loaded."""

    configuration: RunConfiguration
    algorithm: Algorithm
    data_set: DataSetDefinition
    model: ModelDefinition


def resolve(configuration: RunConfiguration) -> ResolvedRun:
    """Looks up what a configuration names.

    Raises:
        ValueError: If there is no such algorithm, data set or model, a user's module cannot be
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
    data_set = registry.definition(configuration.dataset)
    return ResolvedRun(configuration, found, data_set, model_definition(str(configuration.model)))


def find_algorithm(name: str) -> Algorithm:
    """Returns what is known of an algorithm, including a user's.

    Raises:
        ValueError: As `catalogue.algorithm`, or if a hyperparameter has the name of a field of
            every run.
    """
    found = catalogue.algorithm(name)
    for field in dataclasses.fields(RunConfiguration):
        if field.name in found.hyperparameters:
            raise ValueError(
                f"{name} has the hyperparameter {field.name}, which every run has already: take "
                "it from local_training, or call it something else"
            )
    return found


def configure(algorithm: str, dataset: str, given: Mapping[str, Any]) -> RunConfiguration:
    """Completes the given settings to the configuration of a run.

    These are fields of `RunConfiguration`, the algorithm's own hyperparameters and the data set's
    own options, by name. Other settings come from the papers' recipes, see `recipe.combined`. The
    rest has the defaults of `RunConfiguration` or of the builder. `algorithm` and `dataset` are as
    for `catalogue.algorithm` and `registry.load`.

    Raises:
        ValueError: If the algorithm is unknown, does not use a given hyperparameter or lacks one
            that it needs; or if a value is out of range, or nothing gives the learning rate.
    """
    algorithm = catalogue.algorithm_name(algorithm)
    dataset = registry.dataset_name(dataset)
    known = find_algorithm(algorithm)
    own = {name: argument.default for name, argument in known.hyperparameters.items()}
    options = {n: given.get(n, default) for n, default in registry.options(dataset).items()}
    for name, value in options.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{dataset} needs the option {name}: --dataset_option={name}=...")
    model = registry.model_name(dataset, given.get("model"))
    recipe = combined(catalogue.recipes(), dataset=dataset, model=model, algorithm=algorithm)
    settings: dict[str, Any] = {
        **{n: s.resolve(options) if isinstance(s, OfAllClients) else s for n, s in recipe.items()},
        **{name: value for name, value in given.items() if name not in options},
    }
    # A given setting replaces the recipe's setting of the same thing.
    if any(name in given for name in STEPS):
        settings.update((name, None) for name in STEPS if name not in given)
    for name, (other, nothing) in _INSTEAD_OF.items():
        if given.get(name) is not None and other not in given:
            settings[other] = nothing
    hyperparameters = {name: settings.pop(name, default) for name, default in own.items()}
    for name, value in hyperparameters.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{name} is needed by {algorithm}")
        kind = known.hyperparameters[name].kind
        if kind is not None and not _is_of_kind(value, kind):
            raise ValueError(f"{name} must be {kind.__name__}, got {value!r}")
    fields = {field.name for field in dataclasses.fields(RunConfiguration)}
    for name in sorted(settings.keys() - fields):
        everybody = catalogue.algorithms().items()
        users = ", ".join(user for user, each in everybody if name in each.hyperparameters)
        only = f", only by {users}; leave it out" if users else ""
        raise ValueError(f"{name} is not used by {algorithm} on {dataset}{only}")
    if "learning_rate" not in settings:
        raise ValueError(
            f"learning_rate is needed: no recipe has one for {algorithm} on {dataset} with {model}"
        )
    # The modules that are not part of this software.
    modules = [each if extensions.is_reference(each) else None for each in (dataset, model)]
    modules.append(catalogue.module_of_algorithm(algorithm))
    return RunConfiguration(
        algorithm=algorithm,
        dataset=dataset,
        hyperparameters=hyperparameters,
        dataset_options=options,
        sources=extensions.checksums([each for each in modules if each is not None]),
        **settings,
    )


def _is_of_kind(value: Any, kind: type) -> bool:
    """Says whether a hyperparameter fits its builder's annotation; None always does."""
    if isinstance(value, bool):
        return kind is bool
    return value is None or isinstance(value, (int, float) if kind is float else kind)
