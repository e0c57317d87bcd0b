"""FedAvg's cost against the model's size."""

from __future__ import annotations

import dataclasses
import functools

from benchmarks import tasks
from benchmarks.groups import builders
from benchmarks.workload import Workload

CASES = {
    str(num_parameters): dataclasses.replace(
        builders.CASES["mlr"],
        title=f"FedAvg beside TFF's own on its worker, {num_parameters:,} parameters",
        workload=Workload(clients=10, examples=60, epochs=1, batch_size=10),
        build_task=functools.partial(tasks.sized_perceptron, num_parameters=num_parameters),
        limit=None,
    )
    for num_parameters in (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
}
