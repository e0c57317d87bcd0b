"""A data set's own options as every binary takes them: `--dataset_option=name=value`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from absl import flags

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
    defaults = registry.options(dataset)
    options: dict[str, Any] = {}
    for setting in given:
        name, equals, text = setting.partition("=")
        if not equals or name not in defaults:
            raise ValueError(
                f"dataset_option is {setting!r}; it must be name=value, and {dataset} has "
                f"{', '.join(defaults) or 'no options'}"
            )
        if name in options:
            raise ValueError(f"dataset_option {name} is given twice; leave one out")
        options[name] = _value(name, text, defaults)
    return options


def _value(name: str, text: str, defaults: Mapping[str, Any]) -> Any:
    kind = type(defaults[name])
    try:
        value = _BOOLEANS[text.lower()] if kind is bool else kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("NaN and infinity are no numbers of options")
    except (KeyError, ValueError):
        raise ValueError(
            f"dataset_option {name} is {text!r}; it must be {_KINDS[kind]}, as its default "
            f"{defaults[name]!r} is"
        ) from None
    return value


_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_KINDS = {bool: "yes or no", int: "an integer", float: "a finite number", str: "text"}
