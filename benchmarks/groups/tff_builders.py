"""TFF's own builders inside the program beside the same on TFF's worker."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow_federated as tff

from benchmarks import contenders, tasks
from benchmarks.case import Case, Quantity
from benchmarks.workload import Workload
from leaf_data.tasks import Task

_learning = tff.learning.algorithms
_SMALL = Workload(clients=20, examples=40, epochs=1, batch_size=10)
_sgd = tff.learning.optimizers.build_sgdm(0.01)


def _fed_avg(
    aggregator: Callable[[], tff.aggregators.WeightedAggregationFactory] | None = None,
) -> contenders.BuildProcess:
    return lambda model: _learning.build_weighted_fed_avg(
        model,
        client_optimizer_fn=_sgd,
        model_aggregator=None if aggregator is None else aggregator(),
    )


def _case(
    words: str,
    build: contenders.BuildProcess,
    *,
    build_task: Callable[[Workload], Task] = tasks.logistic_regression,
    workload: Workload = _SMALL,
    tolerance: float | None = 1e-4,
) -> Case:
    contender = contenders.tff_process(build)
    return Case(
        f"TFF's {words} inside the program beside TFF's worker",
        workload,
        build_task,
        contender,
        contender,
        Quantity.TIMES_AS_LONG,
        1.0,
        on_tffs_worker=True,
        tolerance=tolerance,
    )


CASES = {
    "fed_avg_dense": _case("FedAvg, logistic regression,", _fed_avg()),
    "fed_avg_cnn": _case(
        "FedAvg, FedAdp's CNN,",
        _fed_avg(),
        build_task=tasks.convolutional_network,
        workload=Workload(clients=2, examples=100, epochs=1, batch_size=10),
        tolerance=1e-2,
    ),
    "fed_avg_lstm": _case(
        "FedAvg, the LSTM of Sent140,",
        _fed_avg(),
        build_task=tasks.sent140_lstm,
        workload=Workload(clients=2, examples=100, epochs=1, batch_size=10),
    ),
    "fed_prox": _case(
        "FedProx",
        lambda model: _learning.build_weighted_fed_prox(
            model, proximal_strength=1.0, client_optimizer_fn=_sgd
        ),
    ),
    "mime_lite": _case(
        "Mime lite",
        lambda model: _learning.build_weighted_mime_lite(
            model, base_optimizer=tff.learning.optimizers.build_sgdm(0.01, momentum=0.9)
        ),
    ),
    "robust": _case("FedAvg with clipping", _fed_avg(tff.learning.robust_aggregator)),
    "secure": _case("FedAvg with secure sums", _fed_avg(tff.learning.secure_aggregator)),
    "private": _case(
        "FedAvg with differential privacy",
        lambda model: _learning.build_unweighted_fed_avg(
            model,
            client_optimizer_fn=_sgd,
            model_aggregator=tff.learning.dp_aggregator(0.1, _SMALL.clients),
        ),
        tolerance=None,  # Noise.
    ),
}
