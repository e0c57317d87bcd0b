"""The benchmark's cases: which two processes train the same task, as data."""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow_federated as tff

import tff_weights
from leaf_data import models
from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.models import classification
from leaf_data.tasks import Task

_LEARNING_RATE = 0.01


@dataclasses.dataclass(frozen=True)
class Workload:
    """The size of one round; every number is at least 1.

    Attributes:
        clients: Clients in the cohort.
        examples: Examples of each client.
        epochs: Local epochs.
        batch_size: Examples per local step.
    """

    clients: int
    examples: int
    epochs: int
    batch_size: int

    def __post_init__(self) -> None:
        """Checks the range of every number.

        Raises:
            ValueError: If one is less than 1.
        """
        for field in dataclasses.fields(self):
            if getattr(self, field.name) < 1:
                raise ValueError(
                    f"{field.name} must be an integer >= 1, got {getattr(self, field.name)!r}"
                )

    @property
    def local_steps(self) -> int:
        """The steps of all clients together."""
        return self.clients * self.epochs * -(-self.examples // self.batch_size)


@dataclasses.dataclass(frozen=True)
class Contender:
    """A process with the cohort that it trains on.

    Attributes:
        label: As the table names it.
        process: The process.
        cohort: The clients' data, as the process takes it.
    """

    label: str
    process: tff.learning.templates.LearningProcess
    cohort: list[Any]


@dataclasses.dataclass(frozen=True)
class Case:
    """Two contenders on one task.

    Attributes:
        title: One line.
        workload: The usual size.
        build_task: From the workload to the clients and the model.
        subject: Builds the contender that is measured. Neither contender shuffles, so that both do
            the same work.
        reference: Builds the one it is compared with.
        tolerance: How far their models' weights may be apart after one round; None where they
            compute different things.
    """

    title: str
    workload: Workload
    build_task: Callable[[Workload], Task]
    subject: Callable[[Task, Workload], Contender]
    reference: Callable[[Task, Workload], Contender]
    tolerance: float | None


def _logistic_regression_task(workload: Workload) -> Task:
    """MLR with the synthetic data sets' 60 features and 10 classes, on noise."""
    num_features, num_classes = 60, 10
    generator = np.random.default_rng(0)
    clients = ArrayClientData(
        {
            f"client_{index}": collections.OrderedDict(
                x=generator.standard_normal((workload.examples, num_features), np.float32),
                y=generator.integers(num_classes, size=workload.examples, dtype=np.int32),
            )
            for index in range(workload.clients)
        }
    )
    return Task(
        name="noise",
        dataset=FederatedDataset("noise", train=clients, test=clients, num_classes=num_classes),
        build_model=lambda seed: models.logistic_regression(
            num_features=num_features, num_classes=num_classes, seed=seed
        ),
        correct_fn=classification.correct,
        compile_with_xla=True,
    )


def _local_training(task: Task, workload: Workload) -> tff_weights.LocalTraining:
    return tff_weights.LocalTraining(
        learning_rate=_LEARNING_RATE,
        batch_size=workload.batch_size,
        epochs=workload.epochs,
        shuffle=False,
        compile_with_xla=task.compile_with_xla,
    )


def _tff_weights_fed_avg(task: Task, workload: Workload) -> Contender:
    train = task.dataset.train
    return Contender(
        label="tff_weights.build_fed_avg",
        process=tff_weights.build_fed_avg(
            task.build_model(0),
            local_training=_local_training(task, workload),
        ),
        cohort=[
            tff_weights.client_data(index, train.create_tf_dataset_for_client(client_id))
            for index, client_id in enumerate(train.client_ids)
        ],
    )


def _algorithm(
    name: str, build: Callable[..., tff.learning.templates.LearningProcess], **settings: Any
) -> Callable[[Task, Workload], Contender]:
    """Returns the builder of one of the other algorithms as a contender."""

    def build_contender(task: Task, workload: Workload) -> Contender:
        of_the_task = {"num_clients": task.dataset.num_clients}
        wanted = inspect.signature(build).parameters
        fed_avg = _tff_weights_fed_avg(task, workload)
        process = build(
            task.build_model(0),
            local_training=_local_training(task, workload),
            **{key: value for key, value in of_the_task.items() if key in wanted},
            **settings,
        )
        return Contender(label=name, process=process, cohort=fed_avg.cohort)

    return build_contender


def _tff_fed_avg(task: Task, workload: Workload) -> Contender:
    train = task.dataset.train
    return Contender(
        label="tff build_weighted_fed_avg",
        process=tff.learning.algorithms.build_weighted_fed_avg(
            task.build_model(0),
            client_optimizer_fn=tff.learning.optimizers.build_sgdm(_LEARNING_RATE),
        ),
        cohort=[
            train.create_tf_dataset_for_client(client_id)
            .batch(workload.batch_size)
            .repeat(workload.epochs)
            for client_id in train.client_ids
        ],
    )


_beside_tff = functools.partial(
    Case, subject=_tff_weights_fed_avg, reference=_tff_fed_avg, tolerance=1e-5
)

_SMALL = Workload(clients=10, examples=600, epochs=20, batch_size=10)


def _beside_fed_avg(
    name: str, build: Callable[..., tff.learning.templates.LearningProcess], **settings: Any
) -> Case:
    return Case(
        title=f"{name} beside our FedAvg, logistic regression",
        workload=_SMALL,
        build_task=_logistic_regression_task,
        subject=_algorithm(name, build, **settings),
        reference=_tff_weights_fed_avg,
        tolerance=None,
    )


CASES: Mapping[str, Case] = {
    "logistic_regression": _beside_tff(
        title="FedAvg beside TFF's own, logistic regression",
        workload=_SMALL,
        build_task=_logistic_regression_task,
    ),
    "fed_prox": _beside_fed_avg("FedProx", tff_weights.build_fed_prox, proximal_strength=1.0),
    "q_fed_avg": _beside_fed_avg("q-FedAvg", tff_weights.build_q_fed_avg),
    "fed_fa": _beside_fed_avg("FedFa", tff_weights.build_fed_fa),
    "fed_adp": _beside_fed_avg("FedAdp", tff_weights.build_fed_adp),
    "wei_avg": _beside_fed_avg("WeiAvg", tff_weights.build_wei_avg),
    "fed_cav": _beside_fed_avg("FedCav", tff_weights.build_fed_cav),
    "fed_nova": _beside_fed_avg("FedNova", tff_weights.build_fed_nova),
}
