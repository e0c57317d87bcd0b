"""The tables on the page of WeiAvg's results."""

from __future__ import annotations

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown
from experiments.papers.wei_avg.artifacts import EPOCHS, EXPONENTS, SKEWS

_MNIST, _FASHION_MNIST, _CIFAR10 = "mnist_entropy", "fashion_mnist_entropy", "cifar10_entropy"
_THREE_SEEDS = (1, 2, 3)
_FED_AVG, _WEI_AVG = "FedAvg", "WeiAvg"
_BY_EXPONENT = (_FED_AVG, *(f"{_WEI_AVG}, λ = {exponent:g}" for exponent in EXPONENTS))

_LAST = Metric("test_weighted_average", "after 50 rounds %")
_AFTER_20 = Metric("test_weighted_average", "after 20 rounds %", in_round=20)
_BEST = Metric("best_accuracy", "best of all rounds %")
_LATE = Metric("late_accuracy", "last ten rounds, mean %", parameter=10)
_R = Metric("correlation", "r of mean projection and entropy")
_ENTROPY = Metric("mean_label_entropy", "entropy of a client's labels, nats")
_ACCURACIES = (_AFTER_20, _LAST, _BEST)
_INTERVAL = "points [95 % t interval]"


def _runs(figure: str, seeds: tuple[int, ...] = _THREE_SEEDS) -> Runs:
    return Runs(f"weiavg/{figure}", "short", seeds)


def _mean(runs: Runs, dataset: str, method: str, metric: Metric) -> Numbers:
    return Numbers(runs, dataset, (method,), (metric,), Shown.DEVIATION)


def _difference(runs: Runs, dataset: str, method: str, other: str, metric: Metric) -> Numbers:
    return Numbers(runs, dataset, (method, other), (metric,), Shown.DIFFERENCE)


def _ahead(runs: Runs, dataset: str, method: str, metric: Metric) -> Numbers | str:
    """By how much a method is ahead of FedAvg."""
    if method == _FED_AVG:
        return "–"
    return _difference(runs, dataset, method, _FED_AVG, metric)


def _both(figure: str, suffix: str, metric: Metric) -> tuple[Numbers, ...]:
    """FedAvg and WeiAvg, each in a cell of its own."""
    return tuple(
        _mean(_runs(figure), _FASHION_MNIST, f"{name}, {suffix}", metric)
        for name in (_FED_AVG, _WEI_AVG)
    )


def _by_projection(dataset: str, seeds: tuple[int, ...]) -> PageTable:
    accuracies, correlations = _runs("fig4", seeds), _runs("fig2", seeds)
    return PageTable(
        name=f"weiavg/by_projection_{dataset}",
        header=("method", _AFTER_20.label, _LAST.label, _BEST.label, _R.label),
        rows=tuple(
            (
                method,
                *(_mean(accuracies, dataset, method, metric) for metric in _ACCURACIES),
                _mean(correlations, dataset, method, _R),
            )
            for method in _BY_EXPONENT
        ),
    )


def _by_entropy(dataset: str, seeds: tuple[int, ...]) -> PageTable:
    runs = _runs("fig3", seeds)
    return PageTable(
        name=f"weiavg/by_entropy_{dataset}",
        header=(
            "method",
            _AFTER_20.label,
            _LAST.label,
            _BEST.label,
            f"ahead of FedAvg after 50 rounds, {_INTERVAL}",
        ),
        rows=tuple(
            (
                method,
                *(_mean(runs, dataset, method, metric) for metric in _ACCURACIES),
                _ahead(runs, dataset, method, _LAST),
            )
            for method in _BY_EXPONENT
        ),
    )


def _with_fed_prox(dataset: str, seeds: tuple[int, ...]) -> PageTable:
    return PageTable(
        name=f"weiavg/with_fed_prox_{dataset}",
        header=("method", "without it %", "with it %", f"with it and without, {_INTERVAL}"),
        rows=tuple(
            (
                described,
                _mean(_runs(figure, seeds), dataset, without, _LAST),
                _mean(_runs(figure, seeds), dataset, with_it, _LAST),
                _difference(_runs(figure, seeds), dataset, with_it, without, _LAST),
            )
            for described, figure, without, with_it in (
                (_FED_AVG, "fig6", _FED_AVG, "FedProx"),
                ("WeiAvg by entropy", "fig6", _WEI_AVG, "WeiAvg + FedProx"),
                ("WeiAvg by projection", "fig7", _WEI_AVG, "WeiAvg + FedProx"),
            )
        ),
    )


PAGE_TABLES = (
    *(
        of_dataset(dataset, seeds)
        for of_dataset in (_by_projection, _by_entropy, _with_fed_prox)
        for dataset, seeds in ((_MNIST, _THREE_SEEDS), (_FASHION_MNIST, (1, 2)))
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
    PageTable(
        name="weiavg/even",
        header=(
            "data set",
            "method",
            _LAST.label,
            _LATE.label,
            _BEST.label,
            f"ahead of FedAvg after 50 rounds, {_INTERVAL}",
            f"ahead in the last ten, {_INTERVAL}",
            _R.label,
        ),
        rows=tuple(
            (
                name if method == _FED_AVG else "",
                method,
                *(_mean(runs, dataset, method, metric) for metric in (_LAST, _LATE, _BEST)),
                *(_ahead(runs, dataset, method, metric) for metric in (_LAST, _LATE)),
                _mean(runs, dataset, method, _R),
            )
            for dataset, name, runs in (
                (_MNIST, "MNIST", _runs("even")),
                (_FASHION_MNIST, "Fashion-MNIST", _runs("even")),
                (_CIFAR10, "CIFAR-10, two seeds", _runs("even", (1, 2))),
            )
            for method in (_FED_AVG, "WeiAvg by entropy", "WeiAvg by projection")
        ),
    ),
    PageTable(
        name="weiavg/cifar10",
        header=("FedAvg on CIFAR-10 with", _AFTER_20.label, _LAST.label, _BEST.label),
        rows=tuple(
            (
                label,
                *(
                    Numbers(_runs("cifar10", (1,)), _CIFAR10, (label,), (metric,))
                    for metric in _ACCURACIES
                ),
            )
            for label in ("p = 0.8, rate 0.01", "p = 0.8, rate 0.001", "p = 0, rate 0.01")
        ),
    ),
)
