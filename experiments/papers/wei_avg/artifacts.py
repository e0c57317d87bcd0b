"""WeiAvg's figures (Dong et al. 2023)."""

from __future__ import annotations

import functools
from typing import Any

from experiments.declaration import (
    Artifact,
    ClientHistograms,
    Curves,
    Metric,
    ParameterSweep,
    Scale,
    Scatter,
    Variant,
)
from experiments.papers.common import ACCURACY_CURVE, few_steps, scales

_ALL = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")
_FASHION = ("fashion_mnist_entropy",)

# Measured in every run, which changes no number of it, so that one run serves all figures.
_MEASURED = {"measured": "projection_on_mean,label_entropy"}
EXPONENTS = (1e-4, 0.1, 1.0, 10.0)
_DEFAULT_EXPONENT = 1.0
# What the text gives for all data sets (before table I), with which the weights differ by less than
# 0.03 %.
_EXPONENT_OF_THE_TEXT = 1e-4
_PROXIMAL: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, ""),
    ({"proximal_strength": 0.05}, " + FedProx"),
)
# The figure of the paper is not legible in its text: p = 0 is even and 0.8 its default.
SKEWS = (0.0, 0.4, 0.8)
EPOCHS = (1, 2, 5, 10)

_FED_AVG = Variant("FedAvg", "fed_avg", _MEASURED)
_FED_PROX = Variant("FedProx", "fed_prox")


def _wei_avg(
    label: str, *, by: str, exponent: float, group: str | None = None, **settings: Any
) -> Variant:
    own = {"by": by, "exponent": exponent, **_MEASURED, **settings}
    return Variant(label, "wei_avg", own, group=group)


def _sweep(by: str) -> tuple[Variant, ...]:
    return tuple(
        _wei_avg(f"WeiAvg, λ = {exponent:g}", by=by, exponent=exponent) for exponent in EXPONENTS
    )


def _with_and_without_fed_prox(by: str) -> tuple[Variant, ...]:
    return tuple(
        _wei_avg(f"WeiAvg{text}{suffix}", by=by, exponent=exponent, **settings)
        for exponent, text in (
            (_DEFAULT_EXPONENT, ""),
            (_EXPONENT_OF_THE_TEXT, f", λ = {_EXPONENT_OF_THE_TEXT:g}"),
        )
        for settings, suffix in _PROXIMAL
    )


def _on_both(suffix: str, **settings: Any) -> tuple[Variant, ...]:
    """FedAvg and WeiAvg by projection, with these settings."""
    return (
        Variant(f"FedAvg, {suffix}", "fed_avg", {**_MEASURED, **settings}),
        _wei_avg(f"WeiAvg, {suffix}", by="projection", exponent=_DEFAULT_EXPONENT, **settings),
    )


_BY_EPOCHS = tuple(
    variant for epochs in EPOCHS for variant in _on_both(f"E = {epochs}", epochs=epochs)
)
_BY_SKEW = tuple(variant for p in SKEWS for variant in _on_both(f"p = {p:g}", p=p))

_WITH_EVEN_LABELS = (
    Variant("FedAvg", "fed_avg", {**_MEASURED, "p": 0.0}),
    *(
        _wei_avg(f"WeiAvg by {by}", by=by, exponent=_DEFAULT_EXPONENT, p=0.0)
        for by in ("entropy", "projection")
    ),
)
_ON_CIFAR10 = (
    Variant("p = 0.8, rate 0.01", "fed_avg", {**_MEASURED, "learning_rate": 0.01}),
    Variant("p = 0.8, rate 0.001", "fed_avg", {**_MEASURED, "learning_rate": 0.001}),
    Variant("p = 0, rate 0.01", "fed_avg", {**_MEASURED, "learning_rate": 0.01, "p": 0.0}),
)
_BEST = {"WeiAvg, best λ": tuple(variant.label for variant in _sweep("entropy"))}

_FEW = {"clients_per_evaluation": 5}
_TWO_STEPS = few_steps(2, clients=5)
_SCALES = scales(
    Scale(2, _TWO_STEPS, datasets=_ALL[:1]),
    Scale(
        50,
        datasets=_ALL[:2],
        why_left_out="with p = 0.8 FedAvg itself learns next to nothing there, see weiavg/cifar10",
    ),
    100,
)
# Of artifacts whose data sets are all run at every scale.
_EVERYWHERE = scales(Scale(2, _TWO_STEPS), 50, 100)
# The variants say their epochs.
_EPOCHS_SCALES = {**_EVERYWHERE, "smoke": Scale(2, _FEW)}

_METRICS = (
    Metric("test_weighted_average", "% in the last round"),
    Metric("test_weighted_average", "% after 20 rounds", in_round=20),
    Metric("best_accuracy", "best %"),
)
_CORRELATIONS = (
    Metric("correlation", "Pearson's r"),
    Metric("correlation_p", "p", smaller_is_better=True),
)
_SCATTER = Scatter(
    "label_entropy",
    "mean_projection",
    "entropy of the labels, nats",
    "mean projection on the mean update",
)
_ENTROPIES = (
    Metric("mean_label_entropy", "mean entropy, nats"),
    Metric("label_entropy_deviation", "its deviation"),
)
_HISTOGRAMS = ClientHistograms("label_entropy", "entropy of a client's labels, nats")

_JUDGED = "Accuracy of the global model on the official test images."
_DECISIONS = (
    "The paper does not name the rate (0.01 here), the rounds (100), the model (FedAdp's CNN), or"
    " the shift of entropy and projection. The partitioner's documentation says how p draws "
    "entropies."
)
_EXPONENT = (
    "λ is 1 unless another is named. The paper's text has 0.0001 for all data sets, which makes "
    "the weights almost equal. Its figures go up to 10."
)
_LEVEL = "FedAvg is WeiAvg with λ = 0, since all clients have equally many examples."
_CORRELATED = (
    "A client's projections are averaged over its rounds, and correlated with the entropy of its "
    "training labels. Clients that never took part do not count."
)
_BEST_OF = (
    "The row best λ shows the λ with the highest accuracy in the last round, chosen on the test "
    "data."
)

_artifact = functools.partial(
    Artifact, datasets=_ALL, scales=_SCALES, metrics=_METRICS, view=Curves((ACCURACY_CURVE,))
)
_on_fashion_mnist = functools.partial(_artifact, datasets=_FASHION, scales=_EVERYWHERE)
_by_epochs = functools.partial(_on_fashion_mnist, variants=_BY_EPOCHS, scales=_EPOCHS_SCALES)

LAMBDA = _artifact(
    name="weiavg/lambda",
    title="Accuracy by λ, weighed by entropy and by projection",
    variants=(
        _FED_AVG,
        *(
            _wei_avg(f"WeiAvg by {by}, λ = {exponent:g}", by=by, exponent=exponent, group=by)
            for by in ("entropy", "projection")
            for exponent in EXPONENTS
        ),
    ),
    view=ParameterSweep("exponent", "λ", logarithmic=True),
    notes=(_JUDGED, _LEVEL, "The runs are those of figures 3 and 4.", _DECISIONS),
)

ARTIFACTS = (
    _artifact(
        name="weiavg/fig2",
        title="Projection and entropy of every client, by λ",
        variants=(_FED_AVG, *_sweep("projection")),
        metrics=_CORRELATIONS,
        view=_SCATTER,
        notes=(
            _CORRELATED,
            "WeiAvg weighs by projection here. The paper does not say by what its figure weighs.",
            _LEVEL,
            _DECISIONS,
        ),
    ),
    *(
        _artifact(
            name=f"weiavg/{figure}",
            title=f"Accuracy over rounds by λ, weighed by {by}",
            variants=(_FED_AVG, *_sweep(by)),
            best_of=_BEST,
            notes=(_JUDGED, _LEVEL, _BEST_OF, _DECISIONS),
        )
        for figure, by in (("fig3", "entropy"), ("fig4", "projection"))
    ),
    LAMBDA,
    _artifact(
        name="weiavg/fig5",
        title="The entropies of the clients' labels, p = 0.8",
        variants=(_FED_AVG,),
        metrics=_ENTROPIES,
        view=_HISTOGRAMS,
        notes=("100 clients of one data set; the runs are those of figure 3.", _DECISIONS),
    ),
    *(
        _artifact(
            name=f"weiavg/{figure}",
            title=f"WeiAvg, FedProx, and both together, weighed by {by}",
            variants=(_FED_AVG, _FED_PROX, *_with_and_without_fed_prox(by)),
            notes=(_JUDGED, "FedProx's strength is 0.05.", _EXPONENT, _DECISIONS),
        )
        for figure, by in (("fig6", "entropy"), ("fig7", "projection"))
    ),
    _on_fashion_mnist(
        name="weiavg/fig8",
        title="The entropies of the clients' labels by p",
        variants=tuple(Variant(f"p = {p:g}", "fed_avg", {**_MEASURED, "p": p}) for p in SKEWS),
        metrics=_ENTROPIES,
        view=_HISTOGRAMS,
        notes=(
            "The values of p are ours; the paper's figure is not legible in its text. The runs are "
            "FedAvg's of figure 9.",
            _DECISIONS,
        ),
    ),
    _on_fashion_mnist(
        name="weiavg/fig9",
        title="Accuracy over rounds by p",
        variants=_BY_SKEW,
        notes=(_JUDGED, "Weighed by projection.", _EXPONENT, _DECISIONS),
    ),
    _by_epochs(
        name="weiavg/fig10",
        title="Projection and entropy of every client, by local epochs",
        metrics=_CORRELATIONS,
        view=_SCATTER,
        notes=(_CORRELATED, _EXPONENT, _DECISIONS),
    ),
    _by_epochs(
        name="weiavg/fig11",
        title="Accuracy over rounds by local epochs",
        notes=(_JUDGED, "Weighed by projection.", _EXPONENT, _DECISIONS),
    ),
    _artifact(
        name="weiavg/even",
        title="Control: WeiAvg where every number of labels is as likely, p = 0",
        variants=_WITH_EVEN_LABELS,
        scales=_EVERYWHERE,
        metrics=(*_METRICS, _CORRELATIONS[0]),
        notes=(_JUDGED, _CORRELATED, _EXPONENT, _DECISIONS),
    ),
    _artifact(
        name="weiavg/cifar10",
        title="Control: what FedAvg learns on CIFAR-10 by p and client rate",
        datasets=_ALL[2:],
        variants=_ON_CIFAR10,
        scales=_EVERYWHERE,
        notes=(
            _JUDGED,
            "Figures 2 to 7 are not run on CIFAR-10 at the scale short. FedAvg learns next to "
            "nothing there, so weights cannot help.",
            _DECISIONS,
        ),
    ),
)
