"""WeiAvg's figures (Dong et al. 2023); `notes.md.jinja` has what must be said of them."""

from __future__ import annotations

import functools
from typing import Any

from experiments.declaration import (
    ClientHistograms,
    Curves,
    Metric,
    ParameterSweep,
    Scale,
    Scatter,
    Variant,
)
from experiments.papers.common import ACCURACY_CURVE, few_steps, scales
from experiments.papers.folder import noted
from experiments.papers.wei_avg.recipe import DATASETS

_MNIST, _FASHION, _CIFAR = ((dataset,) for dataset in DATASETS)

# Measured in every run, so that one run serves all figures; it changes no number.
_MEASURED = {"measured": "projection_on_mean,label_entropy"}
_EXPONENTS = (1e-4, 0.1, 1.0, 10.0)
# The value for all data sets in the text (before table I). With it the weights differ by less than
# 0.03 %.
_EXPONENT_OF_THE_TEXT = 1e-4
# The paper's figure cannot be read in its text. With p = 0 all numbers of labels are equally
# likely; 0.8 is the default.
_SKEWS = (0.0, 0.4, 0.8)
_EPOCHS = (1, 2, 5, 10)


def _fed_avg(label: str = "FedAvg", **settings: Any) -> Variant:
    return Variant(label, "fed_avg", {**_MEASURED, **settings})


def _wei_avg(
    label: str,
    *,
    by: str = "projection",
    exponent: float = 1.0,
    group: str | None = None,
    **settings: Any,
) -> Variant:
    own = {"by": by, "exponent": exponent, **_MEASURED, **settings}
    return Variant(label, "wei_avg", own, group=group)


def _sweep(by: str) -> tuple[Variant, ...]:
    return tuple(
        _wei_avg(f"WeiAvg, λ = {exponent:g}", by=by, exponent=exponent) for exponent in _EXPONENTS
    )


def _alone_and_with_fed_prox(label: str, **settings: Any) -> tuple[Variant, ...]:
    return (
        _wei_avg(label, **settings),
        _wei_avg(f"{label} + FedProx", **settings, proximal_strength=0.05),
    )


def _on_both(suffix: str, **settings: Any) -> tuple[Variant, ...]:
    """FedAvg and WeiAvg by projection, with these settings."""
    return (
        _fed_avg(f"FedAvg, {suffix}", **settings),
        _wei_avg(f"WeiAvg, {suffix}", **settings),
    )


_TWO_STEPS = few_steps(2, clients=5)
_SCALES = scales(
    Scale(2, _TWO_STEPS, datasets=_MNIST),
    Scale(
        50,
        datasets=(*_MNIST, *_FASHION),
        why_left_out="with p = 0.8 FedAvg itself learns next to nothing there, see weiavg/cifar10",
    ),
    100,
)
# For artifacts whose data sets are all run at every scale.
_EVERYWHERE = scales(Scale(2, _TWO_STEPS), 50, 100)

_METRICS = (
    Metric("test_weighted_average", "% in the last round"),
    Metric("test_weighted_average", "% after 20 rounds", in_round=20),
    Metric("best_accuracy", "best %"),
)
_CORRELATIONS = (
    Metric("correlation", "Pearson's r"),
    Metric("correlation_p", "p", smaller_is_better=True),
)
_ENTROPIES = (
    Metric("mean_label_entropy", "mean entropy, nats"),
    Metric("label_entropy_deviation", "its deviation"),
)

_artifact = functools.partial(
    noted("weiavg", __file__),
    datasets=DATASETS,
    scales=_SCALES,
    metrics=_METRICS,
    view=Curves((ACCURACY_CURVE,)),
)
_on_fashion_mnist = functools.partial(_artifact, datasets=_FASHION, scales=_EVERYWHERE)
_by_epochs = functools.partial(
    _on_fashion_mnist,
    variants=tuple(
        variant for epochs in _EPOCHS for variant in _on_both(f"E = {epochs}", epochs=epochs)
    ),
    # The variants say their epochs.
    scales={**_EVERYWHERE, "smoke": Scale(2, {"clients_per_evaluation": 5})},
)
_WITH_CORRELATION = {
    "metrics": _CORRELATIONS,
    "view": Scatter(
        "label_entropy",
        "mean_projection",
        "entropy of the labels, nats",
        "mean projection on the mean update",
    ),
}
_WITH_ENTROPIES = {
    "metrics": _ENTROPIES,
    "view": ClientHistograms("label_entropy", "entropy of a client's labels, nats"),
}

LAMBDA = _artifact(
    "lambda",
    "Accuracy by λ, weighed by entropy and by projection",
    variants=(
        _fed_avg(),
        *(
            _wei_avg(f"WeiAvg by {by}, λ = {exponent:g}", by=by, exponent=exponent, group=by)
            for by in ("entropy", "projection")
            for exponent in _EXPONENTS
        ),
    ),
    view=ParameterSweep("exponent", "λ", logarithmic=True),
)

ARTIFACTS = (
    _artifact(
        "fig2",
        "Projection and entropy of every client, by λ",
        variants=(_fed_avg(), *_sweep("projection")),
        **_WITH_CORRELATION,
    ),
    *(
        _artifact(
            figure,
            f"Accuracy over rounds by λ, weighed by {by}",
            variants=(_fed_avg(), *_sweep(by)),
            best_of={"WeiAvg, best λ": tuple(variant.label for variant in _sweep(by))},
        )
        for figure, by in (("fig3", "entropy"), ("fig4", "projection"))
    ),
    LAMBDA,
    _artifact(
        "fig5",
        "The entropies of the clients' labels, p = 0.8",
        variants=(_fed_avg(),),
        **_WITH_ENTROPIES,
    ),
    *(
        _artifact(
            figure,
            f"WeiAvg, FedProx, and both together, weighed by {by}",
            variants=(
                _fed_avg(),
                Variant("FedProx", "fed_prox"),
                *_alone_and_with_fed_prox("WeiAvg", by=by),
                *_alone_and_with_fed_prox(
                    "WeiAvg, λ = 0.0001", by=by, exponent=_EXPONENT_OF_THE_TEXT
                ),
            ),
        )
        for figure, by in (("fig6", "entropy"), ("fig7", "projection"))
    ),
    _on_fashion_mnist(
        "fig8",
        "The entropies of the clients' labels by p",
        variants=tuple(_fed_avg(f"p = {p:g}", p=p) for p in _SKEWS),
        **_WITH_ENTROPIES,
    ),
    _on_fashion_mnist(
        "fig9",
        "Accuracy over rounds by p",
        variants=tuple(variant for p in _SKEWS for variant in _on_both(f"p = {p:g}", p=p)),
    ),
    _by_epochs(
        "fig10", "Projection and entropy of every client, by local epochs", **_WITH_CORRELATION
    ),
    _by_epochs("fig11", "Accuracy over rounds by local epochs"),
    _artifact(
        "even",
        "Control: WeiAvg where every number of labels is as likely, p = 0",
        variants=(
            _fed_avg(p=0.0),
            *(_wei_avg(f"WeiAvg by {by}", by=by, p=0.0) for by in ("entropy", "projection")),
        ),
        scales=_EVERYWHERE,
        metrics=(*_METRICS, _CORRELATIONS[0]),
    ),
    _artifact(
        "cifar10",
        "Control: what FedAvg learns on CIFAR-10 by p and client rate",
        datasets=_CIFAR,
        variants=(
            _fed_avg("p = 0.8, rate 0.01", learning_rate=0.01),
            _fed_avg("p = 0.8, rate 0.001", learning_rate=0.001),
            _fed_avg("p = 0, rate 0.01", learning_rate=0.01, p=0.0),
        ),
        scales=_EVERYWHERE,
    ),
)
