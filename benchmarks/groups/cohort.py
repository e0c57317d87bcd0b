"""FedAvg's cost against the clients in the cohort."""

from __future__ import annotations

import dataclasses

from benchmarks.groups import builders
from benchmarks.workload import Workload

CASES = {
    str(clients): dataclasses.replace(
        builders.CASES["mlr"],
        title=f"FedAvg beside TFF's own on its worker, a cohort of {clients}, MLR",
        workload=Workload(clients, examples=60, epochs=20, batch_size=10),
        limit=None,
    )
    for clients in (10, 30, 100, 300)
}
