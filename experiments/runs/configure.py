"""From what is given to the whole configuration of a run."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from experiments.declaration.recipe import OfAllClients, combined
from experiments.papers import catalogue
from experiments.runs.configuration import RunConfiguration
from experiments.runs.resolution import find_algorithm, hyperparameter_defaults
from leaf_data import extensions, registry

# Each says how many steps a client takes.
STEPS = ("epochs", "steps", "epochs_per_client")
_INSTEAD_OF = {
    "learning_rate_schedule": ("learning_rate_decay", 1.0),
    "client_optimizer": ("client_momentum", 0.0),
}


def configure(
    algorithm: str,
    dataset: str,
    given: Mapping[str, Any],
) -> RunConfiguration:
    """Completes what is given to the configuration of a run.

    What is not given is taken from the papers' recipes for the data set, the model and the
    algorithm (see `recipe.combined`), else from the defaults of `RunConfiguration` and of the
    algorithm's builder.

    Args:
        algorithm: The name of an algorithm, as `catalogue.algorithm` takes it.
        dataset: The data set, as `registry.load` takes it.
        given: Fields of `RunConfiguration`, the algorithm's own hyperparameters and the data set's
            own options, by name.

    Raises:
        ValueError: If the algorithm is unknown, does not use a hyperparameter that is given, lacks
            one that it needs, or a value is out of range, or nobody says the learning rate; the
            message names it.
    """
    algorithm = catalogue.algorithm_name(algorithm)
    dataset = registry.dataset_name(dataset)
    known = find_algorithm(algorithm)
    own = hyperparameter_defaults(known)
    options = registry.options(dataset)
    options.update({name: given[name] for name in options if name in given})
    for name, value in options.items():
        if value is inspect.Parameter.empty:
            raise ValueError(
                f"the option {name} is needed by {dataset}: --dataset_option={name}=..."
            )
    model = registry.model_name(dataset, given.get("model"))
    recipe = combined(catalogue.recipes(), dataset=dataset, model=model, algorithm=algorithm)
    settings: dict[str, Any] = {
        name: setting.resolve(options) if isinstance(setting, OfAllClients) else setting
        for name, setting in recipe.items()
    }
    settings.update((name, value) for name, value in given.items() if name not in options)
    # What is given takes the place of what a recipe says in another way.
    if any(name in given for name in STEPS):
        settings.update((name, None) for name in STEPS if name not in given)
    for name, (other, nothing) in _INSTEAD_OF.items():
        if given.get(name) is not None and other not in given:
            settings[other] = nothing
    hyperparameters: dict[str, Any] = {
        **own,
        **{name: settings.pop(name) for name in own if name in settings},
    }
    for name, value in hyperparameters.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{name} is needed by {algorithm}")
        kind = known.hyperparameters[name].kind
        if kind is not None and not _is_of_kind(value, kind):
            raise ValueError(f"{name} must be {kind.__name__}, got {value!r}")
    fields = {field.name for field in dataclasses.fields(RunConfiguration)}
    for name in settings:
        if name not in fields:
            users = [
                other
                for other, each in catalogue.algorithms().items()
                if name in each.hyperparameters
            ]
            raise ValueError(
                f"{name} is not used by {algorithm} on {dataset}"
                + (f", only by {', '.join(users)}; leave it out" if users else "")
            )
    if "learning_rate" not in settings:
        raise ValueError(
            f"learning_rate is needed: no recipe has one for {algorithm} on {dataset} with {model}"
        )
    return RunConfiguration(
        algorithm=algorithm,
        dataset=dataset,
        hyperparameters=hyperparameters,
        dataset_options=options,
        sources=_sources(algorithm, dataset, model),
        **settings,
    )


def _sources(algorithm: str, dataset: str, model: str) -> dict[str, str | None]:
    """Returns the checksums of the modules that are not of this software."""
    references = [name for name in (dataset, model) if extensions.is_reference(name)]
    module = catalogue.module_of_algorithm(algorithm)
    return extensions.checksums([*references, *([] if module is None else [module])])


def _is_of_kind(value: Any, kind: type) -> bool:
    """Says whether a hyperparameter is what its builder's annotation says; None always may be."""
    is_truth_value = isinstance(value, bool)
    if value is None or kind is bool:
        return value is None or is_truth_value
    return isinstance(value, (int, float) if kind is float else kind) and not is_truth_value
