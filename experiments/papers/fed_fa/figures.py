"""FedFa's figures 2 to 6 and 10, accuracy and loss over the rounds, and 8 and 9, α and β."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from experiments.declaration import Artifact, Curves, Metric, ParameterSweep, Scale, Variant
from experiments.declaration.fairness import FAIRNESS_NOTE
from experiments.papers.common import ACCURACY_CURVE, STAND_IN, TRAINING_LOSS_CURVE
from experiments.papers.fed_fa import methods
from experiments.papers.fed_fa.methods import LIGHT, ONE_AT_FIRST, ONE_DATA_SET, SCALES, SYNTHETIC

_DIRICHLET = tuple(f"synthetic_dirichlet_{zeta}" for zeta in ("0.1", "0.5", "3", "5"))
_BASELINES = (methods.FED_AVG, methods.FED_PROX, methods.SCAFFOLD, methods.FED_NOVA)
_TENTHS = 10
_SHARES = tuple(
    methods.fed_fa(tenths / _TENTHS, (_TENTHS - tenths) / _TENTHS) for tenths in range(_TENTHS + 1)
)

_POOLED = (
    "Test accuracy and training loss of the global model after every round, on the examples of "
    "all clients together."
)
_MOMENTUM_ONLY = (
    "Section 4.2 is about the momenta alone, so what its figures call FedFa is FedFa-mo. The "
    "paper does not say how FedFa-mo weighs clients. Uniform weights and shares of examples (n_i)"
    " are both shown."
)
_NO_NUMBERS = "The paper gives these curves as figures, without numbers."


def _curves(
    number: int,
    title: str,
    *notes: str,
    datasets: tuple[str, ...] = SYNTHETIC,
    variants: tuple[Variant, ...] = (*_BASELINES, *methods.FED_FA_MO),
    scales: Mapping[str, Scale] = ONE_AT_FIRST,
) -> Artifact:
    return Artifact(
        name=f"fedfa/fig{number}",
        title=title,
        datasets=datasets,
        variants=variants,
        scales=scales,
        metrics=(
            Metric("test_weighted_average", "test accuracy %"),
            Metric("train_loss", "training loss", smaller_is_better=True),
            Metric("oscillation", "falls of accuracy, points a round", smaller_is_better=True),
        ),
        view=Curves((ACCURACY_CURVE, dataclasses.replace(TRAINING_LOSS_CURVE, logarithmic=True))),
        notes=(_POOLED, *notes),
    )


def _at_one_rate(number: int, rate: float, settings: Mapping[str, Any]) -> Artifact:
    """The baselines at a rate beside FedFa-mo at its own."""
    baselines = (dataclasses.replace(variant, settings=settings) for variant in _BASELINES)
    return _curves(
        number,
        f"Double momentum beside the baselines at a rate of {rate:g}",
        f"The baselines' rate is {rate:g}; FedFa-mo keeps 0.0001 in figures 2, 4 and 5. FedNova "
        "has 5 epochs, the others 20.",
        _MOMENTUM_ONLY,
        _NO_NUMBERS,
        ONE_DATA_SET,
        variants=(*baselines, *methods.FED_FA_MO),
    )


def _sweep(number: int, name: str, dataset: str, *notes: str, smoke: Scale) -> Artifact:
    """α and β on one data set."""
    return Artifact(
        name=f"fedfa/fig{number}",
        title=f"α and β on {name}",
        datasets=(dataset,),
        variants=_SHARES,
        scales={**SCALES, "smoke": smoke},
        metrics=(
            Metric("test_weighted_average", "final accuracy %"),
            methods.AVERAGE,
            methods.VARIANCE,
            methods.WORST_20,
        ),
        view=ParameterSweep("alpha", "α, the weight of the accuracy; β = 1 − α"),
        notes=(
            FAIRNESS_NOTE,
            "The final accuracy is on the test examples of all clients, the average the mean of "
            "the clients' own.",
            "The paper's figure has no numbers but those of its Table 2, and no worst 20 %.",
            *notes,
        ),
    )


FIGURES = (
    _at_one_rate(2, 0.01, {}),  # The recipe's.
    _curves(
        3,
        "Double momentum beside the baselines on the real data sets",
        "Rates of the baselines, and of FedFa-mo: MNIST 0.03, 0.0003; FEMNIST 0.003, 0.0003; "
        "Sent140 0.3, 0.0001; Shakespeare 0.8, 0.08.",
        _MOMENTUM_ONLY,
        _NO_NUMBERS,
        STAND_IN,
        methods.TWEETS,
        "A run on Shakespeare takes hours on two cores, since a round has 20 epochs.",
        datasets=("mnist", "femnist", "sent140", "shakespeare"),
        scales={
            "smoke": Scale(2, LIGHT, datasets=("mnist", "femnist")),
            "short": Scale(
                100,
                datasets=("mnist", "femnist"),
                why_left_out="tweets need the whole Sentiment140, and a run on Shakespeare hours",
            ),
            "paper": Scale(200),
        },
    ),
    *(
        _at_one_rate(number, rate, {"learning_rate": rate})
        for number, rate in ((4, 1e-3), (5, 1e-4))
    ),
    _curves(
        6,
        "Double momentum on the Dirichlet variants of the synthetic data",
        "The baselines' rate is 0.01. FedFa-mo's settings are not in the paper: those of the more "
        "heterogeneous synthetic sets, 0.0001 and momenta of 0.5.",
        _MOMENTUM_ONLY,
        _NO_NUMBERS,
        ONE_DATA_SET,
        datasets=_DIRICHLET,
        scales={**SCALES, "smoke": Scale(2, datasets=_DIRICHLET[1:2])},
    ),
    _curves(
        10,
        "The server's momentum in every round, and in every third",
        "The server's momentum acts in every b-th round (equation 7). FedFa-mo has uniform "
        "weights, since the figure is about the momentum.",
        _NO_NUMBERS,
        STAND_IN,
        ONE_DATA_SET,
        datasets=("synthetic_1_1", "femnist"),
        variants=tuple(
            Variant(
                f"FedFa-mo, b = {every}",
                "fed_fa_mo",
                {"weighting": "uniform", "momentum_every_rounds": every},
            )
            for every in (1, 3)
        ),
        scales={**SCALES, "smoke": Scale(4, LIGHT)},
    ),
    _sweep(8, "synthetic(1, 1)", "synthetic_1_1", ONE_DATA_SET, smoke=Scale(2)),
    _sweep(9, "MNIST", "mnist", smoke=Scale(2, LIGHT)),
)
