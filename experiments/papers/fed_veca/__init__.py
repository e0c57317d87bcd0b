"""FedVeca: the server sets the clients' local steps and rejects rounds that raise the loss."""

from __future__ import annotations

import functools

from experiments.declaration import OfAllClients, Recipe
from experiments.papers.common import of_library
from experiments.papers.fed_veca.artifacts import ARTIFACTS, READINGS
from experiments.papers.folder import paper
from tff_weights.protocol import Protocol

_ALL = tuple(f"{images}_case_{case}" for images in ("mnist", "cifar10") for case in (1, 2, 3))
_CLIENTS = ("num_clients",)
_MOST_STEPS = 50

_on_its_data = functools.partial(Recipe, datasets=_ALL)

PAPER = paper(
    "fedveca",
    __file__,
    title="FedVeca",
    citation="Luo et al., FedVeca: Federated Vectorized Averaging on Non-IID Data with Adaptive "
    "Bi-directional Global Objective, IEEE TPDS 2024",
    algorithms={
        # Algorithms 1 and 2. Down: w_k, ∇F(w_{k−1}) and τ_i; up: G_i, ∇F_i(w_k), F_i, β_i and δ_i.
        "fed_veca": of_library(
            "fed_veca",
            Protocol(models_down=2, scalars_down=1, models_up=2, scalars_up=3),
            gives_step_budget=True,
            color="#e889d9",
            marker="d",
        )
    },
    # The baselines take as many steps as FedVeca took (section V-A1). Only a finished run of it
    # shows their number: see `step_budget`. Decision: without such a run each client takes 50, the
    # most that FedVeca's server gives a client, and centralized SGD as many as all together.
    recipes=(
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
    ),
    artifacts=ARTIFACTS,
    readings=READINGS,
)
