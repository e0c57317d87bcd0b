"""A method as `compare` takes it: `algorithm:name=value:name=value`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.command_line import settings
from experiments.runs.algorithms import algorithm
from experiments.runs.configuration import RunConfiguration

# The fields of every run that a method may have for itself.
_FIELDS: Mapping[str, type] = {
    "batch_size": int,
    "client_momentum": float,
    "client_sampling": str,
    "clients_per_round": int,
    "epochs": float,
    "learning_rate": float,
    "learning_rate_decay": float,
    "steps": int,
}


def parse(texts: Sequence[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Reads methods.

    Args:
        texts: Each an algorithm, as `catalogue.algorithm` takes it, and after colons what differs
            from its recipe: `fed_avg`, `fed_fa:alpha=1:beta=0`, `my_package:build:sharpness=2`.

    Returns:
        By the label of the table's row the algorithm and its settings.

    Raises:
        ValueError: If there is no such algorithm or setting, a value is not of its kind, or a
            method is there twice.
    """
    methods: dict[str, tuple[str, dict[str, Any]]] = {}
    for text in texts:
        parts = text.split(":")
        num_names = next((n for n, part in enumerate(parts) if "=" in part), len(parts))
        name, given = ":".join(parts[:num_names]), parts[num_names:]
        label = ", ".join([name, *(part.replace("=", " = ") for part in given)])
        if label in methods:
            raise ValueError(f"--algorithms has {text!r} twice; leave one out")
        methods[label] = name, _settings(name, given)
    return methods


def _settings(name: str, given: Sequence[str]) -> dict[str, Any]:
    own = algorithm(name).hyperparameters
    defaults = {field.name: field.default for field in dataclasses.fields(RunConfiguration)}
    return settings.parse(
        "algorithms",
        given,
        {
            **{argument.name: argument.default for argument in own.values()},
            **{field: defaults[field] for field in _FIELDS},
        },
        owner=name,
        kinds={**{argument.name: argument.kind for argument in own.values()}, **_FIELDS},
    )
