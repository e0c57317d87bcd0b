"""A data set's own options as every binary takes them: `--dataset_option=name=value`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from absl import flags

from experiments.command_line import settings
from leaf_data import registry

flags.disclaim_key_flags()  # The flags are the calling binary's, whose --help lists them.


def define_flag() -> flags.FlagHolder[list[str]]:
    """Defines `--dataset_option` for a binary; `parse` reads its value."""
    return flags.DEFINE_multi_string(
        "dataset_option",
        [],
        "name=value: an option of the data set, such as num_clients=5; may be repeated.",
    )


def parse(dataset: str, given: Sequence[str]) -> dict[str, Any]:
    """Returns the options that are given, each of the type of its default.

    Args:
        dataset: A name of `registry.names()`.
        given: Settings of the form `name=value`.

    Raises:
        ValueError: If one is not `name=value`, unknown, given twice, or not of its type.
    """
    return settings.parse("dataset_option", given, registry.options(dataset), owner=dataset)
