"""The declaration of a field of a run's configuration, for everything that shows or reads it.

The flags, their help, the methods of `compare`, `describe` and step budgets are made from it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

_KEY = "option"

DATA = "Data and model"
TRAINING = "Rounds and local training"
SEEDS = "Seeds"


_KINDS: Mapping[str, type] = {"int": int, "float": float, "str": str}


@dataclasses.dataclass(frozen=True)
class Option:
    """One field: its kind, by its type, and its help under a topic.

    Attributes:
        least: The smallest value that a flag takes; None for any.
        most: The largest one.
        choices: All values that there are; empty for any.
        of_a_method: Whether each method of `compare` may have a value of its own; `describe` shows
            what a recipe makes of it.
        of_a_budget: Whether two runs must agree on it to take the same step budget.
        suffix: What follows the field's name in the flag's name.
    """

    kind: type
    description: str
    topic: str = TRAINING
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    of_a_method: bool = False
    of_a_budget: bool = False
    suffix: str = ""
    default: Any = None


def option(description: str, default: Any = dataclasses.MISSING, **said: Any) -> Any:
    """Returns a field with an `Option`; without a default it must be given."""
    return dataclasses.field(default=default, metadata={_KEY: {"description": description, **said}})


def options(*owners: type) -> Mapping[str, Option]:
    """Returns the options of dataclasses' fields, by the names of their flags."""
    return _options(owners)


@functools.cache
def _options(owners: tuple[type, ...]) -> Mapping[str, Option]:
    found = {}
    for field in (field for owner in owners for field in dataclasses.fields(owner)):
        if _KEY in field.metadata:
            kind = _KINDS[str(getattr(field.type, "__name__", field.type)).partition(" ")[0]]
            default = None if field.default is dataclasses.MISSING else field.default
            said = Option(kind=kind, default=default, **field.metadata[_KEY])
            found[f"{field.name}{said.suffix}"] = said
    return found


def check_kind(name: str, value: object, kind: type) -> None:
    """Raises `ValueError` if a value is not of a kind; integers are floats, but no truth values."""
    allowed = (int, float) if kind is float else (kind,)
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name} must be {kind.__name__}, got {value!r}")
