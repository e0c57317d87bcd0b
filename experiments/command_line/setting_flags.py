"""The flags of a run: a data set with its options, and all that `RunConfiguration` declares."""

from __future__ import annotations

from typing import Any

from absl import flags

from experiments.command_line import settings, shared_flags
from experiments.declaration import Argument
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.options import options
from leaf_data import registry

flags.disclaim_key_flags()  # The flags are the calling program's, whose --help lists them.

_defined: list[str] = []


def define_dataset(description: str, *, required: bool = False) -> flags.FlagHolder[str | None]:
    """Defines `--dataset` for a program: a name of `registry.names()`, or `module:name`."""
    holder = flags.DEFINE_string("dataset", None, _help(description), required=required)
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


def define_dataset_option() -> None:
    """Defines `--dataset_option` for a program; `dataset_options` reads its value."""
    flags.DEFINE_multi_string(
        "dataset_option",
        [],
        "name=value: an option of the data set, such as num_clients=5; may be repeated.",
    )


def dataset_options(dataset: str) -> dict[str, Any]:
    """Returns the options of the data set that are given, each of the type of its default.

    Raises:
        ValueError: If one is not `name=value`, unknown, given twice, or not of its type.
    """
    own, given = registry.options(dataset).items(), flags.FLAGS["dataset_option"].value
    known = {name: Argument(name, default, None, "") for name, default in own}
    return settings.parse("dataset_option", given, known, owner=dataset)


def define(*owners: type) -> None:
    """Defines the flags of all options of a run, as `RunConfiguration` and `Seeds` declare them."""
    for name in options(*owners):
        define_one(name)
    define_dataset_option()


def define_one(name: str) -> None:
    """Defines the flag of one option of a run, which is None where it is not given."""
    said = options(RunConfiguration, Seeds)[name]
    _defined.append(name)
    shown = said.description
    if said.default is not None:
        or_recipe = "the recipe's, else " if said.of_a_method else ""
        shown += f" By default {or_recipe}{said.default}."
    if said.choices:
        flags.DEFINE_enum(name, None, said.choices, shown)
    elif name.endswith("_dir"):
        shared_flags.define_path(name, None, shown)
    elif said.kind is str:
        flags.DEFINE_string(name, None, shown)
    else:
        define_number = flags.DEFINE_integer if said.kind is int else flags.DEFINE_float
        define_number(name, None, shown, lower_bound=said.least, upper_bound=said.most)


def given(dataset: str) -> dict[str, Any]:
    """Returns the settings that are given, and the options of the data set, by name.

    Raises:
        ValueError: If an option is not `name=value`, is unknown, not of its type, or given twice.
    """
    by_flag = {name: flags.FLAGS[name].value for name in _defined}
    by_flag = {name: value for name, value in by_flag.items() if value is not None}
    return {**by_flag, **dataset_options(dataset)}
