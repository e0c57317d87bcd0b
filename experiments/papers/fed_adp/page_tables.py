"""The tables on the page of FedAdp's results."""

from __future__ import annotations

import functools

from experiments.declaration import Metric, Numbers, PageTable
from experiments.papers.fed_adp.artifacts import MIXES, NETWORKS, PIXELS, Mix, label, reading

_ALGORITHMS = ("FedAvg", "FedAdp")
_THREE_SEEDS = (1, 2, 3)
_MAIN_CASE = "5 IID + 5 (1)"


def _rounds_to(target: int) -> Metric:
    return Metric("rounds_to", f"rounds to {target} %", parameter=float(target), decimals=0)


_BEST = Metric("best_accuracy", "best %", decimals=1)
_TARGETS = (80, 90, 94, 95)
_TARGETS_OF_FEW_ROUNDS = (80, 90, 93, 94)


def _header(first: str, targets: tuple[int, ...]) -> tuple[str, ...]:
    first_target, *others = targets
    names = (f"{first_target} %: {', '.join(_ALGORITHMS)}", *(f"{each} %" for each in others))
    return (first, *names, "best %")


def _progress(of_row: functools.partial[Numbers], targets: tuple[int, ...]) -> tuple[Numbers, ...]:
    return tuple(of_row(metrics=(metric,)) for metric in (*map(_rounds_to, targets), _BEST))


def _both(mix: Mix) -> tuple[str, ...]:
    return tuple(label(name, mix) for name in _ALGORITHMS)


def _named(mix: Mix) -> str:
    num_iid, num_non_iid, x = mix
    return f"{num_iid} IID + {num_non_iid} ({x})"


_one_seed = functools.partial(Numbers, scale="short", seeds=(1,))
_on_mnist = functools.partial(_one_seed, dataset="mnist_x_class")
_by_logistic_regression = functools.partial(
    Numbers, artifact="fedadp/fig3", scale="paper", seeds=_THREE_SEEDS
)

PAGE_TABLES = (
    PageTable(
        name="fedadp/main_case",
        header=_header("seed", _TARGETS),
        rows=tuple(
            (
                str(seed),
                *_progress(
                    functools.partial(
                        Numbers,
                        artifact="fedadp/fig7",
                        scale="short",
                        seeds=(seed,),
                        dataset="mnist_x_class",
                        methods=tuple(f"{name}, CNN" for name in _ALGORITHMS),
                    ),
                    _TARGETS,
                ),
            )
            for seed in _THREE_SEEDS
        ),
    ),
    PageTable(
        name="fedadp/readings",
        header=_header("parameters, pixels", _TARGETS),
        rows=tuple(
            (
                f"{network}, {described}",
                *_progress(
                    functools.partial(
                        _on_mnist,
                        artifact="fedadp/readings",
                        methods=tuple(reading(name, network, pixels) for name in _ALGORITHMS),
                    ),
                    _TARGETS,
                ),
            )
            for pixels, described in zip(PIXELS, ("divided by 255", "normalized"))
            for network in NETWORKS
        ),
    ),
    PageTable(
        name="fedadp/general_cases",
        header=_header("nodes", _TARGETS_OF_FEW_ROUNDS),
        rows=tuple(
            (
                described,
                *_progress(
                    functools.partial(
                        _one_seed,
                        artifact="fedadp/fig5",
                        dataset=dataset,
                        methods=_ALGORITHMS,
                    ),
                    _TARGETS_OF_FEW_ROUNDS,
                ),
            )
            for dataset, described in (
                ("mnist_general_case_1", "case 1: 1 to 10 classes"),
                ("mnist_general_case_2", "case 2: five of 1 to 5, five of 6 to 10"),
            )
        ),
    ),
    PageTable(
        name="fedadp/logistic_regression",
        header=(
            "nodes (classes of the others)",
            f"MNIST after 10 rounds: {', '.join(_ALGORITHMS)}",
            "after 50",
            "Fashion-MNIST after 10",
            "after 50",
        ),
        rows=tuple(
            (
                _named(mix),
                *(
                    _by_logistic_regression(
                        dataset=dataset,
                        methods=_both(mix),
                        metrics=(
                            Metric("test_weighted_average", "%", in_round=number, decimals=1),
                        ),
                    )
                    for dataset in ("mnist_x_class", "fashion_mnist_x_class")
                    for number in (10, 50)
                ),
            )
            for mix in MIXES
        ),
    ),
)
