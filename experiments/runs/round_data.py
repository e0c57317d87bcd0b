"""What the clients of a round train on, and how many steps they take."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from experiments.runs.configuration import RunConfiguration
from experiments.runs.task_evaluation import pooled_examples
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import Task
from tff_weights import LocalTraining, client_data


class DataOfClients:
    """Every client of the cohort has its own examples."""

    @staticmethod
    def of_rounds(task: Task, cohort: Callable[[int], list[int]]) -> Callable[[int], list[Any]]:
        """Returns the function from a round's number to the data of its clients.

        Args:
            task: The data set and the model.
            cohort: From a round's number to the indices of its clients.
        """
        train = task.dataset.train

        @functools.cache
        def data_of(client_index: int) -> Any:
            client_id = task.dataset.client_ids[client_index]
            return client_data(client_index, train.create_tf_dataset_for_client(client_id))

        return lambda round_number: [data_of(index) for index in cohort(round_number)]

    @staticmethod
    def local_training(configuration: RunConfiguration, task: Task) -> LocalTraining:
        """Returns the local training of one of these clients."""
        return configuration.local_training(compile_with_xla=task.compile_with_xla)

    @staticmethod
    def with_step_budget(
        configuration: RunConfiguration, *, steps_per_round: float, average_epochs: float
    ) -> RunConfiguration:
        """Returns a configuration with as many local steps as another run took.

        Args:
            configuration: The run's.
            steps_per_round: The steps of all clients of the other run together, in a round.
            average_epochs: Their passes over their examples in a round, on average.
        """
        return dataclasses.replace(configuration, epochs=average_epochs, steps=None)


class PooledData:
    """There is one client, and it has the examples of all."""

    @staticmethod
    def of_rounds(task: Task, cohort: Callable[[int], list[int]]) -> Callable[[int], list[Any]]:
        """Returns the function from a round's number to the data of its only client."""
        train = task.dataset.train
        examples = pooled_examples(train, train.client_ids)
        everything = client_data(0, tf.data.Dataset.from_tensor_slices(examples))
        return lambda round_number: [everything]

    @staticmethod
    def local_training(configuration: RunConfiguration, task: Task) -> LocalTraining:
        """Returns its local training: of as many steps as a cohort takes in those epochs.

        Raises:
            ValueError: If the epochs are drawn by client.
        """
        local_training = DataOfClients.local_training(configuration, task)
        if configuration.epochs_per_client is not None:
            raise ValueError(
                f"epochs_per_client is not used by {configuration.algorithm}, which has no "
                "clients; leave it out"
            )
        if configuration.epochs is None:
            return local_training
        num_examples = num_examples_per_client(task.dataset.train)
        steps_per_epoch = np.mean(np.ceil(num_examples / configuration.batch_size))
        steps = configuration.clients_per_round * configuration.epochs * steps_per_epoch
        return dataclasses.replace(local_training, epochs=None, steps=max(1, round(steps)))

    @staticmethod
    def with_step_budget(
        configuration: RunConfiguration, *, steps_per_round: float, average_epochs: float
    ) -> RunConfiguration:
        """As `DataOfClients.with_step_budget`; up to half a step is missing, as steps are whole."""
        steps = max(1, round(steps_per_round))
        return dataclasses.replace(configuration, epochs=None, steps=steps)
