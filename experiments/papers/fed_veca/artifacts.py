"""FedVeca's table and figures (Luo et al., IEEE TPDS 2024)."""

from __future__ import annotations

import dataclasses
import functools
import pathlib

from experiments.declaration import (
    Bars,
    ClientCurves,
    Curve,
    Curves,
    Metric,
    Scale,
    Variant,
    readings_artifact,
)
from experiments.papers.common import ACCURACY_CURVE, scales
from experiments.papers.folder import noted, read_readings

READINGS = read_readings(__file__)
_CNN = "fed_veca_cnn"
_MNIST, _CIFAR = ("mnist_case_3",), ("cifar10_case_3",)

_FED_VECA = Variant("FedVeca", "fed_veca")
_APPLYING_ALL = Variant("FedVeca, no round rejected", "fed_veca", {"reject_worse": False})
_BASELINES = tuple(
    Variant(label, algorithm, step_budget_of=_FED_VECA.label)
    for label, algorithm in (
        ("FedAvg", "fed_avg"),
        ("FedNova", "fed_nova"),
        ("FedProx", "fed_prox"),
        ("SCAFFOLD", "scaffold"),
        ("centralized SGD", "centralized_sgd"),
    )
)
_ALL = (*_BASELINES, _FED_VECA, _APPLYING_ALL)


def _with(variant: Variant, label: str | None = None, /, **settings: object) -> Variant:
    """A variant with other settings."""
    return dataclasses.replace(
        variant, label=label or variant.label, settings={**variant.settings, **settings}
    )


def _rejecting_or_not(label: str, **settings: object) -> tuple[Variant, ...]:
    """FedVeca with these settings, as in the paper and without its rejections."""
    return (
        _with(_FED_VECA, label, **settings),
        _with(_APPLYING_ALL, f"{label}, no round rejected", **settings),
    )


# Two of 50 small clients, and one is evaluated: gradients of all 60,000 images take minutes.
_SMOKE_CNN = Scale(
    2, {"num_clients": 50, "clients_per_round": 2, "clients_per_evaluation": 1}, datasets=_MNIST
)
# Evaluating all images takes the CNN at least nine times as long as a baseline's round.
_PAPERS_CNN = Scale(
    100, {"rounds_per_evaluation": 5}, on_datasets={_CIFAR[0]: {"evaluated_data": "test"}}
)
# All gradients in every round take two hours, so this row has fewer rounds, and none on MNIST.
_CNN_APPLYING_ALL = _with(
    dataclasses.replace(_APPLYING_ALL, datasets=_CIFAR),
    f"{_APPLYING_ALL.label}, 30 rounds",
    **{"model": _CNN, "rounds": 30, "evaluated_data": "both"},
)
_SVM_SCALES = scales(2, 100, 100)

_METRICS = (
    Metric("test_loss_x100", "loss × 100", "loss_x100", smaller_is_better=True),
    Metric("test_average", "accuracy %", "accuracy"),
)
_ACCEPTED = Metric("accepted_rounds", "rounds accepted", decimals=1)
_PREMISE = Metric("rounds_with_premise", "% of rounds with η τ_k L ≥ 1")

_with_svm = functools.partial(
    noted("fedveca", __file__),
    datasets=_MNIST,
    variants=_ALL,
    scales=_SVM_SCALES,
    metrics=_METRICS,
    view=Curves((Curve("evaluation/test_loss", "test loss"), ACCURACY_CURVE)),
)
_with_cnn = functools.partial(
    _with_svm,
    datasets=(*_MNIST, *_CIFAR),
    variants=(*(_with(variant, model=_CNN) for variant in _ALL[:-1]), _CNN_APPLYING_ALL),
    scales=scales(_SMOKE_CNN, _PAPERS_CNN, _PAPERS_CNN),
)
_of_fed_veca = functools.partial(_with_svm, variants=(_FED_VECA, _APPLYING_ALL))

_TABLE_1_SVM = _with_svm(
    "table1_svm",
    "Case 3 with the paper's number of steps: the support vector machine",
    view=Bars(),
    paper_files=(pathlib.Path(__file__).with_name("table1_svm.csv"),),
)

ARTIFACTS = (
    _TABLE_1_SVM,
    _with_cnn(
        "table1_cnn",
        "Case 3 with the paper's number of steps: the convolutional networks",
        view=Bars(),
        paper_files=(pathlib.Path(__file__).with_name("table1_cnn.csv"),),
    ),
    _with_svm("fig5_svm", "Case 3, loss and accuracy over rounds: the support vector machine"),
    _with_cnn("fig5_cnn", "Case 3, loss and accuracy over rounds: the convolutional networks"),
    _with_cnn(
        "fig6",
        "The premise of the convergence theorem: η\u00a0τ_k\u00a0L is at least 1",
        variants=(
            *(dataclasses.replace(each, datasets=_MNIST) for each in _rejecting_or_not("SVM")),
            _with(_FED_VECA, "CNN", model=_CNN),
            _with(_CNN_APPLYING_ALL, "CNN, no round rejected, 30 rounds"),
        ),
        metrics=(_PREMISE, _ACCEPTED),
        view=Curves((Curve("client_work/eta_tau_smoothness", "η τ_k L", target=1.0),)),
    ),
    _with_svm(
        "fig7",
        "Cases 1 and 2 with the paper's number of steps: the support vector machine",
        datasets=("mnist_case_1", "mnist_case_2"),
        scales={**_SVM_SCALES, "smoke": Scale(2, datasets=("mnist_case_2",))},
    ),
    _of_fed_veca(
        "fig8",
        "One run's local steps and what they are set by, per client",
        metrics=(
            Metric("mean_local_steps", "τ_i, mean of clients and rounds"),
            Metric("effective_participants", "effective participants"),
            _ACCEPTED,
        ),
        view=ClientCurves(
            (
                Curve("client_work/num_steps", "τ_i"),
                Curve("client_work/beta", "β_i"),
                Curve("client_work/delta", "δ_i"),
                Curve("client_work/a", "A_i"),
            )
        ),
    ),
    _of_fed_veca(
        "fig8_server",
        "One run's mean local steps and smoothness, as the server has them",
        metrics=(_PREMISE, _ACCEPTED),
        view=Curves(
            (
                Curve("client_work/num_steps", "τ_i, mean of clients"),
                Curve("client_work/smoothness", "L"),
            )
        ),
    ),
    _with_svm(
        "fig9",
        "How far apart the clients' steps may be: 1 − α_k",
        variants=tuple(
            variant
            for distance, alpha in (("0.5", 0.5), ("0.05", 0.95), ("0.005", 0.995))
            for variant in _rejecting_or_not(f"1 − α_k = {distance}", alpha=alpha)
        ),
        metrics=(*_METRICS, Metric("mean_local_steps", "τ_i, mean"), _ACCEPTED),
    ),
    _with_svm(
        "fig10",
        "5, 30 and 50 clients: the support vector machine",
        variants=(
            *(
                variant
                for number in (5, 30, 50)
                for variant in _rejecting_or_not(f"FedVeca, {number} clients", num_clients=number)
            ),
            *(
                dataclasses.replace(
                    _with(baseline, f"{baseline.label}, 50 clients", num_clients=50),
                    step_budget_of="FedVeca, 50 clients",
                )
                for baseline in _BASELINES[:2]
            ),
        ),
        metrics=(*_METRICS, _ACCEPTED),
    ),
    readings_artifact(
        _TABLE_1_SVM,
        READINGS,
        comparisons=tuple(
            (_FED_VECA.label, each.label)
            for each in _BASELINES
            if each.algorithm != "centralized_sgd"
        ),
        baselines=tuple(each.label for each in _BASELINES),
        metric=_METRICS[1],
    ),
)
