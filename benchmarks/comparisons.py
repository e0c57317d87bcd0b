"""The cases that compare: with TFF's own FedAvg, with the bare local steps, and with our FedAvg."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import tensorflow_federated as tff

import tff_weights
from benchmarks import contenders, tasks
from benchmarks.bare_loop import bare_loop
from benchmarks.case import Case
from benchmarks.targets import Quantity, Target
from benchmarks.workload import Workload
from leaf_data.tasks import Task
from tff_weights.runtime import WorkerOptions


class _Model(NamedTuple):
    """A model that is compared with TFF's builder, and what is wanted then."""

    words: str
    workload: Workload
    build_task: Callable[[Workload], Task]
    times_as_fast: float
    tolerance: float
    checked_steps: int | None = None


_MLR = Workload(clients=10, examples=600, epochs=20, batch_size=10)

_MODELS: Mapping[str, _Model] = {
    "mlr": _Model("logistic regression", _MLR, tasks.logistic_regression, 20, 1e-4),
    "cnn": _Model(
        "FedAdp's CNN",
        Workload(clients=2, examples=1000, epochs=1, batch_size=10),
        tasks.convolutional_network,
        1,
        1e-2,
        checked_steps=5,
    ),
    "shakespeare": _Model(
        "the LSTM of Shakespeare",
        Workload(clients=2, examples=200, epochs=1, batch_size=10),
        tasks.shakespeare_lstm,
        1,
        1e-4,
    ),
    "sent140": _Model(
        "the LSTM of Sent140",
        Workload(clients=2, examples=600, epochs=1, batch_size=10),
        tasks.sent140_lstm,
        1,
        1e-4,
    ),
}


def builders() -> Iterable[tuple[str, Case]]:
    """FedAvg beside TFF's own."""
    for name, model in _MODELS.items():
        yield (
            name,
            Case(
                title=f"FedAvg beside TFF's own on TFF's worker, {model.words}",
                workload=model.workload,
                build_task=model.build_task,
                subject=contenders.fed_avg,
                reference=contenders.tff_fed_avg,
                reference_runtime=WorkerOptions(),
                target=Target(Quantity.TIMES_AS_FAST, model.times_as_fast),
                tolerance=model.tolerance,
                checked_steps=model.checked_steps,
            ),
        )


def limits() -> Iterable[tuple[str, Case]]:
    """FedAvg beside its local steps alone, where these are most of a round."""
    for name in ("cnn", "shakespeare", "sent140"):
        model = _MODELS[name]
        yield (
            name,
            Case(
                title=f"FedAvg beside a bare tf.function loop, {model.words}",
                workload=model.workload,
                build_task=model.build_task,
                subject=contenders.fed_avg,
                reference=bare_loop,
                target=Target(Quantity.TIMES_AS_LONG, 1.05),
                tolerance=model.tolerance,
                checked_steps=model.checked_steps,
            ),
        )


def algorithms() -> Iterable[tuple[str, Case]]:
    """Every other algorithm beside FedAvg; those that equal it in a first round are checked."""

    def beside_fed_avg(
        words: str,
        build: Callable[..., tff.learning.templates.LearningProcess],
        *,
        most: float = 1.15,
        workload: Workload = _MLR,
        tolerance: float | None = None,
        fixed: tuple[str, ...] = (),
        **settings: Any,
    ) -> Case:
        return Case(
            title=f"{words} beside our FedAvg, logistic regression",
            workload=workload,
            build_task=tasks.logistic_regression,
            subject=contenders.algorithm(build, **settings),
            reference=contenders.fed_avg,
            target=Target(Quantity.TIMES_AS_LONG, most),
            tolerance=tolerance,
            fixed=fixed,
        )

    yield (
        "fed_avg_uniform",
        beside_fed_avg(
            "FedAvg with uniform weights",
            tff_weights.build_fed_avg,
            weighting="uniform",
            tolerance=1e-4,
        ),
    )
    yield (
        "fed_prox",
        beside_fed_avg("FedProx", tff_weights.build_fed_prox, proximal_strength=1.0),
    )
    yield "q_fed_avg", beside_fed_avg("q-FedAvg", tff_weights.build_q_fed_avg, most=1.5)
    yield "fed_fa", beside_fed_avg("FedFa", tff_weights.build_fed_fa)
    yield "fed_fa_mo", beside_fed_avg("FedFa-mo", tff_weights.build_fed_fa_mo)
    yield "fed_adp", beside_fed_avg("FedAdp", tff_weights.build_fed_adp)
    for by in ("projection", "entropy"):
        yield (
            f"wei_avg_{by}",
            beside_fed_avg(f"WeiAvg by {by}", tff_weights.build_wei_avg, by=by),
        )
    yield "fed_cav", beside_fed_avg("FedCav", tff_weights.build_fed_cav)
    yield "fed_nova", beside_fed_avg("FedNova", tff_weights.build_fed_nova, tolerance=1e-4)
    yield (
        "fed_veca",
        beside_fed_avg(
            "FedVeca",
            tff_weights.build_fed_veca,
            most=1.5,
            # As many as its server sets at most. From the third round on the server would change
            # them: the second round is repeated instead.
            workload=dataclasses.replace(_MLR, epochs=None, steps=50),
            fixed=("epochs", "steps"),
            shuffle=True,
            most_rounds=1,
        ),
    )
    yield (
        "scaffold",
        beside_fed_avg("SCAFFOLD", tff_weights.build_scaffold, tolerance=1e-4),
    )
    yield (
        "trained_alone",
        beside_fed_avg("Clients trained alone", tff_weights.build_trained_alone),
    )
    yield (
        "scaffold_cnn",
        Case(
            title="SCAFFOLD beside our FedAvg, FedAdp's CNN with 1,663,370 parameters",
            workload=Workload(clients=10, examples=600, epochs=1, batch_size=32, population=1_000),
            build_task=tasks.convolutional_network,
            subject=contenders.algorithm(tff_weights.build_scaffold),
            reference=contenders.fed_avg,
            target=Target(Quantity.TIMES_AS_LONG, 1.15),
            tolerance=1e-2,
            checked_steps=5,
        ),
    )
    yield (
        "centralized_sgd",
        beside_fed_avg(
            "Centralized SGD",
            tff_weights.build_centralized_sgd,
            workload=dataclasses.replace(_MLR, clients=1, examples=6000),
            tolerance=1e-4,
        ),
    )
