"""The tables on the page of what is beyond the papers."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown
from experiments.declaration.fairness import VARIANCE, WEIGHTED_VARIANCE, gain_metrics
from experiments.papers.beyond.fairness import ALONE, METHODS
from experiments.papers.beyond.language import LANGUAGE
from experiments.papers.beyond.overview import ALGORITHMS
from experiments.papers.beyond.sensitivity import RATES, label

_THREE_SEEDS = (1, 2, 3)
_OVERVIEW = Runs("beyond/overview", "short", _THREE_SEEDS)
_COMMUNICATION = Runs("beyond/communication", "short", (1,))
_SENSITIVITY = Runs("beyond/sensitivity", "short", _THREE_SEEDS)
_FAIRNESS = Runs("beyond/fairness", "short", _THREE_SEEDS)
_LANGUAGE = Runs("beyond/language", "short", _THREE_SEEDS)
_ROLES = Runs("beyond/language", "short", (1,))
_NETWORKS = Runs("beyond/fairness_networks", "short", (1,))
_BY_NETWORKS = {"mnist_x_class": "MNIST", "fashion_mnist_x_class": "Fashion-MNIST"}
_SYNTHETIC = "synthetic_1_1"

# The others' own settings have all 30 clients in a cohort, or 3 epochs.
_IN_COHORTS_OF_TEN = tuple(
    name for name in ALGORITHMS if "own settings" not in name and name != "centralized SGD"
)

_AVERAGE = Metric("test_average", "average %")
_WORST_20 = Metric("test_worst_20", "worst 20 %")
_VARIANCE, _WEIGHTED_VARIANCE = (
    dataclasses.replace(each, decimals=0) for each in (VARIANCE, WEIGHTED_VARIANCE)
)
_OF_THE_OVERVIEW = (
    _AVERAGE,
    _WORST_20,
    _VARIANCE,
    Metric("rounds_to", "rounds to 70 %", parameter=70.0, decimals=0),
    Metric("megabytes_to", "MB to 70 %", parameter=70.0, decimals=1),
)
_OF_THE_SENSITIVITY = tuple(dataclasses.replace(each, decimals=1) for each in (_AVERAGE, _WORST_20))
_OF_CLIENTS = (
    _AVERAGE,
    _WORST_20,
    _VARIANCE,
    _WEIGHTED_VARIANCE,
)
_OF_TWEETS = (
    Metric("test_weighted_average", "right % of all test tweets, last round"),
    Metric("best_accuracy", "best of all evaluations %"),
    Metric("train_loss", "training loss, last round"),
)
_OF_ROLES = (
    Metric("test_weighted_average", "right % of all test windows, last round"),
    _AVERAGE,
    _WORST_20,
    Metric("train_loss", "training loss, last round"),
)
_GAINS = tuple(dataclasses.replace(metric, decimals=1) for metric in gain_metrics(ALONE))


def _kilobytes(prefix: str) -> tuple[Metric, ...]:
    return tuple(
        Metric(f"{prefix}kilobytes_{way}", f"kB {way}", decimals=3) for way in ("down", "up")
    )


def _columns_of_rates(dataset: str) -> tuple[str, ...]:
    first, *others = (label("", rate).removeprefix(" at ") for rate in RATES)
    return (f"{dataset}: {first}", *others)


def _beside_alone(method: str) -> tuple[str | Numbers, ...]:
    """How a method's clients fare, and what they gain over being alone."""
    of_clients = (Numbers(_FAIRNESS, _SYNTHETIC, (method,), (each,)) for each in _OF_CLIENTS)
    if method == ALONE:
        return (method, *of_clients, *("",) * len(_GAINS))
    gains = (Numbers(_FAIRNESS, _SYNTHETIC, (method,), (each,)) for each in _GAINS)
    return (method, *of_clients, *gains)


def _methods_on(dataset: str) -> tuple[str, ...]:
    """Those of the algorithms with LSTMs, and of their controls, that are run on a data set."""
    return tuple(variant.label for variant in LANGUAGE.variants if variant.is_run_on(dataset))


def _by_networks(method: str) -> tuple[str | Numbers, ...]:
    """The same of networks, by data set."""
    variance = dataclasses.replace(_VARIANCE, decimals=2)
    row: list[str | Numbers] = [method]
    for dataset in _BY_NETWORKS:
        row += [
            Numbers(_NETWORKS, dataset, (method,), metrics)
            for metrics in ((_AVERAGE, _WORST_20), (variance,))
        ]
        row.append("" if method == ALONE else Numbers(_NETWORKS, dataset, (method,), _GAINS[2:]))
    return tuple(row)


PAGE_TABLES = (
    PageTable(
        name="beyond/overview",
        header=("algorithm", *(metric.label for metric in _OF_THE_OVERVIEW)),
        rows=tuple(
            (
                method,
                *(
                    Numbers(_OVERVIEW, _SYNTHETIC, (method,), (metric,), Shown.DEVIATION)
                    for metric in _OF_THE_OVERVIEW
                ),
            )
            for method in ALGORITHMS
        ),
    ),
    PageTable(
        name="beyond/communication",
        header=("algorithm", "down, up here", "down, up in its paper"),
        rows=tuple(
            (
                method,
                *(
                    Numbers(_COMMUNICATION, _SYNTHETIC, (method,), _kilobytes(prefix))
                    for prefix in ("", "paper_")
                ),
            )
            for method in _IN_COHORTS_OF_TEN
        ),
    ),
    PageTable(
        name="beyond/sensitivity",
        header=(
            "weights",
            *_columns_of_rates("synthetic_1_1"),
            *_columns_of_rates("mnist"),
            *_columns_of_rates("Fashion-MNIST (¹)"),
        ),
        rows=tuple(
            (
                described,
                *(
                    Numbers(_SENSITIVITY, dataset, (label(name, rate),), _OF_THE_SENSITIVITY)
                    for dataset in ("synthetic_1_1", "mnist", "fashion_mnist_x_class")
                    for rate in RATES
                ),
            )
            for described, name in (
                ("by examples", "n_i"),
                ("equal", "uniform"),
                ("FedNova", "FedNova"),
                ("FedFa", "FedFa"),
                ("FedAdp", "FedAdp"),
                ("FedCav", "FedCav"),
                ("WeiAvg, projection", "WeiAvg (projection)"),
                ("WeiAvg, entropy", "WeiAvg (entropy)"),
            )
        ),
    ),
    PageTable(
        name="beyond/alone",
        header=("", *(metric.label for metric in (*_OF_CLIENTS, *_GAINS))),
        rows=tuple(_beside_alone(method) for method in ("FedAvg", "FedFa", ALONE)),
    ),
    PageTable(
        name="beyond/tweets",
        header=("algorithm", *(metric.label for metric in _OF_TWEETS)),
        rows=tuple(
            (
                method,
                *(
                    Numbers(_LANGUAGE, "sent140", (method,), (metric,), Shown.DEVIATION)
                    for metric in _OF_TWEETS
                ),
            )
            for method in _methods_on("sent140")
        ),
    ),
    PageTable(
        name="beyond/roles",
        header=("algorithm", *(metric.label for metric in _OF_ROLES)),
        rows=tuple(
            (method, *(Numbers(_ROLES, "shakespeare", (method,), (each,)) for each in _OF_ROLES))
            for method in _methods_on("shakespeare")
        ),
    ),
    PageTable(
        name="beyond/networks",
        header=(
            "algorithm",
            *(
                f"{name}: {of_clients}"
                for name in _BY_NETWORKS.values()
                for of_clients in (
                    "average %, worst 20 %",
                    "variance",
                    "gain, points, worst 20 % of the gains",
                )
            ),
        ),
        rows=tuple(_by_networks(method) for method in METHODS),
    ),
)
