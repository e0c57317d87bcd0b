"""The time until the first round is done, in seconds."""

from __future__ import annotations

import dataclasses

from benchmarks import contenders
from benchmarks.case import Quantity
from benchmarks.groups import builders

CASES = {
    "mlr": dataclasses.replace(
        builders.CASES["mlr"],
        title="FedAvg built and its first round run beside TFF's own, logistic regression",
        subject=contenders.from_the_start(contenders.fed_avg),
        reference=contenders.from_the_start(contenders.tff_fed_avg),
        on_tffs_worker=False,
        quantity=Quantity.SECONDS,
        limit=5,
    )
}
