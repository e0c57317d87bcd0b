"""FedAvg beside TFF's own."""

from __future__ import annotations

from benchmarks import contenders, tasks
from benchmarks.case import Case, Quantity
from benchmarks.workload import Workload

CASES = {
    name: Case(
        f"FedAvg beside TFF's own on TFF's worker, {words}",
        workload,
        build_task,
        contenders.fed_avg,
        contenders.tff_fed_avg,
        Quantity.TIMES_AS_FAST,
        limit,
        on_tffs_worker=True,
        tolerance=1e-2 if name == "cnn" else 1e-4,
        checked_steps=5 if name == "cnn" else None,
    )
    for name, words, workload, build_task, limit in (
        ("mlr", "logistic regression", Workload(10, 600, 20, 10), tasks.logistic_regression, 20),
        ("cnn", "FedAdp's CNN", Workload(2, 1000, 1, 10), tasks.convolutional_network, 1),
        (
            "shakespeare",
            "the LSTM of Shakespeare",
            Workload(2, 200, 1, 10),
            tasks.shakespeare_lstm,
            1,
        ),
        ("sent140", "the LSTM of Sent140", Workload(2, 600, 1, 10), tasks.sent140_lstm, 1),
    )
}
