"""The cases whose seconds count: an evaluation of all clients, and the time to the first round."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks import contenders, tasks
from benchmarks.case import Case
from benchmarks.targets import Quantity, Target
from benchmarks.workload import Workload


def evaluation() -> Iterable[tuple[str, Case]]:
    """The evaluation of a model on every client."""
    yield (
        "mnist",
        Case(
            title="Per-client evaluation, images like MNIST's, logistic regression",
            # As many as the federated MNIST of FedProx's authors has: 69,035.
            workload=Workload(clients=1_000, examples=69, epochs=1, batch_size=4096),
            build_task=tasks.mnist_in_memory,
            subject=contenders.per_client_evaluation,
            reference=None,
            fixed=("epochs", "steps"),
            target=Target(Quantity.SECONDS, 0.2),
        ),
    )


def build() -> Iterable[tuple[str, Case]]:
    """The time until the first round is done."""
    yield (
        "mlr",
        Case(
            title="FedAvg built and its first round run beside TFF's own, logistic regression",
            workload=Workload(clients=10, examples=600, epochs=20, batch_size=10),
            build_task=tasks.logistic_regression,
            subject=contenders.first_round_of_fed_avg,
            reference=contenders.first_round_of_tff_fed_avg,
            target=Target(Quantity.SECONDS, 5),
            tolerance=1e-4,
        ),
    )
