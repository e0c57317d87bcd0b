"""The tables on the page of FedVeca's results."""

from __future__ import annotations

import functools

from experiments.declaration import Metric, Numbers, PageTable, Shown

_METHODS = (
    "FedAvg",
    "FedNova",
    "FedProx",
    "SCAFFOLD",
    "centralized SGD",
    "FedVeca",
    "FedVeca, no round rejected",
)
_ACCURACY = Metric("test_average", "accuracy %", "accuracy")
_LOSS = Metric("test_loss_x100", "loss × 100", "loss_x100")
_SHOWN = (Shown.DEVIATION, Shown.PAPER)


def _beside_the_paper(of_row: functools.partial[Numbers]) -> tuple[Numbers, ...]:
    return tuple(
        of_row(metrics=(metric,), shown=shown) for metric in (_ACCURACY, _LOSS) for shown in _SHOWN
    )


_by_svm = functools.partial(
    Numbers,
    artifact="fedveca/table1_svm",
    scale="paper",
    seeds=(1, 2, 3),
    dataset="mnist_case_3",
)
_by_cnn = functools.partial(Numbers, artifact="fedveca/table1_cnn", scale="short")
_COLUMNS = ("accuracy %", "paper", "loss × 100", "paper")

PAGE_TABLES = (
    PageTable(
        name="fedveca/table1_svm",
        header=("algorithm", *_COLUMNS),
        rows=tuple(
            (method, *_beside_the_paper(functools.partial(_by_svm, methods=(method,))))
            for method in _METHODS
        ),
    ),
    PageTable(
        name="fedveca/table1_cnn",
        header=(
            "algorithm",
            f"MNIST: {_COLUMNS[0]}",
            *_COLUMNS[1:],
            f"CIFAR-10: {_COLUMNS[0]}",
            *_COLUMNS[1:],
        ),
        rows=tuple(
            (
                method,
                *(
                    numbers
                    for dataset, seeds in (("mnist_case_3", (1, 2)), ("cifar10_case_3", (1,)))
                    for numbers in _beside_the_paper(
                        functools.partial(_by_cnn, seeds=seeds, dataset=dataset, methods=(method,))
                    )
                ),
            )
            for method in _METHODS
        ),
    ),
)
