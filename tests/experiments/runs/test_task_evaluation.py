from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from experiments.runs.task_evaluation import TaskEvaluation, choose_evaluated_clients
from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import FederatedDataset
from tff_weights import FairnessStatistics, PerClientEvaluation


def test_metrics_are_percentages_and_losses():
    train = PerClientEvaluation(0.5, np.array([0.2, 0.4]), np.array([5, 5]))
    test = PerClientEvaluation(0.75, np.array([0.0, 1.0]), np.array([1, 3]))
    metrics = TaskEvaluation(["a", "b"], lambda: train, test).metrics()
    assert metrics["train_loss"] == 0.5
    assert metrics["train_average"] == pytest.approx(30.0)
    assert metrics["test_loss"] == 0.75
    assert metrics["test_average"] == 50.0
    assert metrics["test_weighted_average"] == 75.0
    assert metrics["test_variance"] == 2500.0
    names = {f"test_{field.name}" for field in dataclasses.fields(FairnessStatistics)}
    assert set(metrics) == {"train_loss", "train_average", "test_loss", *names}


def test_metrics_of_a_regression_are_losses_and_errors():
    """Of two clients the worse one is the worst 20 %: the larger error, and the smaller R²."""
    found = {"mean_absolute_error": np.array([0.5, 1.0]), "r2_score": np.array([0.25, 0.75])}
    nobody_knows = np.full(2, np.nan)
    both = PerClientEvaluation(
        2.5, nobody_knows, np.array([1, 3]), losses=np.array([1.0, 3.0]), metrics=found
    )
    smaller_is_better = {"mean_absolute_error": True, "r2_score": False}
    metrics = TaskEvaluation(["a", "b"], lambda: both, both, smaller_is_better).metrics()
    assert (metrics["train_loss"], metrics["test_loss"]) == (2.5, 2.5)
    assert metrics["test_loss_average"] == 2.0
    assert metrics["test_loss_weighted_average"] == 2.5
    assert metrics["test_mean_absolute_error_worst_20"] == 1.0
    assert metrics["test_r2_score_worst_20"] == 0.25
    assert not any("accuracy" in name or name == "test_average" for name in metrics)


def test_the_evaluated_clients_are_drawn_once_from_those_with_test_examples():
    """Ten clients; those of odd index have test examples."""
    train = ArrayClientData({str(index): {"y": [0]} for index in range(10)})
    test = ArrayClientData({str(index): {"y": np.zeros(index % 2, int)} for index in range(10)})
    dataset = FederatedDataset(name="ten", train=train, test=test)
    assert choose_evaluated_clients(dataset, num_clients=None, seed=0) == dataset.client_ids
    draws = [choose_evaluated_clients(dataset, num_clients=3, seed=seed) for seed in range(20)]

    assert draws[0] == choose_evaluated_clients(dataset, num_clients=3, seed=0)
    assert all(len(set(draw)) == 3 and draw == sorted(draw) for draw in draws)
    assert set().union(*draws) == {"1", "3", "5", "7", "9"}
    with pytest.raises(ValueError, match="clients_per_evaluation .* 5, got 6"):
        choose_evaluated_clients(dataset, num_clients=6, seed=0)
