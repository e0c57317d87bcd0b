"""What the names in a run's configuration stand for, looked up once."""

from __future__ import annotations

import dataclasses
from typing import Any

from experiments.declaration import Algorithm
from experiments.papers import catalogue
from experiments.runs.configuration import RunConfiguration


def algorithm(name: str) -> Algorithm:
    """Returns what is known of an algorithm, one of one's own included.

    Raises:
        ValueError: As `catalogue.algorithm`, or if it is one of one's own with a hyperparameter
            that has the name of a field of every run.
    """
    found = catalogue.algorithm(name)
    for field in dataclasses.fields(RunConfiguration):
        if field.name in found.hyperparameters:
            raise ValueError(
                f"{name} has the hyperparameter {field.name}, which every run has already: take "
                "it from local_training, or call it something else"
            )
    return found


def hyperparameter_defaults(name: str) -> dict[str, Any]:
    """Returns the defaults of an algorithm's own hyperparameters.

    Returns:
        Names with defaults; `inspect.Parameter.empty` where there is no default.

    Raises:
        ValueError: If there is no algorithm of this name.
    """
    known = algorithm(name).hyperparameters
    return {argument.name: argument.default for argument in known.values()}
