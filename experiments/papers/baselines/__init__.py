"""The baselines: algorithms that the five papers compare with."""

from __future__ import annotations

from experiments.declaration import Paper, Recipe
from experiments.declaration.algorithm import NOTHING_SENT, POOLED_DATA
from experiments.papers.common import of_library, of_weighting
from tff_weights.protocol import Protocol

PAPER = Paper(
    name="baselines",
    title="The baselines",
    citation="FedAvg: McMahan et al., AISTATS 2017. FedProx: Li et al., MLSys 2020. q-FedAvg: Li "
    "et al., ICLR 2020. FedNova: Wang et al., NeurIPS 2020. SCAFFOLD: Karimireddy et al., ICML "
    "2020.",
    algorithms={
        "fed_avg": of_library("fed_avg", color="#008df9", marker="o"),
        "fed_prox": of_library("fed_prox", color="#e20134", marker="s"),
        # Algorithm 2: F_k^q Δw_k, and h_k.
        "q_fed_avg": of_weighting("q_fed_avg", Protocol(scalars_up=1), color="#009f81", marker="^"),
        # d_i and τ_i.
        "fed_nova": of_library("fed_nova", Protocol(scalars_up=1), color="#ff6e3a", marker="D"),
        # FedFa, section 4.5. Down: w and c; up: Δw_i and Δc_i.
        "scaffold": of_library(
            "scaffold", Protocol(models_down=2, models_up=2), color="#8400cd", marker="v"
        ),
        "centralized_sgd": of_library(
            "centralized_sgd",
            NOTHING_SENT,
            module="centralized",
            data=POOLED_DATA,
            color="#9f0162",
            marker="P",
        ),
    },
    # For data sets whose paper does not name the strength.
    recipes=(
        Recipe(
            {"proximal_strength": 1.0},
            source="FedProx (Li et al., MLSys 2020), section 5: its best value on synthetic data, "
            "MNIST and FEMNIST",
            algorithms=("fed_prox",),
        ),
        Recipe({"q": 1.0}, source="FedFa, section 4.1", algorithms=("q_fed_avg",)),
        Recipe(
            {"client_momentum": 0.0},
            source="SCAFFOLD (Karimireddy et al. 2020), Algorithm 1, whose variates are of plain "
            "SGD",
            algorithms=("scaffold",),
        ),
    ),
)
