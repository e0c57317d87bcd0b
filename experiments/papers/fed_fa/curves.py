"""FedFa's figures 2 to 6 and 10: accuracy and loss over the rounds."""

from __future__ import annotations

from experiments.declaration import Artifact, Curve, Curves, Metric, Scale, Variant
from experiments.papers.fed_fa.methods import (
    FED_AVG,
    FED_FA_MO,
    FED_NOVA,
    FED_PROX,
    LIGHT,
    ONE_AT_FIRST,
    ONE_DATA_SET,
    SCAFFOLD,
    SCALES,
    STAND_IN,
    SYNTHETIC,
    TWEETS,
)

_REAL = ("mnist", "femnist", "sent140", "shakespeare")
_DIRICHLET = tuple(f"synthetic_dirichlet_{zeta}" for zeta in ("0.1", "0.5", "3", "5"))
_BASELINES = (FED_AVG, FED_PROX, SCAFFOLD, FED_NOVA)

_VIEW = Curves(
    (
        Curve("evaluation/test_weighted_average", "test accuracy, %"),
        Curve("evaluation/train_loss", "training loss", logarithmic=True),
    )
)
_METRICS = (
    Metric("test_weighted_average", "test accuracy %"),
    Metric("train_loss", "training loss", smaller_is_better=True),
    Metric("oscillation", "falls of accuracy, points a round", smaller_is_better=True),
)

_POOLED = (
    "Test accuracy on the test examples of all clients, and training loss over the training "
    "examples of all, of the global model after every round."
)
_MOMENTUM_ONLY = (
    "Section 4.2 is about the momenta alone, and what its figures call FedFa is FedFa-mo. The "
    "paper does not say which weights that has: uniform ones, and the shares of examples (n_i)."
)
_NO_NUMBERS = "The paper gives these curves as figures, without numbers."


def _at(rate: float) -> tuple[Variant, ...]:
    """The baselines at a rate that is not the recipe's."""
    return tuple(
        Variant(variant.label, variant.algorithm, {"learning_rate": rate}) for variant in _BASELINES
    )


def _on_synthetic_data(number: int, rate: float, baselines: tuple[Variant, ...]) -> Artifact:
    return Artifact(
        name=f"fedfa/fig{number}",
        title=f"Double momentum beside the baselines at a rate of {rate:g}",
        datasets=SYNTHETIC,
        variants=(*baselines, *FED_FA_MO),
        scales=ONE_AT_FIRST,
        metrics=_METRICS,
        view=_VIEW,
        notes=(
            _POOLED,
            f"The baselines' rate is {rate:g}; FedFa-mo keeps 0.0001 in figures 2, 4 and 5. "
            "FedNova has 5 epochs, the others 20.",
            _MOMENTUM_ONLY,
            _NO_NUMBERS,
            ONE_DATA_SET,
        ),
    )


CURVES = (
    _on_synthetic_data(2, 0.01, _BASELINES),
    Artifact(
        name="fedfa/fig3",
        title="Double momentum beside the baselines on the real data sets",
        datasets=_REAL,
        variants=(*_BASELINES, *FED_FA_MO),
        scales={
            "smoke": Scale(2, LIGHT, datasets=("mnist", "femnist")),
            "short": Scale(
                100,
                datasets=("mnist", "femnist"),
                why_left_out="tweets need the whole Sentiment140, and a run on Shakespeare hours",
            ),
            "paper": Scale(200),
        },
        metrics=_METRICS,
        view=_VIEW,
        notes=(
            _POOLED,
            "Rates of the baselines, and of FedFa-mo: MNIST 0.03, 0.0003; FEMNIST 0.003, 0.0003; "
            "Sent140 0.3, 0.0001; Shakespeare 0.8, 0.08.",
            _MOMENTUM_ONLY,
            _NO_NUMBERS,
            STAND_IN,
            TWEETS,
            "An epoch of a cohort on Shakespeare takes 147 s on two cores, and a round has 20.",
        ),
    ),
    _on_synthetic_data(4, 0.001, _at(0.001)),
    _on_synthetic_data(5, 0.0001, _at(0.0001)),
    Artifact(
        name="fedfa/fig6",
        title="Double momentum on the Dirichlet variants of the synthetic data",
        datasets=_DIRICHLET,
        variants=(*_BASELINES, *FED_FA_MO),
        scales={**SCALES, "smoke": Scale(2, datasets=_DIRICHLET[1:2])},
        metrics=_METRICS,
        view=_VIEW,
        notes=(
            _POOLED,
            "The baselines' rate is 0.01. FedFa-mo's settings are not in the paper: those of the "
            "more heterogeneous synthetic sets, 0.0001 and momenta of 0.5.",
            _MOMENTUM_ONLY,
            _NO_NUMBERS,
            ONE_DATA_SET,
        ),
    ),
    Artifact(
        name="fedfa/fig10",
        title="The server's momentum in every round, and in every third",
        datasets=("synthetic_1_1", "femnist"),
        variants=tuple(
            Variant(
                f"FedFa-mo, b = {every}",
                "fed_fa_mo",
                {"weighting": "uniform", "momentum_every_rounds": every},
            )
            for every in (1, 3)
        ),
        scales={"smoke": Scale(4, LIGHT), "short": SCALES["short"], "paper": SCALES["paper"]},
        metrics=_METRICS,
        view=_VIEW,
        notes=(
            _POOLED,
            "b is the number of rounds from one step of the server's momentum to the next "
            "(equation 7); FedFa-mo with uniform weights, as the figure is about the momentum.",
            _NO_NUMBERS,
            STAND_IN,
            ONE_DATA_SET,
        ),
    ),
)
