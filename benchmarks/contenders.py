"""The contenders: what does a case's work over and over, built for one setting."""

from __future__ import annotations

import collections
import dataclasses
import inspect
import pathlib
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

import tff_weights
from benchmarks.workload import Workload
from leaf_data.client_data import client_examples
from leaf_data.tasks import Task

LEARNING_RATE = 0.01


@dataclasses.dataclass(frozen=True)
class Setting:
    """What both contenders of a case are built for.

    Attributes:
        task: The clients and the model.
        workload: The size of a round.
        directory: An empty folder that is removed after the measurement.
    """

    task: Task
    workload: Workload
    directory: pathlib.Path

    def cohort(self) -> collections.OrderedDict[int, Any]:
        """Returns the cohort's examples by the clients' indices, spread over all clients."""
        dataset = self.task.dataset
        stride = self.workload.num_clients // self.workload.clients
        return collections.OrderedDict(
            (index, client_examples(dataset.train, dataset.client_ids[index]))
            for index in range(0, stride * self.workload.clients, stride)
        )


@dataclasses.dataclass(frozen=True)
class Contender:
    """Something that is timed.

    Attributes:
        label: Its name.
        run_round: Does the work once more.
        weights: Returns the model's present trainable weights; None where nothing is trained.
    """

    label: str
    run_round: Callable[[], None]
    weights: Callable[[], Any] | None = None


BuildContender = Callable[[Setting], Contender]
BuildProcess = Callable[[Setting], tff.learning.templates.LearningProcess]


def fed_avg(setting: Setting) -> Contender:
    """This library's FedAvg, without shuffling."""
    return _rounds("tff_weights.build_fed_avg", _fed_avg_process(setting), _our_cohort(setting))


def algorithm(
    build: Callable[..., tff.learning.templates.LearningProcess],
    *,
    shuffle: bool = False,
    most_rounds: int | None = None,
    **settings: Any,
) -> BuildContender:
    """Returns the builder of one of this library's algorithms as a contender.

    Args:
        build: The algorithm's builder.
        shuffle: Whether it must shuffle.
        most_rounds: After so many rounds the state stays as it is, where an algorithm would
            otherwise change the work of its rounds; None for no limit.
        **settings: The algorithm's hyperparameters.
    """

    def build_contender(setting: Setting) -> Contender:
        of_the_setting = {
            "num_clients": setting.workload.num_clients,
            "variates_dir": setting.directory,
            "correct_fn": setting.task.correct_fn,
        }
        wanted = inspect.signature(build).parameters
        process = build(
            setting.task.build_model(0),
            local_training=_local_training(setting, shuffle=shuffle),
            **{key: value for key, value in of_the_setting.items() if key in wanted},
            **settings,
        )
        label = f"tff_weights.{build.__name__}"
        return _rounds(label, process, _our_cohort(setting), most_rounds=most_rounds)

    return build_contender


def tff_fed_avg(setting: Setting) -> Contender:
    """TFF's own FedAvg on the same batches."""
    return _rounds("tff build_weighted_fed_avg", _tff_process(setting), _tff_cohort(setting))


def first_round_of_fed_avg(setting: Setting) -> Contender:
    """Builds this library's FedAvg anew and runs one round."""
    return _builds("tff_weights.build_fed_avg", _fed_avg_process, _our_cohort(setting), setting)


def first_round_of_tff_fed_avg(setting: Setting) -> Contender:
    """Builds TFF's own FedAvg anew and runs one round."""
    return _builds("tff build_weighted_fed_avg", _tff_process, _tff_cohort(setting), setting)


def per_client_evaluation(setting: Setting) -> Contender:
    """The evaluation of a model on all clients, the workload's batches at a time.

    Raises:
        ValueError: If the workload wants more than one pass through the data.
    """
    workload, task = setting.workload, setting.task
    if workload.epochs != 1:
        raise ValueError(f"an evaluation is one epoch, got {workload}")
    model = task.build_model(0)
    evaluate = tff_weights.build_per_client_evaluation(
        model,
        task.dataset.train.arrays,
        task.dataset.train.num_examples,
        correct_fn=task.correct_fn,
        batch_size=workload.batch_size,
    )
    weights = tff.learning.models.ModelWeights(*model.initial_weights)

    def run_round() -> None:
        evaluate(weights)

    return Contender("tff_weights.build_per_client_evaluation", run_round)


def _rounds(
    label: str,
    process: tff.learning.templates.LearningProcess,
    cohort: list[Any],
    *,
    most_rounds: int | None = None,
) -> Contender:
    """Returns a process as a contender: one round after the other."""
    state = process.initialize()  # Also starts the worker, which is not part of the first round.
    rounds_done = 0

    def run_round() -> None:
        nonlocal state, rounds_done
        next_state = process.next(state, cohort).state
        if most_rounds is None or rounds_done < most_rounds:
            state = next_state
        rounds_done += 1

    return Contender(label, run_round, lambda: process.get_model_weights(state).trainable)


def _builds(label: str, build: BuildProcess, cohort: list[Any], setting: Setting) -> Contender:
    """Returns the building of a process and its first round as a contender."""
    trained: list[Any] = []

    def run_round() -> None:
        process = build(setting)
        trained[:] = [process, process.next(process.initialize(), cohort).state]

    def weights() -> Any:
        process, state = trained
        return process.get_model_weights(state).trainable

    return Contender(label, run_round, weights)


def _fed_avg_process(setting: Setting) -> tff.learning.templates.LearningProcess:
    return tff_weights.build_fed_avg(
        setting.task.build_model(0), local_training=_local_training(setting, shuffle=False)
    )


def _tff_process(setting: Setting) -> tff.learning.templates.LearningProcess:
    return tff.learning.algorithms.build_weighted_fed_avg(
        setting.task.build_model(0),
        client_optimizer_fn=tff.learning.optimizers.build_sgdm(LEARNING_RATE),
    )


def _local_training(setting: Setting, *, shuffle: bool) -> tff_weights.LocalTraining:
    return tff_weights.LocalTraining(
        learning_rate=LEARNING_RATE,
        batch_size=setting.workload.batch_size,
        epochs=setting.workload.epochs,
        steps=setting.workload.steps,
        shuffle=shuffle,
        compile_with_xla=setting.task.compile_with_xla,
    )


def _our_cohort(setting: Setting) -> list[Any]:
    return [
        tff_weights.client_data(index, tf.data.Dataset.from_tensor_slices(examples))
        for index, examples in setting.cohort().items()
    ]


def _tff_cohort(setting: Setting) -> list[tf.data.Dataset]:
    workload = setting.workload
    return [
        tf.data.Dataset.from_tensor_slices(examples)
        .batch(workload.batch_size)
        .repeat(workload.epochs)
        .take(workload.client_steps)
        for examples in setting.cohort().values()
    ]
