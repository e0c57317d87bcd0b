"""Completes a run's configuration, and looks up what its names stand for."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from experiments.declaration import Algorithm
from experiments.declaration.recipe import OfAllClients, combined
from experiments.papers import catalogue
from experiments.runs.configuration import SCHEMA, RunConfiguration, Seeds
from experiments.runs.options import check_kind
from leaf_data import extensions, registry
from leaf_data.definition import DataSetDefinition, check_options

if TYPE_CHECKING:
    from leaf_data.models.by_name import ModelDefinition

# Each says how many steps a client takes.
STEPS = ("epochs", "steps", "epochs_per_client")
_INSTEAD_OF = {
    "learning_rate_schedule": ("learning_rate_decay", 1.0),
    "client_optimizer": ("client_momentum", 0.0),
}


@dataclasses.dataclass(frozen=True, eq=False)
class ResolvedRun:
    """A run: its configuration, and what the names in it stand for. No data are loaded.

    `configure` makes it from given settings, and `read_run` from JSON. Everything else takes it as
    it is. Two runs are equal if their identities are.
    """

    configuration: RunConfiguration
    algorithm: Algorithm
    data_set: DataSetDefinition

    @functools.cached_property
    def model(self) -> ModelDefinition:
        """The model, which needs TensorFlow.

        Raises:
            ValueError: If it is a user's, and cannot be imported or is no model.
        """
        from leaf_data.tasks import model_definition  # Deferred: it takes seconds.

        return model_definition(str(self.configuration.model))

    @functools.cached_property
    def identity(self) -> str:
        """The settings that decide the run's numbers and differ from the defaults, as JSON.

        A new option has a default that leaves earlier runs as they were, so it changes no identity.
        For a user's algorithm or data set all settings are listed: their defaults belong to its
        source.
        """
        configuration, is_own = self.configuration, extensions.is_reference
        arguments = {} if is_own(configuration.algorithm) else self.algorithm.hyperparameters
        defaults = {
            "hyperparameters": {name: each.default for name, each in arguments.items()},
            "dataset_options": {} if is_own(configuration.dataset) else self.data_set.options,
            "seeds": vars(Seeds()),
            "sources": {},
        }
        said: dict[str, Any] = {"schema": SCHEMA}
        for field in dataclasses.fields(configuration):
            value = getattr(configuration, field.name)
            if field.name in defaults:
                settings = vars(value) if isinstance(value, Seeds) else value
                said[field.name] = _differing(settings, defaults[field.name])
            else:
                said.update(_differing({field.name: value}, {field.name: field.default}))
        return json.dumps(said, sort_keys=True)

    def with_settings(self, **changes: Any) -> ResolvedRun:
        """Returns a run of the same algorithm, data set and model with other settings.

        Raises:
            ValueError: As `RunConfiguration`.
        """
        changed = dataclasses.replace(self.configuration, **changes)
        return dataclasses.replace(self, configuration=changed)

    def __eq__(self, other: object) -> bool:
        """Says whether another run is the same one."""
        return isinstance(other, ResolvedRun) and self.identity == other.identity

    def __hash__(self) -> int:
        """Returns the hash of the identity."""
        return hash(self.identity)

    def __reduce__(self) -> tuple[Any, ...]:
        """Has another process look the names up: functions of a user's may not be sent there."""
        return resolve, (self.configuration,)


def resolve(configuration: RunConfiguration) -> ResolvedRun:
    """Looks up what a configuration names; a model that it leaves out is the data set's first.

    Raises:
        ValueError: If there is no such algorithm, data set or model, a user's module cannot be
            imported, or the algorithm has no such hyperparameter.
    """
    algorithm = catalogue.algorithm(configuration.algorithm)
    for name in configuration.hyperparameters.keys() - algorithm.hyperparameters.keys():
        raise ValueError(
            f"{name} is not a hyperparameter of {configuration.algorithm}, which has "
            f"{sorted(algorithm.hyperparameters)}"
        )
    data_set = registry.definition(configuration.dataset)
    model = registry.model_name(data_set, configuration.model)
    if configuration.model is None:
        configuration = dataclasses.replace(configuration, model=model)
    return ResolvedRun(configuration, algorithm, data_set)


def read_run(text: str) -> ResolvedRun:
    """Reads what `RunConfiguration.to_json` wrote.

    Raises:
        ValueError: If the text is no such configuration, and for the reasons that `resolve` has.
    """
    return resolve(RunConfiguration.from_json(text))


def configure(algorithm: str, dataset: str, given: Mapping[str, Any]) -> ResolvedRun:
    """Completes the given settings to a run.

    These are fields of `RunConfiguration`, the algorithm's own hyperparameters and the data set's
    own options, by name. Other settings come from the papers' recipes, see `recipe.combined`. The
    rest has the defaults of `RunConfiguration` or of the builder. `algorithm` and `dataset` are as
    for `catalogue.algorithm` and `registry.load`.

    Raises:
        ValueError: If the algorithm is unknown, does not use a given hyperparameter or lacks one
            that it needs; or one has the name of a field of every run, or of an option of the data
            set. Or if a value is out of range, or nothing gives the learning rate.
    """
    algorithm, known = catalogue.named_algorithm(algorithm)
    data_set = registry.definition(dataset)
    dataset = data_set.name
    fields = {field.name for field in dataclasses.fields(RunConfiguration)}
    taken = {*fields, *(f"{each.name}_seed" for each in dataclasses.fields(Seeds))}
    for name in taken & known.hyperparameters.keys():
        raise ValueError(
            f"{algorithm} has the hyperparameter {name}, which every run has already: take it from "
            "local_training, or call it something else"
        )
    for name in sorted(data_set.options.keys() & (taken | known.hyperparameters.keys())):
        whose = f"{algorithm} a hyperparameter" if name not in taken else "every run a setting"
        raise ValueError(
            f"{dataset} has the option {name}, and {whose} of that name: call the option something "
            "else"
        )
    own = {name: argument.default for name, argument in known.hyperparameters.items()}
    options = {n: given.get(n, default) for n, default in data_set.options.items()}
    for name, value in options.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{dataset} needs the option {name}: --dataset_option={name}=...")
    check_options(data_set, options)
    model = registry.model_name(data_set, given.get("model"))
    recipe = combined(catalogue.recipes(), dataset=dataset, model=model, algorithm=algorithm)
    settings: dict[str, Any] = {
        **{n: s.resolve(options) if isinstance(s, OfAllClients) else s for n, s in recipe.items()},
        **{name: value for name, value in given.items() if name not in (*options, "model")},
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
        if kind is not None and value is not None:
            check_kind(name, value, kind)
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
    modules = [*filter(extensions.is_reference, (dataset, model)), *catalogue.modules_of(algorithm)]
    configuration = RunConfiguration(
        algorithm=algorithm,
        dataset=dataset,
        model=model,
        hyperparameters=hyperparameters,
        dataset_options=options,
        sources=extensions.checksums(modules),
        **settings,
    )
    return ResolvedRun(configuration, known, data_set)


def _differing(settings: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings that differ from the defaults; 1.0 and 1 are equal."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in settings.items()
        if name not in defaults or value != defaults[name]
    }
