"""The flags of a run's settings, one for each option that `RunConfiguration` declares."""

from __future__ import annotations

from typing import Any

from absl import flags

from experiments.command_line import dataset_options
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.options import DATA, Option, options

flags.disclaim_key_flags()  # The flags are the calling program's, whose --help lists them.

_EMBEDDINGS = Option(
    str,
    "sent140, leaf_sent140, leaf: what stands for words, learned (default) or glove:FILE; the same "
    "as --dataset_option=embeddings=...",
    topic=DATA,
)
_defined: dict[str, Option] = {}


def define(*owners: type) -> None:
    """Defines the flags of all options of a run, as `RunConfiguration` and `Seeds` declare them."""
    for name, said in options(*(owners or (RunConfiguration,))).items():
        define_one(name, said)
    define_one("embeddings", _EMBEDDINGS)
    dataset_options.define_flag()


def define_one(name: str, said: Option | None = None) -> None:
    """Defines the flag of one option, which is None where it is not given.

    What is said of it is what a run declares by this name, unless it is given.
    """
    said = said or options(RunConfiguration, Seeds)[name]
    _defined[name] = said
    shown = said.description
    if said.default is not None:
        or_recipe = "the recipe's, else " if said.of_a_method else ""
        shown += f" By default {or_recipe}{said.default}."
    if said.choices:
        flags.DEFINE_enum(name, None, said.choices, shown)
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
    own = dataset_options.parse(dataset, flags.FLAGS["dataset_option"].value)
    for name in by_flag.keys() & own.keys():
        raise ValueError(f"--{name} and --dataset_option={name}=... say the same; leave one out")
    return {**by_flag, **own}
