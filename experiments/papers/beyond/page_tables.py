"""The tables on the page of what is beyond the papers."""

from __future__ import annotations

import dataclasses
import functools

from experiments.declaration import Metric, Numbers, PageTable, Shown
from experiments.declaration.fairness import gain_metrics
from experiments.papers.beyond.fairness import ALONE
from experiments.papers.beyond.sensitivity import RATES, label

_AVERAGE = Metric("test_average", "average %")
_WORST_20 = Metric("test_worst_20", "worst 20 %")
_VARIANCE = Metric("test_variance", "variance", read_with="test_average", decimals=0)
_TO_70 = (
    Metric("rounds_to", "rounds to 70 %", parameter=70.0, decimals=0),
    Metric("megabytes_to", "MB to 70 %", parameter=70.0, decimals=1),
)
_overview = functools.partial(
    Numbers, artifact="beyond/overview", scale="short", dataset="synthetic_1_1"
)
_ALGORITHMS = (
    "FedAvg",
    "FedProx",
    "SCAFFOLD",
    "FedNova",
    "q-FedAvg",
    "FedFa",
    "FedAdp",
    "FedAdp, own settings",
    "FedVeca",
    "FedVeca, own settings",
    "FedCav",
    "FedCav, own settings",
    "WeiAvg (projection)",
    "WeiAvg (entropy)",
    "centralized SGD",
)
_THREE_SEEDS = (1, 2, 3)

# Those that send as much as one another have a row together, by the run of the first.
_SENDING = (
    ("FedAvg, FedProx, FedFa-mo", "FedAvg"),
    ("q-FedAvg, FedNova", "FedNova"),
    ("FedFa", "FedFa"),
    ("FedCav, WeiAvg (entropy)", "FedCav"),
    ("SCAFFOLD", "SCAFFOLD"),
    ("FedVeca", "FedVeca"),
    ("FedAdp", "FedAdp"),
    ("WeiAvg (projection)", "WeiAvg (projection)"),
)
_WEIGHTS = (
    ("by examples", "n_i"),
    ("equal", "uniform"),
    ("FedNova", "FedNova"),
    ("FedFa", "FedFa"),
    ("FedAdp", "FedAdp"),
    ("FedCav", "FedCav"),
    ("WeiAvg, projection", "WeiAvg (projection)"),
    ("WeiAvg, entropy", "WeiAvg (entropy)"),
)


def _kilobytes(prefix: str) -> tuple[Metric, ...]:
    return tuple(
        Metric(f"{prefix}kilobytes_{way}", f"kB {way}", decimals=3) for way in ("down", "up")
    )


def _rates_of(name: str) -> tuple[str, ...]:
    first, *others = (f"{rate:g}" if rate >= 0.001 else f"{rate:.4f}" for rate in RATES)
    return (f"{name}: {first}", *others)


_alone = functools.partial(
    Numbers, artifact="beyond/fairness", scale="short", seeds=_THREE_SEEDS, dataset="synthetic_1_1"
)
_GAINS = tuple(dataclasses.replace(metric, decimals=1) for metric in gain_metrics(ALONE))


def _gains(method: str) -> tuple[str | Numbers, ...]:
    """What alone is measured against itself is nothing."""
    if method == ALONE:
        return ("",) * len(_GAINS)
    return tuple(_alone(methods=(method,), metrics=(metric,)) for metric in _GAINS)


PAGE_TABLES = (
    PageTable(
        name="beyond/overview",
        header=("algorithm", "average %", "worst 20 %", "variance", *(m.label for m in _TO_70)),
        rows=tuple(
            (
                method,
                *(
                    _overview(
                        seeds=_THREE_SEEDS,
                        methods=(method,),
                        metrics=(metric,),
                        shown=Shown.DEVIATION,
                    )
                    for metric in (_AVERAGE, _WORST_20, _VARIANCE, *_TO_70)
                ),
            )
            for method in _ALGORITHMS
        ),
    ),
    PageTable(
        name="beyond/communication",
        header=("algorithm", "down, up here", "down, up in its paper"),
        rows=tuple(
            (
                described,
                *(
                    _overview(seeds=(1,), methods=(method,), metrics=_kilobytes(prefix))
                    for prefix in ("", "paper_")
                ),
            )
            for described, method in _SENDING
        ),
    ),
    PageTable(
        name="beyond/sensitivity",
        header=(
            "weights",
            *_rates_of("synthetic_1_1"),
            *_rates_of("mnist"),
            *_rates_of("Fashion-MNIST (¹)"),
        ),
        rows=tuple(
            (
                described,
                *(
                    Numbers(
                        artifact="beyond/sensitivity",
                        scale="short",
                        seeds=_THREE_SEEDS,
                        dataset=dataset,
                        methods=(label(weighting, rate),),
                        metrics=(
                            Metric("test_average", "average %", decimals=1),
                            Metric("test_worst_20", "worst 20 %", decimals=1),
                        ),
                    )
                    for dataset in ("synthetic_1_1", "mnist", "fashion_mnist_x_class")
                    for rate in RATES
                ),
            )
            for described, weighting in _WEIGHTS
        ),
    ),
    PageTable(
        name="beyond/alone",
        header=(
            "",
            "average %",
            "worst 20 %",
            "variance",
            "weighted variance",
            *(metric.label for metric in _GAINS),
        ),
        rows=tuple(
            (
                method,
                *(
                    _alone(methods=(method,), metrics=(metric,))
                    for metric in (
                        _AVERAGE,
                        _WORST_20,
                        Metric("test_variance", "variance", decimals=0),
                        Metric("weighted_variance", "weighted variance", decimals=0),
                    )
                ),
                *_gains(method),
            )
            for method in ("FedAvg", "FedFa", ALONE)
        ),
    ),
)
