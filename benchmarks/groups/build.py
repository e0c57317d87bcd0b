"""The time until the first round is done, in seconds."""

from __future__ import annotations

import dataclasses

import tff_weights
from benchmarks import contenders
from benchmarks.case import Quantity
from benchmarks.groups import builders

CASES = {
    "mlr": dataclasses.replace(
        builders.CASES["mlr"],
        title="FedAvg built and its first round run beside TFF's own, logistic regression",
        subject=contenders.algorithm(tff_weights.build_fed_avg, from_the_start=True),
        reference=contenders.tff_fed_avg_from_the_start,
        on_tffs_worker=False,
        quantity=Quantity.SECONDS,
        limit=5,
    )
}
