"""A method as `compare` takes it: `algorithm:name=value:name=value`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from absl import flags

from experiments.command_line import settings
from experiments.papers import catalogue
from experiments.runs.configuration import RunConfiguration
from experiments.runs.options import options


def parse(texts: Sequence[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Reads methods. Returns the algorithm and its settings by the label of the table's row.

    Each is an algorithm, as `catalogue.algorithm` takes it, and after colons what differs from its
    recipe: `fed_avg`, `fed_fa:alpha=1:beta=0`, `my_package:build:sharpness=2`.

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


def with_grid(texts: Sequence[str], grid: Sequence[str]) -> list[str]:
    """Returns every method, as `parse` takes it, with every combination of a grid's values.

    Raises:
        ValueError: If an axis is not of the form `learning_rate=0.01,0.1`, or is there twice, or a
            value of it is.
    """
    axes: dict[str, list[str]] = {}
    for text in grid:
        name, _, values = text.partition("=")
        of_name = flags.ListParser().parse(values)
        if not name or not of_name or not all(of_name):
            raise ValueError(f"--grid must be name=value,value,..., got {text!r}")
        if name in axes or len({*of_name}) < len(of_name):
            raise ValueError(f"--grid has {name}, or a value of it, twice; leave one out")
        axes[name] = [f"{name}={value}" for value in of_name]
    return [":".join(each) for each in itertools.product(texts, *axes.values())]


def _settings(name: str, given: Sequence[str]) -> dict[str, Any]:
    own = catalogue.algorithm(name).hyperparameters
    of_run = {key: said for key, said in options(RunConfiguration).items() if said.of_a_method}
    return settings.parse("algorithms", given, {**own, **of_run}, owner=name)
