"""What FedVeca's paper leaves open (Luo et al., IEEE TPDS 2024)."""

from __future__ import annotations

from experiments.declaration import Metric, Option, Reading, readings_artifact
from experiments.papers.fed_veca.artifacts import BASELINES, TABLE_1_SVM

_FED_VECA = ("fed_veca",)
_AT_ITS_STEPS = ("fed_avg", "fed_nova", "fed_prox", "scaffold", "centralized_sgd")

READINGS = (
    Reading(
        place="Algorithm 1, lines 5–12, and eq. 4",
        question="loss that accepts a round",
        options=(
            Option("eq. 4, local models"),
            Option("averaged model", {"acceptance_loss": "averaged_model"}, _FED_VECA),
            Option("none rejected", {"reject_worse": False}, _FED_VECA),
        ),
        why="Eq. 4 prints the losses of the clients' own models; the words around it call it the "
        "loss of w_{k+1}. The baselines depend on it by their number of steps alone.",
    ),
    Reading(
        place="Algorithm 2, line 15, and section IV-D1",
        question="gradient in β_i",
        options=(
            Option("all examples"),
            Option("the step's mini-batch", {"beta_gradient": "mini_batch"}, _FED_VECA),
        ),
        why="Algorithm 2 prints ∇F_i(w_k), computed in its line 9 on all examples; section IV-D1 "
        "says that all gradients are computed on mini-batches.",
    ),
    Reading(
        place="Section V-A1",
        question="steps of the baselines",
        options=(
            Option("⌊E_avg n_i / B⌋"),
            Option("equal steps", {"step_remainder": "last_rounds"}, _AT_ITS_STEPS),
        ),
        why="The paper prints the floor, with which baselines take up to a fifth fewer steps than "
        "FedVeca. Only with equal steps is a comparison one at the same number of steps.",
    ),
    Reading(
        place="Section V-A4",
        question="batch size",
        options=(Option("32"), Option("another one", not_run="not named anywhere")),
        why="The paper names none; 32 is the common one.",
    ),
)

READINGS_SVM = readings_artifact(
    TABLE_1_SVM,
    READINGS,
    comparisons=tuple(
        ("FedVeca", baseline) for baseline in BASELINES if baseline != "centralized SGD"
    ),
    baselines=BASELINES,
    metric=Metric("test_average", "accuracy %", "accuracy"),
)
