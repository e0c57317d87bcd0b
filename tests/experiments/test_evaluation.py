from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import tensorflow_federated as tff

from experiments.evaluation import TaskEvaluation, build_task_evaluation, pooled_examples
from leaf_data.tasks import load_task
from tff_weights import FairnessStatistics, PerClientEvaluation


def test_metrics_are_percentages_and_losses():
    train = PerClientEvaluation(0.5, np.array([0.2, 0.4]), np.array([5, 5]))
    test = PerClientEvaluation(0.75, np.array([0.0, 1.0]), np.array([1, 3]))
    metrics = TaskEvaluation(train, test).metrics()
    assert metrics["train_loss"] == 0.5
    assert metrics["train_average"] == pytest.approx(30.0)
    assert metrics["test_loss"] == 0.75
    assert metrics["test_average"] == 50.0
    assert metrics["test_weighted_average"] == 75.0
    assert metrics["test_variance"] == 2500.0
    names = {f"test_{field.name}" for field in dataclasses.fields(FairnessStatistics)}
    assert set(metrics) == {"train_loss", "train_average", "test_loss", *names}


def test_every_client_is_evaluated_on_its_own_examples():
    task = load_task("synthetic_1_1")
    weights = task.build_model(3).initial_weights
    evaluation = build_task_evaluation(task)(tff.learning.models.ModelWeights(*weights))
    (kernel, bias), _ = weights
    for split, measured in (
        (task.dataset.train, evaluation.train),
        (task.dataset.test, evaluation.test),
    ):
        for index, client_id in enumerate(task.dataset.client_ids):
            examples = split.examples(client_id)
            right = np.argmax(examples["x"] @ kernel + bias, axis=1) == examples["y"]
            assert measured.accuracies[index] == pytest.approx(right.mean())
            assert measured.num_examples[index] == len(right)


def test_pooled_examples_follow_the_clients_order():
    train = load_task("synthetic_1_1").dataset.train
    pooled = pooled_examples(train)
    first = train.examples(train.client_ids[0])["y"]
    last = train.examples(train.client_ids[-1])["y"]
    np.testing.assert_array_equal(pooled["y"][: len(first)], first)
    np.testing.assert_array_equal(pooled["y"][-len(last) :], last)
