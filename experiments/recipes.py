"""The papers' hyperparameters, by data set: what a run uses where nothing else is said."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from experiments.algorithms import ALGORITHMS, hyperparameter_defaults
from experiments.configuration import Hyperparameter, RunConfiguration


@dataclasses.dataclass(frozen=True)
class FedFaRecipe:
    """FedFa, section 4.1: 10 clients a round, 20 epochs, batches of 10.

    Attributes:
        baseline_learning_rate: Of FedAvg, FedProx and q-FedAvg.
        fed_fa_learning_rate: Of FedFa and FedFa-mo.
        client_momentum: `γ_c` of FedFa and FedFa-mo.
        server_momentum: `γ_s`.
        proximal_strength: FedProx's `μ`. FedFa gives none: these are the best values of FedProx'
            own paper.
    """

    baseline_learning_rate: float
    fed_fa_learning_rate: float
    client_momentum: float
    server_momentum: float = 0.5
    proximal_strength: float = 1.0


_LESS_HETEROGENEOUS = FedFaRecipe(0.01, 0.0001, client_momentum=0.9)
_MORE_HETEROGENEOUS = FedFaRecipe(0.01, 0.0001, client_momentum=0.5)

FED_FA_RECIPES: Mapping[str, FedFaRecipe] = {
    "synthetic_iid": _LESS_HETEROGENEOUS,
    "synthetic_0_0": _LESS_HETEROGENEOUS,
    "synthetic_0.5_0.5": _MORE_HETEROGENEOUS,
    "synthetic_1_1": _MORE_HETEROGENEOUS,
}

# Figure 6 does not name the momenta of the Dirichlet sets; those of the heterogeneous ones.
_DEFAULT = _MORE_HETEROGENEOUS


# FedFa, section 4.1.
_FED_NOVA_EPOCHS = 5


def configure(
    algorithm: str,
    dataset: str,
    given: Mapping[str, Any],
) -> RunConfiguration:
    """Completes what is given to the configuration of a run.

    What is not given is taken from the paper's recipe for the algorithm on the data set, else from
    the defaults of `RunConfiguration` and of the algorithm's builder.

    Args:
        algorithm: A name of `ALGORITHMS`.
        dataset: The data set.
        given: Fields of `RunConfiguration` and the algorithm's own hyperparameters, by name.

    Raises:
        ValueError: If the algorithm is unknown, does not use a hyperparameter that is given, lacks
            one that it needs, or a value is out of range; the message names it.
    """
    own = hyperparameter_defaults(algorithm)
    settings = {**_recipe(algorithm, dataset), **given}
    if "steps" in given and "epochs" not in given:
        settings["epochs"] = None
    if "epochs" in given and "steps" not in given:
        settings["steps"] = None
    hyperparameters = {**own, **{name: settings.pop(name) for name in own if name in settings}}
    for name, value in hyperparameters.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{name} is needed by {algorithm}")
    fields = {field.name for field in dataclasses.fields(RunConfiguration)}
    for name in settings:
        if name not in fields:
            users = [other for other in ALGORITHMS if name in hyperparameter_defaults(other)]
            raise ValueError(
                f"{name} is not used by {algorithm}"
                + (f", only by {', '.join(users)}; leave it out" if users else "")
            )
    return RunConfiguration(
        algorithm=algorithm, dataset=dataset, hyperparameters=hyperparameters, **settings
    )


def _recipe(algorithm: str, dataset: str) -> dict[str, Hyperparameter | None]:
    recipe = FED_FA_RECIPES.get(dataset, _DEFAULT)
    if algorithm in ("fed_fa", "fed_fa_mo"):
        return {
            "learning_rate": recipe.fed_fa_learning_rate,
            "client_momentum": recipe.client_momentum,
            "server_momentum": recipe.server_momentum,
        }
    settings: dict[str, Hyperparameter | None] = {"learning_rate": recipe.baseline_learning_rate}
    if algorithm == "fed_prox":
        settings["proximal_strength"] = recipe.proximal_strength
    if algorithm == "fed_nova":
        settings["epochs"] = _FED_NOVA_EPOCHS
    if algorithm == "fed_veca":  # Its server sets the steps; these are the first.
        settings.update(epochs=None, steps=2)
    return settings
