"""The process that a run's algorithm builds, and what it sends."""

from __future__ import annotations

import functools
import inspect
import pathlib
from typing import Any

import tensorflow_federated as tff

import tff_weights
from experiments.declaration.algorithm import NOTHING_SENT
from experiments.runs.configure import ResolvedRun
from leaf_data.tasks import Task


def build_process(
    run: ResolvedRun, task: Task, *, store_dir: pathlib.Path, attacker_index: int | None = None
) -> tff.learning.templates.LearningProcess:
    """Builds the algorithm of a run for a task, which is its data set and model.

    The clients keep their own tensors in `store_dir`. The client of `attacker_index` replaces the
    model in the run's `attack_round`.

    Raises:
        ValueError: If a hyperparameter is out of range, or the algorithm knows no attack.
    """
    configuration, build = run.configuration, run.algorithm.part("builder")
    arguments = inspect.signature(build).parameters
    of_the_task: dict[str, Any] = {
        "num_clients": task.dataset.num_clients,
        "clients_per_round": configuration.clients_per_round,
        "sampling_seed": configuration.seeds.sampling,
        "store_dir": store_dir,
        "variates_dir": store_dir,
        "correct_fn": task.correct_fn,
    }
    if configuration.attack_round is not None:
        if "wrap_client_work" not in arguments:
            raise ValueError(f"attack_round is not used by {configuration.algorithm}")
        of_the_task["wrap_client_work"] = functools.partial(
            tff_weights.with_model_replacement,
            attack_round=configuration.attack_round - 1,
            attacker_index=attacker_index,
        )
    return build(
        task.build_model(configuration.seeds.model),
        local_training=run.algorithm.part("data").local_training(configuration, task),
        **{name: value for name, value in of_the_task.items() if name in arguments},
        **configuration.hyperparameters,
    )


def bytes_per_client(
    run: ResolvedRun, process: tff.learning.templates.LearningProcess
) -> dict[str, int]:
    """Returns what a client of the cohort receives and sends per round, in bytes.

    `bytes_down_per_client` and `bytes_up_per_client` are by this implementation, counted from its
    types; `paper_bytes_...` are by the protocol of the algorithm's paper.
    """
    configuration, protocol = run.configuration, run.algorithm.protocol
    here = tff_weights.Communication(bytes_down=0, bytes_up=0)
    if protocol != NOTHING_SENT:
        cohort = configuration.clients_per_round
        here = tff_weights.communication(process, clients_per_round=cohort)
    if callable(protocol):
        protocol = protocol(configuration.hyperparameters)
    paper = tff_weights.communication_by_protocol(process, protocol)
    return {
        "bytes_down_per_client": here.bytes_down,
        "bytes_up_per_client": here.bytes_up,
        "paper_bytes_down_per_client": paper.bytes_down,
        "paper_bytes_up_per_client": paper.bytes_up,
    }
