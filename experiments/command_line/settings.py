"""Settings given as `name=value` on a flag that may be repeated."""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declaration import Argument
from experiments.runs.options import Option

_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_KINDS = {bool: "yes or no", int: "an integer", float: "a finite number", str: "text"}


def parse(
    flag: str, given: Sequence[str], known: Mapping[str, Argument | Option], *, owner: str
) -> dict[str, Any]:
    """Returns the given settings, each of its kind, or else of the type of its default.

    A setting without either becomes an integer or a number if it reads as one, and text otherwise.

    Args:
        flag: The flag's name, for messages.
        given: Settings of the form `name=value`.
        known: The settings that there are.
        owner: Whose settings they are, for messages.

    Raises:
        ValueError: If one is not `name=value`, unknown, given twice, or not of its type.
    """
    settings: dict[str, Any] = {}
    for setting in given:
        name, equals, text = setting.partition("=")
        if not equals or name not in known:
            raise ValueError(
                f"{flag} is {setting!r}; it must be name=value, and {owner} has "
                f"{', '.join(known) or 'no options'}"
            )
        if name in settings:
            raise ValueError(f"{flag} {name} is given twice; leave one out")
        settings[name] = _value(f"{flag} {name}", text, known[name].kind, known[name].default)
    return settings


def _value(name: str, text: str, kind: type | None, default: Any) -> Any:
    if kind is None:
        has_type = default is not None and default is not inspect.Parameter.empty
        kind = type(default) if has_type else _kind_of(text)
    try:
        value = _BOOLEANS[text.lower()] if kind is bool else kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("NaN and infinity are no numbers of options")
    except (KeyError, ValueError):
        as_default = f", as its default {default!r} is" if type(default) is kind else ""
        raise ValueError(f"{name} is {text!r}; it must be {_KINDS[kind]}{as_default}") from None
    return value


def _kind_of(text: str) -> type:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return type(kind(text))
    return str
