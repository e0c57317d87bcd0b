"""FedVeca's tables (Luo et al., IEEE TPDS 2024)."""

from __future__ import annotations

import dataclasses
import pathlib

from experiments.declaration import Artifact, Metric, Scale, Variant

_FED_VECA = Variant("FedVeca", "fed_veca")
_APPLYING_ALL = Variant("FedVeca, no round rejected", "fed_veca", {"reject_worse": False})
_BASELINES = (
    Variant("FedAvg", "fed_avg", step_budget_of=_FED_VECA.label),
    Variant("FedNova", "fed_nova", step_budget_of=_FED_VECA.label),
    Variant("FedProx", "fed_prox", step_budget_of=_FED_VECA.label),
    Variant("SCAFFOLD", "scaffold", step_budget_of=_FED_VECA.label),
    Variant("centralized SGD", "centralized_sgd", step_budget_of=_FED_VECA.label),
)


def _with(model: str, *variants: Variant) -> tuple[Variant, ...]:
    """The variants trained with a model that is not the data set's first."""
    return tuple(
        dataclasses.replace(variant, settings={**variant.settings, "model": model})
        for variant in variants
    )


_SCALES = {"smoke": Scale(2), "short": Scale(100), "paper": Scale(100)}
_HERE = pathlib.Path(__file__).parent
_METRICS = (Metric("test_average", "accuracy %", "accuracy"),)
_NOTES = (
    "Accuracy of the global model on the official test images after the last round; the paper's is "
    "the mean of 10 runs.",
    "The baselines take as many local steps as FedVeca took with the same seed, floor(E_avg n_i / "
    "B) in every round for each client, at least 1; centralized SGD takes all of them.",
    "FedVeca whose server rejects no round is not in the paper.",
    "Decisions, where the paper is silent: batches of 32, and FedProx's strength 1.",
    "The losses of the paper's table are train_loss in each run's result.json.",
)

ARTIFACTS = (
    Artifact(
        name="fedveca/table1_svm",
        title="Case 3 at the matched step budget: the support vector machine",
        datasets=("mnist_case_3",),
        variants=(*_BASELINES, _FED_VECA, _APPLYING_ALL),
        scales=_SCALES,
        metrics=_METRICS,
        paper_files=(_HERE / "table1_svm.csv",),
        notes=_NOTES,
    ),
    Artifact(
        name="fedveca/table1_cnn",
        title="Case 3 at the matched step budget: the convolutional networks",
        datasets=("mnist_case_3", "cifar10_case_3"),
        variants=_with("fed_veca_cnn", *_BASELINES, _FED_VECA, _APPLYING_ALL),
        scales=_SCALES,
        metrics=_METRICS,
        paper_files=(_HERE / "table1_cnn.csv",),
        notes=_NOTES,
    ),
)
