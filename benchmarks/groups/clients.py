"""The cost of a weighting's history of every client against the clients in all."""

from __future__ import annotations

import dataclasses

from benchmarks.groups import algorithms

CASES = {
    str(population): dataclasses.replace(
        algorithms.CASES["fed_fa"],
        title=f"FedFa beside our FedAvg, {population:,} clients in all",
        workload=dataclasses.replace(algorithms.CASES["fed_fa"].workload, population=population),
    )
    for population in (30, 1_000, 100_000)
}
