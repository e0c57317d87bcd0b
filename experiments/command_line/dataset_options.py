"""A data set as every program takes it: `--dataset`, and `--dataset_option=name=value`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from absl import flags

from experiments.command_line import settings
from experiments.declaration import Argument
from leaf_data import registry

flags.disclaim_key_flags()  # The flags are the calling program's, whose --help lists them.


def define_dataset(
    default: str | None, description: str, *, required: bool = False
) -> flags.FlagHolder[str | None]:
    """Defines `--dataset` for a program: a name of `registry.names()`, or `module:name`."""
    holder = flags.DEFINE_string("dataset", default, _help(description), required=required)
    flags.register_validator(holder, lambda name: name is None or _is_known(name))
    return holder


def define_datasets(default: list[str], description: str) -> flags.FlagHolder[list[str]]:
    """Defines `--dataset` for a program that takes several, by commas."""
    holder = flags.DEFINE_list("dataset", default, _help(description))
    flags.register_validator(holder, lambda names: all(map(_is_known, names)))
    return holder


def _help(description: str) -> str:
    return (
        f"{description} {', '.join(registry.names())}; or module:name, a function of your own that "
        "returns a leaf_data.FederatedDataset."
    )


def _is_known(dataset: str) -> bool:
    try:
        return bool(registry.dataset_name(dataset))
    except ValueError as error:
        raise flags.ValidationError(str(error)) from error


def define_flag() -> flags.FlagHolder[list[str]]:
    """Defines `--dataset_option` for a program; `parse` reads its value."""
    return flags.DEFINE_multi_string(
        "dataset_option",
        [],
        "name=value: an option of the data set, such as num_clients=5; may be repeated.",
    )


def parse(dataset: str, given: Sequence[str]) -> dict[str, Any]:
    """Returns the options `name=value` that are given, each of the type of its default.

    Raises:
        ValueError: If one is not `name=value`, unknown, given twice, or not of its type.
    """
    options = registry.options(dataset).items()
    known = {name: Argument(name, default, None, "") for name, default in options}
    return settings.parse("dataset_option", given, known, owner=dataset)
