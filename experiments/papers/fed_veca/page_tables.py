"""The tables on the page of FedVeca's results."""

from __future__ import annotations

from experiments.declaration import Metric, Numbers, PageTable, Runs, Shown

_SVM = Runs("fedveca/table1_svm", "paper", (1, 2, 3, 4, 5))
_CNN_ON_MNIST = Runs("fedveca/table1_cnn", "short", (1, 2))
_CNN_ON_CIFAR = Runs("fedveca/table1_cnn", "short", (1, 2, 3))
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


def _header(images: str = "") -> tuple[str, ...]:
    return (f"{images}{_ACCURACY.label}", "paper", _LOSS.label, "paper")


def _beside_the_paper(runs: Runs, dataset: str, method: str) -> tuple[Numbers, ...]:
    return tuple(
        Numbers(runs, dataset, (method,), (metric,), shown)
        for metric in (_ACCURACY, _LOSS)
        for shown in (Shown.DEVIATION, Shown.PAPER)
    )


PAGE_TABLES = (
    PageTable(
        name="fedveca/table1_svm",
        header=("algorithm", *_header()),
        rows=tuple(
            (method, *_beside_the_paper(_SVM, "mnist_case_3", method)) for method in _METHODS
        ),
    ),
    PageTable(
        name="fedveca/table1_cnn",
        header=("algorithm", *_header("MNIST: "), *_header("CIFAR-10: ")),
        rows=tuple(
            (
                method,
                *_beside_the_paper(_CNN_ON_MNIST, "mnist_case_3", method),
                *_beside_the_paper(_CNN_ON_CIFAR, "cifar10_case_3", method),
            )
            for method in _METHODS
        ),
    ),
)
