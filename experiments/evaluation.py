"""The evaluation of a task's model on all clients, and its names in the tables."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from leaf_data.client_data import ArrayClientData, client_examples, num_examples_per_client
from leaf_data.tasks import Task
from tff_weights import PerClientEvaluation, build_per_client_evaluation, fairness_statistics


@dataclasses.dataclass(frozen=True)
class TaskEvaluation:
    """The global model on every client's two splits.

    Attributes:
        train: The training examples of all clients.
        test: The test examples of all clients.
    """

    train: PerClientEvaluation
    test: PerClientEvaluation

    def metrics(self) -> collections.OrderedDict[str, float]:
        """Returns the scalars of a round's row.

        They are `train_loss` and `test_loss`, means over all examples; `train_average`, the mean
        over clients of their training accuracy; and `test_` with every name of
        `FairnessStatistics`, in percent.
        """
        train = fairness_statistics(self.train.accuracies, self.train.num_examples)
        test = dataclasses.asdict(fairness_statistics(self.test.accuracies, self.test.num_examples))
        return collections.OrderedDict(
            train_loss=self.train.loss,
            train_average=train.average,
            test_loss=self.test.loss,
            **{f"test_{name}": value for name, value in test.items()},
        )


def build_task_evaluation(
    task: Task,
) -> Callable[[tff.learning.models.ModelWeights], TaskEvaluation]:
    """Builds the function that evaluates a model's weights on all clients of a task."""
    # Only the model's function is used: the weights come with each call.
    model = task.build_model(0)
    evaluate_train, evaluate_test = (
        build_per_client_evaluation(
            model,
            pooled_examples(client_data),
            num_examples_per_client(client_data),
            correct_fn=task.correct_fn,
        )
        for client_data in (task.dataset.train, task.dataset.test)
    )
    return lambda weights: TaskEvaluation(evaluate_train(weights), evaluate_test(weights))


def pooled_examples(client_data: tff.simulation.datasets.ClientData) -> Any:
    """Returns the examples of all clients by field, one client after the other."""
    if isinstance(client_data, ArrayClientData):
        return client_data.arrays
    per_client = [client_examples(client_data, client_id) for client_id in client_data.client_ids]
    return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *per_client)
