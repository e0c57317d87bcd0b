"""Settings given as `name=value` on a flag that may be repeated."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any


def parse(
    flag: str,
    given: Sequence[str],
    defaults: Mapping[str, Any],
    *,
    owner: str,
    kinds: Mapping[str, type | None] = MappingProxyType({}),
) -> dict[str, Any]:
    """Returns the settings that are given, each of its kind, or else of the type of its default.

    A setting that has neither is an integer or a number if it reads as one, and text otherwise.

    Args:
        flag: The flag's name, for messages.
        given: Settings of the form `name=value`.
        defaults: The settings that there are, with their defaults; `inspect.Parameter.empty` where
            there is none.
        owner: Whose settings they are, for messages.
        kinds: The types of some of them: `bool`, `int`, `float` or `str`.

    Raises:
        ValueError: If one is not `name=value`, unknown, given twice, or not of its type.
    """
    settings: dict[str, Any] = {}
    for setting in given:
        name, equals, text = setting.partition("=")
        if not equals or name not in defaults:
            raise ValueError(
                f"{flag} is {setting!r}; it must be name=value, and {owner} has "
                f"{', '.join(defaults) or 'no options'}"
            )
        if name in settings:
            raise ValueError(f"{flag} {name} is given twice; leave one out")
        settings[name] = _value(flag, name, text, defaults[name], kinds.get(name))
    return settings


def _value(flag: str, name: str, text: str, default: Any, kind: type | None) -> Any:
    if kind is None:
        has_type = default is not None and default is not inspect.Parameter.empty
        kind = type(default) if has_type else _kind_of(text)
    try:
        value = _BOOLEANS[text.lower()] if kind is bool else kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("NaN and infinity are no numbers of options")
    except (KeyError, ValueError):
        raise ValueError(
            f"{flag} {name} is {text!r}; it must be {_KINDS[kind]}"
            + (f", as its default {default!r} is" if type(default) is kind else "")
        ) from None
    return value


def _kind_of(text: str) -> type:
    for kind in (int, float):
        try:
            kind(text)
        except ValueError:
            continue
        return kind
    return str


_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_KINDS = {bool: "yes or no", int: "an integer", float: "a finite number", str: "text"}
