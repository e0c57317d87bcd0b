"""The tables on the page of WeiAvg's results."""

from __future__ import annotations

import functools

from experiments.declaration import Metric, Numbers, PageTable, Shown
from experiments.papers.wei_avg.artifacts import EPOCHS, EXPONENTS, SKEWS

_FED_AVG, _WEI_AVG = "FedAvg", "WeiAvg"
_LAST = Metric("test_weighted_average", "%")
_AFTER_20 = Metric("test_weighted_average", "%", in_round=20)
_BEST = Metric("best_accuracy", "best %")
_R = Metric("correlation", "r")
_ENTROPY = Metric("mean_label_entropy", "mean entropy, nats")

_three_seeds = functools.partial(Numbers, scale="short", seeds=(1, 2, 3), shown=Shown.DEVIATION)
_on_mnist = functools.partial(_three_seeds, dataset="mnist_entropy")
_on_fashion_mnist = functools.partial(_three_seeds, dataset="fashion_mnist_entropy")
_BY_EXPONENT = (_FED_AVG, *(f"{_WEI_AVG}, λ = {exponent:g}" for exponent in EXPONENTS))
_INTERVAL = "points [95 % t interval]"


def _on_both(artifact: str, suffix: str, metric: Metric) -> tuple[Numbers, ...]:
    return tuple(
        _on_fashion_mnist(artifact=artifact, methods=(f"{name}, {suffix}",), metrics=(metric,))
        for name in (_FED_AVG, _WEI_AVG)
    )


def _with_and_without(artifact: str, called: str, without: str) -> tuple[str | Numbers, ...]:
    """A row: without FedProx's term, with it, and the difference."""
    with_it = "FedProx" if without == _FED_AVG else f"{without} + FedProx"
    of_row = functools.partial(_on_mnist, artifact=artifact, metrics=(_LAST,))
    return (
        called,
        of_row(methods=(without,)),
        of_row(methods=(with_it,)),
        of_row(methods=(with_it, without), shown=Shown.LEAD),
    )


PAGE_TABLES = (
    PageTable(
        name="weiavg/by_projection",
        header=(
            "method",
            "after 20 rounds %",
            "after 50 rounds %",
            "r of mean projection and entropy",
        ),
        rows=tuple(
            (
                method,
                _on_mnist(artifact="weiavg/fig4", methods=(method,), metrics=(_AFTER_20,)),
                _on_mnist(artifact="weiavg/fig4", methods=(method,), metrics=(_LAST,)),
                _on_mnist(artifact="weiavg/fig2", methods=(method,), metrics=(_R,)),
            )
            for method in _BY_EXPONENT
        ),
    ),
    PageTable(
        name="weiavg/by_entropy",
        header=(
            "method",
            "after 20 rounds %",
            "after 50 rounds %",
            f"ahead of FedAvg after 50 rounds, {_INTERVAL}",
        ),
        rows=tuple(
            (
                method,
                of_row(methods=(method,), metrics=(_AFTER_20,)),
                of_row(methods=(method,), metrics=(_LAST,)),
                "–"
                if method == _FED_AVG
                else of_row(methods=(method, _FED_AVG), metrics=(_LAST,), shown=Shown.LEAD),
            )
            for method in _BY_EXPONENT
            for of_row in (functools.partial(_on_mnist, artifact="weiavg/fig3"),)
        ),
    ),
    PageTable(
        name="weiavg/with_fed_prox",
        header=("method", "without it %", "with it %", f"with it and without, {_INTERVAL}"),
        rows=(
            _with_and_without("weiavg/fig6", _FED_AVG, _FED_AVG),
            _with_and_without("weiavg/fig6", "WeiAvg by entropy", _WEI_AVG),
            _with_and_without("weiavg/fig7", "WeiAvg by projection", _WEI_AVG),
        ),
    ),
    PageTable(
        name="weiavg/by_p",
        header=(
            "p",
            "entropy of a client's labels, nats",
            "FedAvg, last round %",
            "WeiAvg",
            "FedAvg, best of all rounds %",
            "WeiAvg",
        ),
        rows=tuple(
            (
                f"{p:g}",
                _on_fashion_mnist(
                    artifact="weiavg/fig8",
                    methods=(f"p = {p:g}",),
                    metrics=(_ENTROPY,),
                    shown=Shown.MEAN,
                ),
                *_on_both("weiavg/fig9", f"p = {p:g}", _LAST),
                *_on_both("weiavg/fig9", f"p = {p:g}", _BEST),
            )
            for p in SKEWS
        ),
    ),
    PageTable(
        name="weiavg/by_epochs",
        header=(
            "local epochs",
            "FedAvg, r",
            "WeiAvg, r",
            "FedAvg, best of all rounds %",
            "WeiAvg",
        ),
        rows=tuple(
            (
                str(epochs),
                *_on_both("weiavg/fig10", f"E = {epochs}", _R),
                *_on_both("weiavg/fig11", f"E = {epochs}", _BEST),
            )
            for epochs in EPOCHS
        ),
    ),
)
