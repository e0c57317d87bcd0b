"""The process that the algorithm of a run builds."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import pathlib
from typing import Any

import numpy as np
import tensorflow_federated as tff

import tff_weights
from experiments.runs.configuration import RunConfiguration
from experiments.runs.resolution import algorithm, hyperparameter_defaults
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import Task


def build_process(
    configuration: RunConfiguration,
    task: Task,
    *,
    variates_dir: pathlib.Path,
    attacker_index: int | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds the algorithm of a configuration for a task.

    Args:
        configuration: Names the algorithm and its parameters.
        task: The data set and the model.
        variates_dir: Where the clients keep what belongs to them alone, if they do.
        attacker_index: The client that replaces the model in `configuration.attack_round`.

    Raises:
        ValueError: If the algorithm is unknown, or a hyperparameter is unknown or out of range.
    """
    build = algorithm(configuration.algorithm).build
    known = hyperparameter_defaults(configuration.algorithm)
    for name in configuration.hyperparameters:
        if name not in known:
            raise ValueError(
                f"{name} is not a hyperparameter of {configuration.algorithm}, which has "
                f"{sorted(known)}"
            )
    of_the_task: dict[str, Any] = {
        "num_clients": task.dataset.num_clients,
        "variates_dir": variates_dir,
        "correct_fn": task.correct_fn,
    }
    if configuration.attack_round is not None:
        if "wrap_client_work" not in inspect.signature(build).parameters:
            raise ValueError(f"attack_round is not used by {configuration.algorithm}")
        of_the_task["wrap_client_work"] = functools.partial(
            tff_weights.with_model_replacement,
            attack_round=configuration.attack_round - 1,
            attacker_index=attacker_index,
        )
    arguments = inspect.signature(build).parameters
    return build(
        task.build_model(configuration.seeds.model),
        local_training=_local_training(configuration, task),
        **{name: value for name, value in of_the_task.items() if name in arguments},
        **configuration.hyperparameters,
    )


def _local_training(configuration: RunConfiguration, task: Task) -> tff_weights.LocalTraining:
    """Returns the local training; where clients are pooled, of as many steps as a cohort takes."""
    local_training = configuration.local_training(compile_with_xla=task.compile_with_xla)
    pools_clients = algorithm(configuration.algorithm).pools_clients
    if pools_clients and configuration.epochs_per_client is not None:
        raise ValueError(
            f"epochs_per_client is not used by {configuration.algorithm}, which has no clients; "
            "leave it out"
        )
    if not pools_clients or configuration.epochs is None:
        return local_training
    num_examples = num_examples_per_client(task.dataset.train)
    steps_per_epoch = np.mean(np.ceil(num_examples / configuration.batch_size))
    steps = configuration.clients_per_round * configuration.epochs * steps_per_epoch
    return dataclasses.replace(local_training, epochs=None, steps=max(1, round(steps)))
