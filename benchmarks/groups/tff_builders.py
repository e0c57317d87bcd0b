"""TFF's own builders inside the program beside the same on TFF's worker."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import tensorflow as tf
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


def _personalization(setting: contenders.Setting) -> contenders.Contender:
    """Each client trains the model on its batches, and evaluates it before and after."""
    model = setting.task.build_model(0)

    @tf.function
    def evaluate(model: Any, dataset: tf.data.Dataset) -> Any:
        losses = dataset.batch(setting.workload.batch_size).reduce(
            0.0, lambda total, batch: total + model.forward_pass(batch, training=False).loss
        )
        return collections.OrderedDict(sum_of_losses=losses)

    @tf.function
    def train(model: Any, dataset: tf.data.Dataset, test: tf.data.Dataset) -> Any:
        for batch in dataset.batch(setting.workload.batch_size):
            with tf.GradientTape() as tape:
                loss = model.forward_pass(batch, training=True).loss
            variables = model.trainable_variables
            for variable, gradient in zip(variables, tape.gradient(loss, variables)):
                variable.assign_sub(0.01 * gradient)
        return evaluate(model, test)

    compute = _learning.build_personalization_eval_computation(
        lambda: tff.learning.models.model_from_functional(model),
        collections.OrderedDict(trained=lambda: train),
        evaluate,
        max_num_clients=setting.workload.clients,
    )
    weights = tff.learning.models.ModelWeights(*model.initial_weights)
    cohort = [
        collections.OrderedDict(train_data=dataset, test_data=dataset)
        for dataset in map(tf.data.Dataset.from_tensor_slices, setting.cohort().values())
    ]
    return contenders.Contender("tff", lambda: compute(weights, cohort))


def _case(
    words: str,
    contender: contenders.BuildContender,
    *,
    build_task: Callable[[Workload], Task] = tasks.logistic_regression,
    workload: Workload = _SMALL,
    tolerance: float | None = 1e-4,
) -> Case:
    return Case(
        f"TFF's {words} inside the program beside TFF's worker",
        workload,
        build_task,
        contender,
        contender,
        Quantity.TIMES_AS_LONG,
        1.0,
        limits_processor=True,
        on_tffs_worker=True,
        tolerance=tolerance,
    )


def _process_case(words: str, build: contenders.BuildProcess, **others: Any) -> Case:
    return _case(words, contenders.tff_process(build), **others)


CASES = {
    "fed_avg_dense": _process_case("FedAvg, logistic regression,", _fed_avg()),
    "fed_avg_cnn": _process_case(
        "FedAvg, FedAdp's CNN,",
        _fed_avg(),
        build_task=tasks.convolutional_network,
        workload=Workload(clients=2, examples=100, epochs=1, batch_size=10),
        tolerance=1e-2,
    ),
    "fed_avg_lstm": _process_case(
        "FedAvg, the LSTM of Sent140,",
        _fed_avg(),
        build_task=tasks.sent140_lstm,
        workload=Workload(clients=2, examples=100, epochs=1, batch_size=10),
    ),
    "fed_prox": _process_case(
        "FedProx",
        lambda model: _learning.build_weighted_fed_prox(
            model, proximal_strength=1.0, client_optimizer_fn=_sgd
        ),
    ),
    "mime_lite": _process_case(
        "Mime lite",
        lambda model: _learning.build_weighted_mime_lite(
            model, base_optimizer=tff.learning.optimizers.build_sgdm(0.01, momentum=0.9)
        ),
    ),
    "robust": _process_case("FedAvg with clipping", _fed_avg(tff.learning.robust_aggregator)),
    "secure": _process_case("FedAvg with secure sums", _fed_avg(tff.learning.secure_aggregator)),
    "private": _process_case(
        "FedAvg with differential privacy",
        lambda model: _learning.build_unweighted_fed_avg(
            model,
            client_optimizer_fn=_sgd,
            model_aggregator=tff.learning.dp_aggregator(0.1, _SMALL.clients),
        ),
        tolerance=None,  # Noise.
    ),
    "personalization": _case("personalization", _personalization, tolerance=None),
    "k_means": _case(
        "k-means",
        contenders.tff_process(
            lambda _: _learning.build_fed_kmeans(10, (60,), random_seed=(1, 2)),
            of_example=lambda example: example["x"],
        ),
        tolerance=None,
    ),
}
