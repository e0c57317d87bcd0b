"""FedVeca: the server sets the clients' local steps and rejects rounds that raise the loss."""

from __future__ import annotations

from experiments.papers.common import of_library
from experiments.papers.fed_veca.artifacts import ARTIFACTS
from experiments.papers.fed_veca.readings import READINGS, READINGS_SVM
from experiments.papers.fed_veca.recipe import RECIPES
from experiments.papers.folder import paper
from tff_weights.protocol import Protocol

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
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, READINGS_SVM),
    readings=READINGS,
)
