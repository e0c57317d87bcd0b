"""WeiAvg's figures (Dong et al. 2023); `notes.md.jinja` has what must be said of them."""

from __future__ import annotations

import dataclasses
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
    readings_artifact,
)
from experiments.papers.common import ACCURACY_CURVE, few_steps, scales
from experiments.papers.folder import noted, read_readings

READINGS = read_readings(__file__)
DATASETS = ("mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy")
_MNIST, _FASHION, _ = ((dataset,) for dataset in DATASETS)
_MAIN_READING = {
    name: value
    for main in (reading.main for reading in READINGS)
    for name, value in main.settings.items()
    if main.algorithms is None
}

# Measured in every run, so that one run serves all figures; it changes no number.
_MEASURED = {"measured": "projection_on_mean,label_entropy"}
# The first is the text's, for all data sets (before table I): weights then differ by under 0.03 %.
_EXPONENTS = (1e-4, 0.1, 1.0, 10.0)
# The paper's figure cannot be read in its text. With p = 0 all numbers of labels are equally
# likely; 0.8 is the default.
_SKEWS = (0.0, 0.4, 0.8)


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


def _on_both(suffix: str, **settings: Any) -> tuple[Variant, ...]:
    """FedAvg and WeiAvg by projection, with these settings."""
    return (_fed_avg(f"FedAvg, {suffix}", **settings), _wei_avg(f"WeiAvg, {suffix}", **settings))


_TWO_STEPS = few_steps(2, clients=5)
# Evaluating the 300,000 images of all clients takes half as long as a round.
_WHOLE = Scale(100, {"rounds_per_evaluation": 2})
_SCALES = scales(
    Scale(2, _TWO_STEPS, datasets=_MNIST),
    dataclasses.replace(_WHOLE, datasets=_MNIST, why_left_out="its local epochs take longer"),
    _WHOLE,
)
# For artifacts whose data sets are all run at every scale.
_EVERYWHERE = scales(Scale(2, _TWO_STEPS), _WHOLE, _WHOLE)

_LATE = Metric("test_weighted_average", "%, mean of the last tenth", over="last tenth")
_METRICS = (
    _LATE,
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
    on_datasets=dict.fromkeys(DATASETS, _MAIN_READING),
    scales=_SCALES,
    metrics=_METRICS,
    view=Curves((ACCURACY_CURVE,)),
)
_on_fashion_mnist = functools.partial(
    _artifact,
    datasets=_FASHION,
    on_datasets=dict.fromkeys(_FASHION, _MAIN_READING),
    scales=_EVERYWHERE,
)
_by_epochs = functools.partial(
    _on_fashion_mnist,
    variants=tuple(
        variant for epochs in (1, 2, 5, 10) for variant in _on_both(f"E = {epochs}", epochs=epochs)
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

_BY_EXPONENT = (
    _fed_avg(),
    *(
        _wei_avg(f"WeiAvg by {by}, λ = {exponent:g}", by=by, exponent=exponent, group=by)
        for by in ("entropy", "projection")
        for exponent in _EXPONENTS
    ),
)
_LAMBDA = _artifact(
    "lambda",
    "Accuracy by λ, weighed by entropy and by projection",
    variants=_BY_EXPONENT,
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
        )
        for figure, by in (("fig3", "entropy"), ("fig4", "projection"))
    ),
    _LAMBDA,
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
                _wei_avg("WeiAvg", by=by),
                _wei_avg("WeiAvg + FedProx", by=by, proximal_strength=0.05),
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
        variants=tuple(
            variant
            for p in _SKEWS
            for variant in (
                *_on_both(f"p = {p:g}", p=p),
                _wei_avg(f"WeiAvg by entropy, p = {p:g}", by="entropy", p=p),
            )
        ),
    ),
    _by_epochs(
        "fig10", "Projection and entropy of every client, by local epochs", **_WITH_CORRELATION
    ),
    _by_epochs("fig11", "Accuracy over rounds by local epochs"),
    _artifact(
        "cnn",
        "Accuracy by λ in another reading: FedAdp's CNN, M images in all, most of one class",
        datasets=(*_MNIST, *_FASHION),
        variants=_BY_EXPONENT,
        on_datasets={},
        scales=scales(Scale(2, _TWO_STEPS), 50, 100),
        metrics=(*_METRICS, _CORRELATIONS[0]),
        view=ParameterSweep("exponent", "λ", logarithmic=True),
    ),
    readings_artifact(
        dataclasses.replace(
            _LAMBDA,
            metrics=(
                *_METRICS,
                Metric("correlation", "r of raw projections"),
                Metric("relative_correlation", "r of relative projections"),
            ),
        ),
        READINGS,
        comparisons=tuple((f"WeiAvg by {by}, λ = 1", "FedAvg") for by in ("entropy", "projection")),
        baselines=("FedAvg",),
        metric=_LATE,
        notes=("The paper prints no accuracies of FedAvg, so its baselines choose no reading.",),
    ),
)
