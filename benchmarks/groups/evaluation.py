"""The evaluation of a model on every client, in seconds."""

from __future__ import annotations

from benchmarks import contenders, tasks
from benchmarks.case import Case, Quantity
from benchmarks.workload import Workload

CASES = {
    "mnist": Case(
        "Per-client evaluation, images like MNIST's, logistic regression",
        # As many as the federated MNIST of FedProx's authors has: 69,035.
        Workload(clients=1_000, examples=69, epochs=1, batch_size=4096),
        tasks.mnist_in_memory,
        contenders.per_client_evaluation,
        None,
        Quantity.SECONDS,
        0.2,
        fixed=("epochs", "steps"),
    )
}
