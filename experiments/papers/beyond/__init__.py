"""What no paper shows: all algorithms side by side, and clients that train alone."""

from __future__ import annotations

from experiments.declaration import Recipe
from experiments.declaration.algorithm import NOTHING_SENT, OWN_MODELS, TURNS
from experiments.papers.beyond.artifacts import ARTIFACTS
from experiments.papers.common import of_library
from experiments.papers.folder import paper

PAPER = paper(
    "beyond",
    __file__,
    title="Beyond the papers",
    citation="No paper: comparisons and controls of this project",
    algorithms={
        "trained_alone": of_library(
            "trained_alone",
            NOTHING_SENT,
            cohorts=TURNS,
            evaluation=OWN_MODELS,
            color="#00c2f9",
            marker="X",
        )
    },
    recipes=(
        Recipe(
            {"learning_rate": 0.03, "clients_per_round": 10, "epochs": 20, "batch_size": 10},
            source="Decision: those of FedFa's MNIST, as which it is divided",
            datasets=("fashion_mnist",),
        ),
    ),
    artifacts=ARTIFACTS,
)
