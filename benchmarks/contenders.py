"""The contenders: what does a case's work over and over, built for one setting."""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

import tff_weights
from benchmarks.workload import Workload
from leaf_data.client_data import client_examples
from leaf_data.tasks import Task

_LEARNING_RATE = 0.01


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
        weights: Returns the model's present trainable weights; none where nothing is trained.
    """

    label: str
    run_round: Callable[[], None]
    weights: Callable[[], Any] = tuple


BuildContender = Callable[[Setting], Contender]
BuildProcess = Callable[
    [tff.learning.models.FunctionalModel], tff.learning.templates.LearningProcess
]


def algorithm(
    build: Callable[..., tff.learning.templates.LearningProcess],
    *,
    shuffle: bool = False,
    fresh_batches: bool = False,
    most_rounds: int | None = None,
    **settings: Any,
) -> BuildContender:
    """Returns the builder of one of this library's algorithms as a contender.

    Args:
        build: The algorithm's builder.
        shuffle: Whether it must shuffle.
        fresh_batches: Whether every step draws a mini-batch.
        most_rounds: After so many rounds the state stays as it is, where an algorithm would
            otherwise change the work of its rounds; None for no limit.
        **settings: The algorithm's hyperparameters.
    """

    def build_contender(setting: Setting) -> Contender:
        of_the_setting = {
            "num_clients": setting.workload.num_clients,
            "store_dir": setting.directory,
            "variates_dir": setting.directory,
            "correct_fn": setting.task.correct_fn,
        }
        wanted = inspect.signature(build).parameters
        local_training = tff_weights.LocalTraining(
            learning_rate=_LEARNING_RATE,
            batch_size=setting.workload.batch_size,
            epochs=setting.workload.epochs,
            steps=setting.workload.steps,
            shuffle=shuffle,
            fresh_batches=fresh_batches,
            compile_with_xla=setting.task.compile_with_xla,
        )
        build_process = functools.partial(
            build,
            setting.task.build_model(0),
            local_training=local_training,
            **{key: value for key, value in of_the_setting.items() if key in wanted},
            **settings,
        )
        cohort = [
            tff_weights.client_data(index, tf.data.Dataset.from_tensor_slices(examples))
            for index, examples in setting.cohort().items()
        ]
        label = f"tff_weights.{build.__name__}"
        return _rounds(label, build_process(), cohort, most_rounds=most_rounds)

    return build_contender


fed_avg = algorithm(tff_weights.build_fed_avg)


def tff_process(
    build: BuildProcess, *, of_example: Callable[[Any], Any] | None = None
) -> BuildContender:
    """Returns the builder of a learning process of TFF's own as a contender, on the same batches.

    Args:
        build: From the model to the process.
        of_example: The clients have what this makes of each example, which is not batched, instead.
    """

    def build_contender(setting: Setting) -> Contender:
        workload = setting.workload
        datasets = map(tf.data.Dataset.from_tensor_slices, setting.cohort().values())
        if of_example is not None:
            cohort = [dataset.map(of_example).repeat(workload.epochs) for dataset in datasets]
        else:
            cohort = [
                dataset.batch(workload.batch_size)
                .repeat(workload.epochs)
                .take(workload.client_steps)
                for dataset in datasets
            ]
        return _rounds("tff", build(setting.task.build_model(0)), cohort)

    return build_contender


def from_the_start(build: BuildContender) -> BuildContender:
    """Returns a contender whose every round is the first of one that is built for it."""

    def build_contender(setting: Setting) -> Contender:
        latest = build(setting)

        def run_round() -> None:
            nonlocal latest
            latest = build(setting)
            latest.run_round()

        return Contender(latest.label, run_round, lambda: latest.weights())

    return build_contender


def _build_tff_fed_avg(
    model: tff.learning.models.FunctionalModel,
) -> tff.learning.templates.LearningProcess:
    return tff.learning.algorithms.build_weighted_fed_avg(
        model, client_optimizer_fn=tff.learning.optimizers.build_sgdm(_LEARNING_RATE)
    )


tff_fed_avg = tff_process(_build_tff_fed_avg)


def bare_loop(setting: Setting) -> Contender:
    """The same local steps in a loop that shares model and optimizer with the others, and no more.

    It trains one client after the other from the same weights, and takes the mean.
    """
    model = setting.task.build_model(0)
    workload = setting.workload
    optimizer = tff.learning.optimizers.build_sgdm(_LEARNING_RATE)
    clients = [
        tf.nest.map_structure(tf.constant, examples) for examples in setting.cohort().values()
    ]
    weights, fixed = tf.nest.map_structure(tf.convert_to_tensor, model.initial_weights)

    @tf.function(autograph=False)
    def train(weights: Any, examples: Any) -> Any:
        def take_step(step: tf.Tensor, weights: Any, state: Any) -> Any:
            start = step % workload.steps_per_epoch * workload.batch_size
            batch = tf.nest.map_structure(
                lambda tensor: tensor[start : start + workload.batch_size], examples
            )
            with tf.GradientTape() as tape:
                tape.watch(weights)
                output = model.predict_on_batch((weights, fixed), batch["x"], training=True)
                loss = model.loss(output, batch["y"])
            state, weights = optimizer.next(state, weights, tape.gradient(loss, weights))
            return step + 1, weights, state

        state = optimizer.initialize(tf.nest.map_structure(tf.TensorSpec.from_tensor, weights))
        _, weights, _ = tf.while_loop(
            lambda step, *_: step < workload.client_steps,
            take_step,
            (tf.constant(0), weights, state),
        )
        return weights

    def run_round() -> None:
        nonlocal weights
        trained = [train(weights, examples) for examples in clients]
        weights = tf.nest.map_structure(
            lambda *tensors: tf.constant(np.mean([each.numpy() for each in tensors], axis=0)),
            *trained,
        )

    return Contender("a bare tf.function loop", run_round, lambda: weights)


def per_client_evaluation(setting: Setting) -> Contender:
    """The evaluation of a model on all clients, the workload's batches at a time."""
    train = setting.task.dataset.train
    model = setting.task.build_model(0)
    evaluate = tff_weights.build_per_client_evaluation(
        model,
        train.arrays,
        train.num_examples,
        correct_fn=setting.task.correct_fn,
        batch_size=setting.workload.batch_size,
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
    state = process.initialize()
    rounds_done = 0

    def run_round() -> None:
        nonlocal state, rounds_done
        next_state = process.next(state, cohort).state
        if most_rounds is None or rounds_done < most_rounds:
            state = next_state
        rounds_done += 1

    return Contender(label, run_round, lambda: process.get_model_weights(state).trainable)
