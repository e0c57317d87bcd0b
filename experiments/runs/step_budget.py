"""The step budget: a baseline takes as many local steps as FedVeca, whose server sets them.

Luo et al., FedVeca, IEEE TPDS 2024, section V-A1: FedVeca runs first, and takes `τ_all` local steps
in all. Centralized SGD takes `τ_all` steps. In every round of any other baseline client `i` takes
`τ_i = ⌊E_avg n_i / B⌋`, with `E_avg = τ_all B / (K_rounds D)`.
"""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any

from experiments.papers import catalogue
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import ResolvedRun
from experiments.runs.options import options
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import RunDirectory

# The columns that a record needs for its budget.
COLUMNS = ("aggregator/cohort/reports/num_steps", "aggregator/cohort/reports/num_examples")


@dataclasses.dataclass(frozen=True)
class StepBudget:
    """What a finished run took.

    Attributes:
        leader: The run.
        num_rounds: Its rounds.
        num_steps: `τ_all`, the local steps of all clients in all rounds, including rejected rounds.
        num_examples: The training examples of all clients that took part, summed over all rounds:
            `K_rounds D` where all take part.
    """

    leader: ResolvedRun
    num_rounds: int
    num_steps: int
    num_examples: int

    @property
    def average_epochs(self) -> float:
        """`E_avg`, never a whole number, so that `⌊E_avg n_i / B⌋` steps are always taken."""
        epochs = self.num_steps * self.leader.configuration.batch_size / self.num_examples
        return math.nextafter(epochs, math.inf) if epochs == int(epochs) else epochs

    def apply(self, run: ResolvedRun) -> ResolvedRun:
        """Returns a baseline with the steps of this budget.

        Raises:
            ValueError: If its own server sets its steps, or if it differs from the other run where
                both must agree; the message names the setting.
        """
        if run.algorithm.gives_step_budget:
            raise ValueError(
                f"step_budget_of is not used by {run.configuration.algorithm}, which sets its own"
            )
        theirs = shared_settings(self.leader.configuration)
        for name, ours in shared_settings(run.configuration).items():
            if ours != theirs[name]:
                raise ValueError(
                    f"step_budget_of: {name} is {ours!r} here and {theirs[name]!r} there; a step "
                    "budget is for the same"
                )
        steps = run.algorithm.part("data").with_step_budget(
            run.configuration,
            steps_per_round=self.num_steps / self.num_rounds,
            average_epochs=self.average_epochs,
        )
        return run.with_settings(**steps)


def step_budget(record: RunRecord) -> StepBudget:
    """Returns how many steps a finished run took.

    Raises:
        ValueError: If its algorithm sets no steps, its target ended it, or no client took part.
    """
    if not record.resolved.algorithm.gives_step_budget:
        givers = [name for name, each in catalogue.algorithms().items() if each.gives_step_budget]
        got = record.resolved.configuration.algorithm
        raise ValueError(f"it must be a run of {', '.join(givers)}, got one of {got}")
    if record.ended_early:
        raise ValueError("its target accuracy ended it, so it has not the steps of all its rounds")
    num_steps, num_examples = (
        sum(int(row.sum()) for row in record.per_participant(column)) for column in COLUMNS
    )
    if not num_examples:
        raise ValueError("no client took part in any of its rounds")
    return StepBudget(record.resolved, record.num_rounds, num_steps, num_examples)


def read_step_budget(path: str | os.PathLike[str]) -> StepBudget:
    """Reads how many steps the run in a directory took, or raises `ValueError`."""
    try:
        return step_budget(read_record(RunDirectory(path)))
    except ValueError as error:
        raise ValueError(f"step_budget_of: {path}: {error}") from error


def shared_settings(configuration: RunConfiguration) -> dict[str, Any]:
    """Returns what both runs must have in common, so that equal steps are equal training."""
    return {
        "dataset": configuration.dataset,
        "dataset_options": configuration.dataset_options,
        **{
            name: getattr(owner, name.removesuffix(said.suffix))
            for owner in (configuration, configuration.seeds)
            for name, said in options(type(owner)).items()
            if said.of_a_budget
        },
    }
