"""The tables on the page of WeiAvg's results."""

from __future__ import annotations

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown
from experiments.papers.wei_avg.artifacts import EPOCHS, EXPONENTS, SKEWS

_MNIST, _FASHION_MNIST = "mnist_entropy", "fashion_mnist_entropy"
_FED_AVG, _WEI_AVG = "FedAvg", "WeiAvg"
_BY_EXPONENT = (_FED_AVG, *(f"{_WEI_AVG}, λ = {exponent:g}" for exponent in EXPONENTS))

_LAST = Metric("test_weighted_average", "after 50 rounds %")
_AFTER_20 = Metric("test_weighted_average", "after 20 rounds %", in_round=20)
_BEST = Metric("best_accuracy", "best of all rounds %")
_R = Metric("correlation", "r of mean projection and entropy")
_ENTROPY = Metric("mean_label_entropy", "entropy of a client's labels, nats")
_INTERVAL = "points [95 % t interval]"


def _runs(figure: str) -> Runs:
    return Runs(f"weiavg/{figure}", "short", (1, 2, 3))


def _mean(figure: str, dataset: str, method: str, metric: Metric) -> Numbers:
    return Numbers(_runs(figure), dataset, (method,), (metric,), Shown.DEVIATION)


def _difference(figure: str, method: str, other: str) -> Numbers:
    return Numbers(_runs(figure), _MNIST, (method, other), (_LAST,), Shown.DIFFERENCE)


def _both(figure: str, suffix: str, metric: Metric) -> tuple[Numbers, ...]:
    """FedAvg and WeiAvg, each in a cell of its own."""
    return tuple(
        _mean(figure, _FASHION_MNIST, f"{name}, {suffix}", metric) for name in (_FED_AVG, _WEI_AVG)
    )


def _with_fed_prox(
    figure: str, described: str, without: str, with_it: str
) -> tuple[str | Numbers, ...]:
    return (
        described,
        _mean(figure, _MNIST, without, _LAST),
        _mean(figure, _MNIST, with_it, _LAST),
        _difference(figure, with_it, without),
    )


PAGE_TABLES = (
    PageTable(
        name="weiavg/by_projection",
        header=("method", _AFTER_20.label, _LAST.label, _R.label),
        rows=tuple(
            (
                method,
                _mean("fig4", _MNIST, method, _AFTER_20),
                _mean("fig4", _MNIST, method, _LAST),
                _mean("fig2", _MNIST, method, _R),
            )
            for method in _BY_EXPONENT
        ),
    ),
    PageTable(
        name="weiavg/by_entropy",
        header=(
            "method",
            _AFTER_20.label,
            _LAST.label,
            f"ahead of FedAvg after 50 rounds, {_INTERVAL}",
        ),
        rows=tuple(
            (
                method,
                _mean("fig3", _MNIST, method, _AFTER_20),
                _mean("fig3", _MNIST, method, _LAST),
                "–" if method == _FED_AVG else _difference("fig3", method, _FED_AVG),
            )
            for method in _BY_EXPONENT
        ),
    ),
    PageTable(
        name="weiavg/with_fed_prox",
        header=("method", "without it %", "with it %", f"with it and without, {_INTERVAL}"),
        rows=(
            _with_fed_prox("fig6", _FED_AVG, _FED_AVG, "FedProx"),
            _with_fed_prox("fig6", "WeiAvg by entropy", _WEI_AVG, "WeiAvg + FedProx"),
            _with_fed_prox("fig7", "WeiAvg by projection", _WEI_AVG, "WeiAvg + FedProx"),
        ),
    ),
    PageTable(
        name="weiavg/by_p",
        header=(
            "p",
            _ENTROPY.label,
            "FedAvg, last round %",
            "WeiAvg",
            f"FedAvg, {_BEST.label}",
            "WeiAvg",
        ),
        rows=tuple(
            (
                f"{p:g}",
                Numbers(_runs("fig8"), _FASHION_MNIST, (f"p = {p:g}",), (_ENTROPY,)),
                *_both("fig9", f"p = {p:g}", _LAST),
                *_both("fig9", f"p = {p:g}", _BEST),
            )
            for p in SKEWS
        ),
    ),
    PageTable(
        name="weiavg/by_epochs",
        header=("local epochs", "FedAvg, r", "WeiAvg, r", f"FedAvg, {_BEST.label}", "WeiAvg"),
        rows=tuple(
            (
                str(epochs),
                *_both("fig10", f"E = {epochs}", _R),
                *_both("fig11", f"E = {epochs}", _BEST),
            )
            for epochs in EPOCHS
        ),
    ),
)
