"""What the clients of a round train on, and how many steps they take."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from experiments.runs.client_sampling import Cohorts, refuse_unused
from experiments.runs.configuration import IN_LAST_ROUNDS, RunConfiguration
from experiments.runs.task_evaluation import pooled_examples
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import Task
from tff_weights import LocalTraining, client_data
from tff_weights.client_work.local_data import num_local_steps

_ROUNDING = 1e-6


class DataOfClients:
    """Every client of the cohort has its own examples."""

    @staticmethod
    def of_rounds(task: Task, cohort: Cohorts) -> Callable[..., list[Any]]:
        """Returns the function from a round to its clients' data; `cohort` gives their indices."""
        train = task.dataset.train

        @functools.cache
        def data_of(client_index: int) -> Any:
            client_id = task.dataset.client_ids[client_index]
            return client_data(client_index, train.create_tf_dataset_for_client(client_id))

        return lambda *round_: [data_of(index) for index in cohort(*round_)]

    @staticmethod
    def local_training(configuration: RunConfiguration, task: Task) -> LocalTraining:
        """Returns the local training of one of these clients.

        Raises:
            ValueError: If its remaining steps cannot be spread over the rounds, see `spread_steps`.
        """
        local_training = configuration.local_training(compile_with_xla=task.compile_with_xla)
        if configuration.step_remainder != IN_LAST_ROUNDS:
            return local_training
        num_examples = num_examples_per_client(task.dataset.train)
        extra = spread_steps(
            _batches_per_round(configuration, num_examples), rounds=configuration.rounds
        )
        first_rounds = configuration.rounds - extra
        return dataclasses.replace(local_training, extra_step_from=tuple(map(int, first_rounds)))

    @staticmethod
    def with_step_budget(
        configuration: RunConfiguration, *, steps_per_round: float, average_epochs: float
    ) -> dict[str, float | None]:
        """Returns the settings of as many local steps as another run took.

        These are the steps of all clients together, and the average number of passes over their
        examples.
        """
        return {"epochs": average_epochs, "steps": None}


class PooledData:
    """There is one client, and it has the examples of all."""

    @staticmethod
    def of_rounds(task: Task, cohort: Cohorts) -> Callable[..., list[Any]]:
        """Returns the function from a round to the data of its only client."""
        train = task.dataset.train
        examples = pooled_examples(train, train.client_ids)
        everything = client_data(0, tf.data.Dataset.from_tensor_slices(examples))
        return lambda *_: [everything]

    @staticmethod
    def local_training(configuration: RunConfiguration, task: Task) -> LocalTraining:
        """Returns its local training, with as many steps as a cohort takes in those epochs.

        Raises:
            ValueError: If a setting is given that only clients have.
        """
        local_training = configuration.local_training(compile_with_xla=task.compile_with_xla)
        refuse_unused(configuration, epochs_per_client=None, client_sampling="uniform")
        num_examples = num_examples_per_client(task.dataset.train)
        if configuration.step_remainder == IN_LAST_ROUNDS:
            rounds = configuration.rounds
            batches = _batches_per_round(configuration, num_examples).sum()
            steps, extra = divmod(round(rounds * batches), rounds)
            return dataclasses.replace(
                local_training, epochs=None, steps=steps, extra_step_from=(rounds - extra,)
            )
        if configuration.epochs is None:
            return local_training
        of_clients = num_local_steps(local_training, tf.constant(num_examples))
        steps = configuration.clients_per_round * np.mean(of_clients)
        return dataclasses.replace(local_training, epochs=None, steps=max(1, round(steps)))

    @staticmethod
    def with_step_budget(
        configuration: RunConfiguration, *, steps_per_round: float, average_epochs: float
    ) -> dict[str, float | None]:
        """As `DataOfClients.with_step_budget`, up to half a step a round.

        No step is missing if the remainder is taken in the last rounds.
        """
        if configuration.step_remainder == IN_LAST_ROUNDS:
            return {"epochs": average_epochs, "steps": None}
        return {"epochs": None, "steps": max(1, round(steps_per_round))}


def spread_steps(batches: npt.NDArray[np.float64], *, rounds: int) -> npt.NDArray[np.int64]:
    """Returns in how many rounds each client takes one step more than its whole batches.

    FedVeca's baselines take `⌊E_avg n_i / B⌋` steps in a round (section V-A1), which leaves up to
    one step a round and client. With these steps, client `i` takes `rounds · E_avg n_i / B` in all.
    The method of largest remainders rounds these numbers, so that all clients together take exactly
    as many steps as FedVeca's. With equal remainders the smaller index comes first.

    Args:
        batches: `[num_clients]`, each client's `E_avg n_i / B`; it takes the whole ones.
        rounds: How many rounds there are.

    Raises:
        ValueError: If a client has less than one batch, since it takes one step nevertheless.
    """
    if np.any(batches < 1):
        raise ValueError(
            "step_remainder=last_rounds needs at least one step a round for every client, got "
            f"epochs that give one {batches.min():.3g}; use step_remainder=dropped"
        )
    # As in local training: in floating point, a budget of whole steps may be slightly smaller.
    whole = np.floor(batches + _ROUNDING)
    shares = np.maximum(rounds * (batches - whole), 0.0)
    extra = np.floor(shares + _ROUNDING).astype(np.int64)
    missing = round(rounds * batches.sum()) - int(rounds * whole.sum()) - int(extra.sum())
    extra[np.argsort(extra - shares, kind="stable")[:missing]] += 1
    return extra


def _batches_per_round(
    configuration: RunConfiguration, num_examples: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    epochs = configuration.epochs
    if epochs is None or epochs == int(epochs):
        raise ValueError(
            "step_remainder=last_rounds needs epochs that are not whole, as a step budget has "
            f"them, got epochs={epochs} and steps={configuration.steps}"
        )
    if configuration.clients_per_round != len(num_examples):
        raise ValueError(
            "step_remainder=last_rounds needs all clients in every round: clients_per_round "
            f"must be {len(num_examples)}, got {configuration.clients_per_round}"
        )
    return epochs * num_examples / configuration.batch_size
