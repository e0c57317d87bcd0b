"""The cases that show how the cost of a round grows, one group for each dimension."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable

import tff_weights
from benchmarks import contenders, tasks
from benchmarks.case import Case
from benchmarks.targets import Quantity, Target
from benchmarks.workload import Workload
from tff_weights.runtime import WorkerOptions

_FAST, _LONG = Quantity.TIMES_AS_FAST, Quantity.TIMES_AS_LONG

_SWEEP = Workload(clients=10, examples=60, epochs=20, batch_size=10)


def cohort() -> Iterable[tuple[str, Case]]:
    """FedAvg's cost against the clients in the cohort."""
    for clients in (10, 30, 100, 300):
        yield (
            str(clients),
            Case(
                title=f"FedAvg beside TFF's own on its worker, a cohort of {clients}, MLR",
                workload=dataclasses.replace(_SWEEP, clients=clients),
                build_task=tasks.logistic_regression,
                subject=contenders.fed_avg,
                reference=contenders.tff_fed_avg,
                reference_runtime=WorkerOptions(),
                target=Target(_FAST),
                tolerance=1e-4,
                size=lambda workload: workload.clients,
            ),
        )


def clients() -> Iterable[tuple[str, Case]]:
    """The cost of a weighting's history of every client against the clients in all."""
    for population in (30, 1_000, 100_000):
        yield (
            str(population),
            Case(
                title=f"FedFa beside our FedAvg, {population:,} clients in all",
                workload=dataclasses.replace(_SWEEP, examples=600, population=population),
                build_task=tasks.logistic_regression,
                subject=contenders.algorithm(tff_weights.build_fed_fa),
                reference=contenders.fed_avg,
                target=Target(_LONG, 1.15),
                size=lambda workload: workload.num_clients,
            ),
        )


def model() -> Iterable[tuple[str, Case]]:
    """FedAvg's cost against the model's size."""
    for num_parameters in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        yield (
            str(num_parameters),
            Case(
                title=f"FedAvg beside TFF's own on its worker, {num_parameters:,} parameters",
                workload=dataclasses.replace(_SWEEP, epochs=1),
                build_task=functools.partial(tasks.sized_perceptron, num_parameters=num_parameters),
                subject=contenders.fed_avg,
                reference=contenders.tff_fed_avg,
                reference_runtime=WorkerOptions(),
                target=Target(_FAST),
                tolerance=1e-4,
                size=_always(num_parameters),
            ),
        )


def _always(size: int) -> Callable[[Workload], int]:
    """Returns a function that knows the size without looking at the workload."""
    return lambda _: size
