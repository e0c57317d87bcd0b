"""The rounds of training: as many as the configuration says, or until a target is reached."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

import pandas as pd
import tensorflow_federated as tff

from experiments.runs.configuration import RunConfiguration
from experiments.runs.record import POOLED_ACCURACY


class TargetReachedError(Exception):
    """Ends TFF's training loop, whose number of rounds is fixed; has the last round's state."""


@dataclasses.dataclass(frozen=True)
class TrainingRounds:
    """What TFF's training loop calls. A round's data are its number.

    Attributes:
        select_cohort: From a round's number and the state before it to its clients' data.
        metrics: The table with a row for each round so far. It has the evaluations before an
            interruption, too.
    """

    process: tff.learning.templates.LearningProcess
    select_cohort: Callable[[int, Any], list[Any]]
    configuration: RunConfiguration
    metrics: pathlib.Path

    def initialize(self) -> Any:
        """Returns the state before the first round."""
        return self.process.initialize()

    def next(self, state: Any, round_number: int) -> Any:
        """Trains one round, or raises `TargetReachedError` if the target is reached before it."""
        target = self.configuration.target_accuracy
        if target is not None and round_number > self.configuration.least_rounds:
            accuracies = pd.read_csv(self.metrics, usecols=[POOLED_ACCURACY])[POOLED_ACCURACY]
            if accuracies.max() >= target:
                raise TargetReachedError(state)
        return self.process.next(state, self.select_cohort(round_number, state))
