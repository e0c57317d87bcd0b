"""The tables on the page of FedAdp's results."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown
from experiments.papers.fed_adp.artifacts import (
    ALPHAS,
    ALPHAS_AGAIN,
    FIGURE_1,
    MIXES,
    NETWORKS,
    PIXELS,
    TO_80,
    TO_95,
    Mix,
    label,
    reading,
    with_alpha,
)

_ALGORITHMS = ("FedAvg", "FedAdp")
_TWO_SEEDS, _THREE_SEEDS = (1, 2), (1, 2, 3)
_TABLE_1 = Runs("fedadp/table1", "short", _TWO_SEEDS)
_READINGS = Runs("fedadp/readings", "short", (1,))
_FIGURE_1 = Runs("fedadp/fig1", "short", (1,))
_FIGURE_6 = Runs("fedadp/fig6", "short", (1,))
_LOGISTIC_REGRESSION = Runs("fedadp/fig3", "paper", _THREE_SEEDS)

_TARGETS = (80, 90, 94, 95)
_TARGETS_OF_FEW_ROUNDS = (80, 90, 93, 94)
_TARGETS_OF_MIXES = (80, 90, 93, 94, 95)
_TARGETS_OF_FASHION = (60, 70, 75, 78, 80)
_BEST = Metric("best_accuracy", "best %", decimals=1)
_COUNTING = Metric("mean_effective_participants", "nodes that count, of 10", decimals=1)


def _progress_header(
    first: str, targets: tuple[int, ...], methods: tuple[str, ...] = _ALGORITHMS
) -> tuple[str, ...]:
    first_target, *others = targets
    of_methods = f": {', '.join(methods)}" if methods else ""
    return (
        first,
        f"{first_target} %{of_methods}",
        *(f"{target} %" for target in others),
        _BEST.label,
    )


def _progress(
    runs: Runs, dataset: str, methods: tuple[str, ...], targets: tuple[int, ...]
) -> tuple[Numbers, ...]:
    """The rounds that methods take to each target, and the best accuracy of all rounds."""
    rounds = (
        Metric("rounds_to", f"rounds to {target} %", parameter=float(target), decimals=0)
        for target in targets
    )
    return tuple(Numbers(runs, dataset, methods, (metric,)) for metric in (*rounds, _BEST))


def _both(mix: Mix) -> tuple[str, ...]:
    return tuple(label(name, mix) for name in _ALGORITHMS)


def _named(mix: Mix) -> str:
    num_iid, num_non_iid, x = mix
    return f"{num_iid} IID + {num_non_iid} ({x})"


def _by_seed(
    artifact: str,
    dataset: str,
    methods: tuple[str, ...],
    targets: tuple[int, ...],
    *,
    seeds: tuple[int, ...],
    called: str = "",
) -> tuple[tuple[str | Numbers, ...], ...]:
    """A row for each seed: how far methods have got at the short scale."""
    return tuple(
        (f"{called}{seed}", *_progress(Runs(artifact, "short", (seed,)), dataset, methods, targets))
        for seed in seeds
    )


def _main_case(dataset: str, targets: tuple[int, ...]) -> PageTable:
    """The rounds of the main mix on a data set, by seed."""
    return PageTable(
        name=f"fedadp/main_case_{dataset}",
        header=_progress_header("seed", targets),
        rows=_by_seed("fedadp/main_case", dataset, _ALGORITHMS, targets, seeds=_THREE_SEEDS),
    )


def _table_1(dataset: str, targets: tuple[int, ...], target_of_paper: Metric) -> PageTable:
    """The rounds of every mix on a data set, by seed, beside the paper's."""
    return PageTable(
        name=f"fedadp/mixes_{dataset}",
        header=(
            *_progress_header("nodes (classes of the others), seed", targets),
            f"{targets[-1]} % in the paper",
        ),
        rows=tuple(
            (*row, "" if place else _of_paper(dataset, mix, target_of_paper))
            for mix in MIXES
            for place, row in enumerate(
                _by_seed(
                    _TABLE_1.artifact,
                    dataset,
                    _both(mix),
                    targets,
                    seeds=_TABLE_1.seeds,
                    called=f"{_named(mix)}, ",
                )
            )
        ),
    )


def _of_paper(dataset: str, mix: Mix, target: Metric) -> Numbers:
    whole = dataclasses.replace(target, decimals=0)
    return Numbers(_TABLE_1, dataset, _both(mix), (whole,), Shown.PAPER)


def _after(number: int) -> Metric:
    return Metric("test_weighted_average", f"% after {number}", in_round=number, decimals=1)


PAGE_TABLES = (
    _main_case("mnist_x_class", _TARGETS),
    _main_case("fashion_mnist_x_class", _TARGETS_OF_FASHION),
    PageTable(
        name="fedadp/readings",
        header=_progress_header("parameters, pixels", _TARGETS),
        rows=tuple(
            (
                f"{network}, {described}",
                *_progress(
                    _READINGS,
                    "mnist_x_class",
                    tuple(reading(name, network, pixels) for name in _ALGORITHMS),
                    _TARGETS,
                ),
            )
            for pixels, described in zip(PIXELS, ("divided by 255", "normalized"))
            for network in NETWORKS
        ),
    ),
    _table_1("mnist_x_class", _TARGETS_OF_MIXES, TO_95),
    _table_1("fashion_mnist_x_class", _TARGETS_OF_FASHION, TO_80),
    PageTable(
        name="fedadp/general_cases",
        header=_progress_header("nodes, seed", _TARGETS_OF_FEW_ROUNDS),
        rows=tuple(
            row
            for dataset, described in (
                ("mnist_general_case_1", "case 1: 1 to 10 classes"),
                ("mnist_general_case_2", "case 2: five of 1 to 5, five of 6 to 10"),
            )
            for row in _by_seed(
                "fedadp/fig5",
                dataset,
                _ALGORITHMS,
                _TARGETS_OF_FEW_ROUNDS,
                seeds=_TWO_SEEDS,
                called=f"{described}, ",
            )
        ),
    ),
    PageTable(
        name="fedadp/alpha",
        header=(*_progress_header("", _TARGETS_OF_MIXES, ()), _COUNTING.label),
        rows=tuple(
            (
                called,
                *_progress(_FIGURE_6, "mnist_x_class", (called,), _TARGETS_OF_MIXES),
                Numbers(_FIGURE_6, "mnist_x_class", (called,), (_COUNTING,)),
            )
            for called in ("FedAvg", *map(with_alpha, ALPHAS))
        ),
    ),
    PageTable(
        name="fedadp/alphas_again",
        header=_progress_header("seed 2", _TARGETS_OF_MIXES, ()),
        rows=tuple(
            (
                with_alpha(alpha),
                *_progress(
                    Runs("fedadp/alphas_again", "short", (2,)),
                    "mnist_x_class",
                    (with_alpha(alpha),),
                    _TARGETS_OF_MIXES,
                ),
            )
            for alpha in ALPHAS_AGAIN
        ),
    ),
    PageTable(
        name="fedadp/mixes_of_figure_1",
        header=_progress_header("nodes (classes of the others)", _TARGETS_OF_MIXES, ()),
        rows=tuple(
            (called, *_progress(_FIGURE_1, "mnist_x_class", (called,), _TARGETS_OF_MIXES))
            for called in FIGURE_1
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
                    Numbers(_LOGISTIC_REGRESSION, dataset, _both(mix), (_after(number),))
                    for dataset in ("mnist_x_class", "fashion_mnist_x_class")
                    for number in (10, 50)
                ),
            )
            for mix in MIXES
        ),
    ),
)
