"""Small sizes of the benchmark's cases, and measurements that nobody has taken."""

from __future__ import annotations

from benchmarks.cases import CASES
from benchmarks.measuring import Measurement, PeakMemory, RoundTimes
from benchmarks.results import Result
from benchmarks.workload import Workload

NETWORKS = ("cnn", "shakespeare", "sent140")


def small_workload(name: str) -> Workload:
    """As small as a round can be that has a last batch of another size."""
    group, case = name.split("/")
    if group == "evaluation":
        return CASES[name].workload.resized(clients=3, examples=5, batch_size=4)
    if case in NETWORKS or case == "fed_veca":
        return CASES[name].workload.resized(clients=2, examples=6, batch_size=4, steps=3)
    clients = 1 if case == "centralized_sgd" else 2
    return CASES[name].workload.resized(clients=clients, examples=25, batch_size=10, epochs=2)


def times(label: str, *rounds: float) -> RoundTimes:
    return RoundTimes(label, first=9.0, rounds=rounds, processor=1.0)


def result(
    name: str,
    ours: tuple[float, ...] = (1.0, 2.0, 1.0),
    theirs: tuple[float, ...] = (8.0, 10.0, 6.0),
    difference: float | None = 3e-8,
    worker: int = 300,
) -> Result:
    memory = PeakMemory(program=500 * 2**20, worker=worker * 2**20)
    other = times("theirs", *theirs) if theirs else None
    measurement = Measurement(times("ours", *ours), other, memory, difference)
    return Result(name, CASES[name], CASES[name].workload, measurement)
