"""The papers' hyperparameters, by data set: what a run uses where nothing else is said."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from experiments.algorithms import ALGORITHMS, hyperparameter_defaults
from experiments.configuration import Hyperparameter, RunConfiguration
from leaf_data import registry


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
    "mnist": FedFaRecipe(0.03, 0.0003, client_momentum=0.5),
    "femnist": FedFaRecipe(0.003, 0.0003, client_momentum=0.2),
    "sent140": FedFaRecipe(0.3, 0.0001, client_momentum=0.1, proximal_strength=0.01),
    "shakespeare": FedFaRecipe(0.8, 0.08, client_momentum=0.5, proximal_strength=0.001),
}

_FED_ADP = {"learning_rate": 0.01, "learning_rate_decay": 0.995, "batch_size": 32, "epochs": 1}
_FED_VECA = {"learning_rate": 0.01, "batch_size": 32, "clients_per_round": 5}
_WEI_AVG = {"learning_rate": 0.01, "client_momentum": 0.9, "batch_size": 32, "epochs": 10}
_FED_CAV = {"learning_rate": 0.01, "batch_size": 10, "epochs": 3}

# The settings of the paper that a data set comes from, whatever the algorithm. Batches of FedVeca
# and the learning rate of WeiAvg are not in their papers.
OTHER_RECIPES: Mapping[str, Mapping[str, Hyperparameter]] = {
    "mnist_x_class": _FED_ADP,
    "fashion_mnist_x_class": _FED_ADP,
    "mnist_mixed_classes": _FED_ADP,
    "mnist_general_case_1": _FED_ADP,
    "mnist_general_case_2": _FED_ADP,
    **{f"{images}_case_{case}": _FED_VECA for images in ("mnist", "cifar10") for case in (1, 2, 3)},
    "mnist_entropy": {**_WEI_AVG, "batch_size": 64},
    "fashion_mnist_entropy": _WEI_AVG,
    "cifar10_entropy": {**_WEI_AVG, "epochs": 20},
    "mnist_major_minor": _FED_CAV,
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
        given: Fields of `RunConfiguration`, the algorithm's own hyperparameters and the data set's
            own options, by name.

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
    options = registry.options(dataset)
    options.update({name: settings.pop(name) for name in options if name in settings})
    for name, value in hyperparameters.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"{name} is needed by {algorithm}")
    fields = {field.name for field in dataclasses.fields(RunConfiguration)}
    for name in settings:
        if name not in fields:
            users = [other for other in ALGORITHMS if name in hyperparameter_defaults(other)]
            raise ValueError(
                f"{name} is not used by {algorithm} on {dataset}"
                + (f", only by {', '.join(users)}; leave it out" if users else "")
            )
    return RunConfiguration(
        algorithm=algorithm,
        dataset=dataset,
        hyperparameters=hyperparameters,
        dataset_options=options,
        **settings,
    )


def _recipe(algorithm: str, dataset: str) -> dict[str, Hyperparameter | None]:
    recipe = FED_FA_RECIPES.get(dataset, _DEFAULT)
    settings: dict[str, Hyperparameter | None] = {"learning_rate": recipe.baseline_learning_rate}
    if algorithm in ("fed_fa", "fed_fa_mo"):
        settings["learning_rate"] = recipe.fed_fa_learning_rate
        settings["client_momentum"] = recipe.client_momentum
        settings["server_momentum"] = recipe.server_momentum
    if algorithm == "fed_prox":
        settings["proximal_strength"] = recipe.proximal_strength
    if algorithm == "fed_nova":
        settings["epochs"] = _FED_NOVA_EPOCHS
    settings.update(OTHER_RECIPES.get(dataset, {}))
    if algorithm == "fed_veca":  # Its server sets the steps; these are the first.
        settings.update(epochs=None, steps=2)
    return settings
