"""Power-of-Choice's cohorts: those candidates of a round with the largest losses."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.runs.client_sampling import Cohorts, build_client_sampling, refuse_unused
from experiments.runs.configure import ResolvedRun
from experiments.runs.task_evaluation import pooled_examples
from leaf_data.client_data import num_examples_per_client
from leaf_data.tasks import Task
from tff_weights import build_own_model_evaluation
from tff_weights.algorithms.power_of_choice import largest_losses


def power_of_choice(run: ResolvedRun, task: Task) -> Cohorts:
    """Returns the cohorts of a run, see `build_power_of_choice`.

    Candidates are drawn by the run's `client_sampling`, from its seed and the round's number; their
    losses are those of the state's global model on all their training examples.

    Raises:
        ValueError: If there are fewer candidates than clients of a round, or more than can be
            drawn, or the run has an attack, whose attacker must be known before.
    """
    configuration = run.configuration
    refuse_unused(configuration, attack_round=None, lengthened_at=None)
    num_candidates = int(configuration.hyperparameters["num_candidates"])
    num_examples = num_examples_per_client(task.dataset.train)
    most = int(np.count_nonzero(num_examples))
    if not configuration.clients_per_round <= num_candidates <= most:
        raise ValueError(
            f"num_candidates must be from clients_per_round={configuration.clients_per_round} to "
            f"the number of clients with examples, {most}, got {num_candidates}"
        )
    draw = build_client_sampling(
        configuration.client_sampling,
        num_examples,
        clients_per_round=num_candidates,
        seed=configuration.seeds.sampling,
    )
    losses_of = functools.cache(lambda: _losses(task, num_examples))

    def cohort(round_number: int, state: Any) -> list[int]:
        candidates = draw(round_number)
        losses = losses_of()(state.global_model_weights, candidates)
        return largest_losses(candidates, losses, num_chosen=configuration.clients_per_round)

    return cohort


def _losses(
    task: Task, num_examples: npt.NDArray[np.int64]
) -> Callable[[Any, list[int]], npt.NDArray[np.float64]]:
    """Returns the function from weights and clients' indices to their losses."""
    train = task.dataset.train
    evaluate = build_own_model_evaluation(
        task.build_model(0), pooled_examples(train, train.client_ids), num_examples, metrics=[]
    )
    calls = itertools.count()

    def losses_of(weights: Any, candidates: list[int]) -> npt.NDArray[np.float64]:
        versions = np.full(len(num_examples), None)
        versions[candidates] = next(calls)
        losses = evaluate(lambda _: weights, versions).losses
        assert losses is not None
        return losses[candidates]

    return losses_of
