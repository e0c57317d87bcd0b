"""FedFa's figures 2 to 6 and 10, accuracy and loss over the rounds, and 8 and 9, α and β."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from experiments.declaration import Artifact, Curves, Metric, ParameterSweep, Scale, Variant
from experiments.papers.common import ACCURACY_CURVE, TRAINING_LOSS_CURVE, scales
from experiments.papers.fed_fa import methods
from experiments.papers.fed_fa.methods import LIGHT, ONE_AT_FIRST, SCALES, SYNTHETIC

DIRICHLET = tuple(f"synthetic_dirichlet_{zeta}" for zeta in ("0.1", "0.5", "3", "5"))
_BASELINES = (methods.FED_AVG, methods.FED_PROX, methods.SCAFFOLD, methods.FED_NOVA)

_curves = functools.partial(
    methods.artifact,
    datasets=SYNTHETIC,
    variants=(*_BASELINES, *methods.FED_FA_MO),
    scales=ONE_AT_FIRST,
    metrics=(
        Metric("test_weighted_average", "test accuracy %"),
        Metric("train_loss", "training loss", smaller_is_better=True),
        Metric("oscillation", "falls of accuracy, points a round", smaller_is_better=True),
    ),
    view=Curves((ACCURACY_CURVE, dataclasses.replace(TRAINING_LOSS_CURVE, logarithmic=True))),
)
_sweep = functools.partial(
    methods.artifact,
    variants=tuple(methods.fed_fa(tenths / 10, (10 - tenths) / 10) for tenths in range(11)),
    metrics=(
        Metric("test_weighted_average", "final accuracy %"),
        methods.AVERAGE,
        methods.VARIANCE,
        methods.WORST_20,
    ),
    view=ParameterSweep("alpha", "α, the weight of the accuracy; β = 1 − α"),
)


def _fed_fa_mo(label: str, **settings: float) -> Variant:
    """FedFa-mo with equal weights and other settings."""
    return Variant(label, "fed_fa_mo", {**methods.FED_FA_MO[0].settings, **settings})


def _at_one_rate(name: str, rate: str, **settings: Any) -> Artifact:
    """The baselines with these settings beside FedFa-mo at its own."""
    baselines = (dataclasses.replace(variant, settings=settings) for variant in _BASELINES)
    return _curves(
        name,
        f"Double momentum beside the baselines at a rate of {rate}",
        variants=(*baselines, *methods.FED_FA_MO),
    )


FIGURES = (
    _at_one_rate("fig2", "0.01"),  # The recipe's.
    _curves(
        "fig3",
        "Double momentum beside the baselines on the real data sets",
        datasets=("mnist", "femnist", "sent140", "shakespeare"),
        on_datasets={"femnist": methods.FEMNIST},
        scales=scales(
            Scale(2, LIGHT, datasets=("mnist", "femnist")),
            Scale(200, datasets=("mnist", "femnist"), why_left_out="the scale paper has it"),
            200,
        ),
    ),
    _at_one_rate("fig4", "0.001", learning_rate=1e-3),
    _at_one_rate("fig5", "0.0001", learning_rate=1e-4),
    _curves(
        "fig6",
        "Double momentum on the Dirichlet variants of the synthetic data",
        datasets=DIRICHLET,
        variants=(
            *(*_BASELINES, *methods.FED_FA_MO),
            dataclasses.replace(
                _fed_fa_mo("FedFa-mo, client momentum 0.9", client_momentum=0.9),
                datasets=DIRICHLET[:1],  # That of the figure's claims.
            ),
            *(_fed_fa_mo(f"FedFa-mo at {rate:g}", learning_rate=rate) for rate in (1e-3, 1e-2)),
        ),
        scales={**SCALES, "smoke": Scale(2, datasets=DIRICHLET[1:2])},
    ),
    _curves(
        "fig10",
        "The server's momentum in every round, and in every third",
        datasets=("synthetic_1_1", "femnist"),
        on_datasets={"femnist": methods.FEMNIST},
        variants=tuple(
            _fed_fa_mo(f"FedFa-mo, b = {every}", momentum_every_rounds=every) for every in (1, 3)
        ),
        scales={**SCALES, "smoke": Scale(4, LIGHT)},
    ),
    _sweep("fig8", "α and β on synthetic(1, 1)", datasets=("synthetic_1_1",), scales=SCALES),
    _sweep(
        "fig9", "α and β on MNIST", datasets=("mnist",), scales={**SCALES, "smoke": Scale(2, LIGHT)}
    ),
)
