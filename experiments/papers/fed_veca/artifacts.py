"""FedVeca's table and figures (Luo et al., IEEE TPDS 2024)."""

from __future__ import annotations

import dataclasses
import functools
import pathlib

from experiments.declaration import (
    Artifact,
    Bars,
    ClientCurves,
    Curve,
    Curves,
    Metric,
    Scale,
    Variant,
)
from experiments.papers.common import ACCURACY_CURVE, scales

CNN = "fed_veca_cnn"

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
BASELINES = tuple(variant.label for variant in _BASELINES)


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
    2,
    settings={"num_clients": 50, "clients_per_round": 2, "clients_per_evaluation": 1},
    datasets=("mnist_case_3",),
)
_SVM_SCALES = scales(2, 100, 100)
_CNN_SCALES = scales(_SMOKE_CNN, Scale(30, {"rounds_per_evaluation": 5}), 100)

_HERE = pathlib.Path(__file__).parent
_METRICS = (
    Metric("test_loss_x100", "loss × 100", "loss_x100", smaller_is_better=True),
    Metric("test_average", "accuracy %", "accuracy"),
)
_HOW_OFTEN = Metric("accepted_rounds", "rounds accepted", decimals=1)
_JUDGED = (
    "Loss and accuracy of the global model on the official test images after the last round; the "
    "paper's are the mean of 10 runs."
)
_BUDGET = (
    "The baselines take as many local steps as FedVeca took with the same seed, floor(E_avg n_i / "
    "B) in every round for each client, at least 1; centralized SGD takes all of them."
)
_DECISIONS = "Decisions, where the paper is silent: batches of 32, and FedProx's strength 1."
_NOT_IN_THE_PAPER = "FedVeca whose server rejects no round is not in the paper."
_NOTES = (_JUDGED, _BUDGET, _NOT_IN_THE_PAPER, _DECISIONS)
_SAME_RUNS = "The runs are those of table I."
_JPEG = (
    "cifar10 is read from JPEG files where the original is not at hand, and JPEG is lossy: numbers "
    "on these are not quite numbers on CIFAR-10."
)

_CLIENT_CURVES = tuple(
    Curve(f"client_work/{column}", label)
    for column, label in (("num_steps", "τ_i"), ("beta", "β_i"), ("delta", "δ_i"), ("a", "A_i"))
)
_MNIST = ("mnist_case_3",)
_BOTH = ("mnist_case_3", "cifar10_case_3")

_with_svm = functools.partial(
    Artifact,
    datasets=_MNIST,
    variants=_ALL,
    scales=_SVM_SCALES,
    metrics=_METRICS,
    view=Curves((Curve("evaluation/test_loss", "test loss"), ACCURACY_CURVE)),
)
_with_cnn = functools.partial(
    _with_svm,
    datasets=_BOTH,
    variants=tuple(_with(variant, model=CNN) for variant in _ALL),
    scales=_CNN_SCALES,
)

TABLE_1_SVM = _with_svm(
    name="fedveca/table1_svm",
    title="Case 3 at the matched step budget: the support vector machine",
    view=Bars(),
    paper_files=(_HERE / "table1_svm.csv",),
    notes=_NOTES,
)

ARTIFACTS = (
    TABLE_1_SVM,
    _with_cnn(
        name="fedveca/table1_cnn",
        title="Case 3 at the matched step budget: the convolutional networks",
        view=Bars(),
        paper_files=(_HERE / "table1_cnn.csv",),
        notes=(*_NOTES, _JPEG),
    ),
    _with_svm(
        name="fedveca/fig5_svm",
        title="Case 3, loss and accuracy over rounds: the support vector machine",
        notes=(*_NOTES, _SAME_RUNS),
    ),
    _with_cnn(
        name="fedveca/fig5_cnn",
        title="Case 3, loss and accuracy over rounds: the convolutional networks",
        notes=(*_NOTES, _SAME_RUNS, _JPEG),
    ),
    _with_cnn(
        name="fedveca/fig6",
        title="The premise of the convergence theorem: η\u00a0τ_k\u00a0L is at least 1",
        variants=(
            *(
                dataclasses.replace(variant, datasets=_MNIST)
                for variant in _rejecting_or_not("SVM")
            ),
            *_rejecting_or_not("CNN", model=CNN),
        ),
        metrics=(Metric("rounds_with_premise", "% of rounds with η τ_k L ≥ 1"), _HOW_OFTEN),
        view=Curves((Curve("client_work/eta_tau_smoothness", "η τ_k L", target=1.0),)),
        notes=(
            "Not known in the first round, whose value is 0. The estimate of L is one of gradients "
            "at the models of two rounds: where a round is rejected they are the same, and it "
            "stays.",
            _NOT_IN_THE_PAPER,
            "The CNN's runs are those of table I.",
            _JPEG,
        ),
    ),
    _with_svm(
        name="fedveca/fig7",
        title="Cases 1 and 2 at the matched step budget: the support vector machine",
        datasets=("mnist_case_1", "mnist_case_2"),
        scales={**_SVM_SCALES, "smoke": Scale(2, datasets=("mnist_case_2",))},
        notes=_NOTES,
    ),
    _with_svm(
        name="fedveca/fig8",
        title="One run's local steps and what they are set by, per client",
        variants=(_FED_VECA, _APPLYING_ALL),
        metrics=(
            Metric("mean_local_steps", "τ_i, mean of clients and rounds"),
            Metric("effective_participants", "effective participants"),
            _HOW_OFTEN,
        ),
        view=ClientCurves(_CLIENT_CURVES),
        notes=(
            "The support vector machine in case 3: clients 4 and 5 have the upper half of the "
            "digits, one or a few each. The paper shows the first 50 rounds.",
            _NOT_IN_THE_PAPER,
            _SAME_RUNS,
        ),
    ),
    _with_svm(
        name="fedveca/fig8_server",
        title="One run's mean local steps and smoothness, as the server has them",
        variants=(_FED_VECA, _APPLYING_ALL),
        metrics=(Metric("rounds_with_premise", "% of rounds with η τ_k L ≥ 1"), _HOW_OFTEN),
        view=Curves(
            (
                Curve("client_work/num_steps", "τ_i, mean of clients"),
                Curve("client_work/smoothness", "L"),
            )
        ),
        notes=(
            "The other half of the paper's figure 8. Its τ_k is the mean of τ_i by examples; the "
            "curve here is the plain one.",
            _NOT_IN_THE_PAPER,
            _SAME_RUNS,
        ),
    ),
    _with_svm(
        name="fedveca/fig9",
        title="How far apart the clients' steps may be: 1 − α_k",
        variants=tuple(
            variant
            for distance, alpha in (("0.5", 0.5), ("0.05", 0.95), ("0.005", 0.995))
            for variant in _rejecting_or_not(f"1 − α_k = {distance}", alpha=alpha)
        ),
        metrics=(*_METRICS, Metric("mean_local_steps", "τ_i, mean"), _HOW_OFTEN),
        notes=(
            _JUDGED,
            "The support vector machine. τ_i is at most 1 / (1 − α_k), and 50.",
            _NOT_IN_THE_PAPER,
        ),
    ),
    _with_svm(
        name="fedveca/fig10",
        title="5, 30 and 50 clients: the support vector machine",
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
        metrics=(*_METRICS, _HOW_OFTEN),
        notes=(
            _JUDGED,
            "All clients take part. FedAvg and FedNova take the steps of FedVeca with 50 clients.",
            _NOT_IN_THE_PAPER,
            _DECISIONS,
        ),
    ),
)
