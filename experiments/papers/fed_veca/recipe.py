"""FedVeca's settings (Luo et al., IEEE TPDS 2024).

The baselines take as many steps as FedVeca took (section V-A1). Only a finished run of FedVeca
shows their number: see `step_budget`. Decision: without such a run each client takes 50 steps, the
most that FedVeca's server gives a client, and centralized SGD takes as many as all clients
together.
"""

from __future__ import annotations

import functools

from experiments.declaration import OfAllClients, Recipe

_ALL = tuple(f"{images}_case_{case}" for images in ("mnist", "cifar10") for case in (1, 2, 3))
_CLIENTS = ("num_clients",)
_MOST_STEPS = 50

_on_its_data = functools.partial(Recipe, datasets=_ALL)

RECIPES = (
    _on_its_data({"learning_rate": 0.01}, source="section V-A4"),
    _on_its_data({"batch_size": 32}, source="Decision: the paper does not say"),
    _on_its_data(
        {"clients_per_round": OfAllClients(_CLIENTS)},
        source="Algorithms 1 and 2: all clients take part; 30 and 50 in figure 10",
    ),
    _on_its_data(
        {"epochs": None, "steps": _MOST_STEPS}, source="Decision; the most of section V-A4"
    ),
    _on_its_data(
        {"epochs": None, "steps": OfAllClients(_CLIENTS, each=_MOST_STEPS)},
        source="Decision; the most of section V-A4",
        algorithms=("centralized_sgd",),
    ),
    Recipe(
        {
            "epochs": None,
            "steps": 2,
            "alpha": 0.95,
            "most_steps": _MOST_STEPS,
            "client_momentum": 0.0,
            "learning_rate_decay": 1.0,
        },
        source="section V-A4; Algorithm 1, whose server sets the steps from the first 2 on; "
        "Algorithm 2, whose local steps are plain SGD at a fixed rate",
        algorithms=("fed_veca",),
    ),
)
