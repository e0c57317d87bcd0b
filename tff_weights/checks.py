"""Checks of arguments that are numbers or names: their type and their range."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np


class Range(NamedTuple):
    """The numbers that an argument may have.

    Attributes:
        text: What is allowed, for the error.
        has: From a number to whether it is allowed; it may be infinite or not a number.
    """

    text: str
    has: Callable[[float], bool]


FINITE = Range("a finite number", math.isfinite)
NOT_NEGATIVE = Range("a finite number >= 0", lambda x: 0 <= x < math.inf)
POSITIVE = Range("a finite number > 0", lambda x: 0 < x < math.inf)
BELOW_ONE = Range("a number in [0, 1)", lambda x: 0 <= x < 1)
FACTOR = Range("in (0, 1]", lambda x: 0 < x <= 1)
SHARE = Range("a number in [0, 1]", lambda x: 0 <= x <= 1)


def check_number(name: str, value: object, allowed: Range) -> None:
    """Checks an argument that is a number.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        allowed: The numbers that are allowed.

    Raises:
        ValueError: If it is no number, out of range, or too large for float32.
    """
    if not (_is_number(value) and allowed.has(_as_float(value))):
        raise ValueError(f"{name} must be {allowed.text}, got {value!r}")
    with np.errstate(over="ignore"):
        if math.isfinite(_as_float(value)) and math.isinf(np.float32(_as_float(value))):
            raise ValueError(f"{name} must be finite as float32, got {value!r}")


def check_integer(name: str, value: object, *, least: int, below: int = 2**31) -> None:
    """Checks an argument that is an integer.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        least: The smallest that is allowed.
        below: The argument must be less; by default the limit of 32 bits.

    Raises:
        ValueError: If it is no integer, or out of range.
    """
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (is_integer and least <= int(value) < below):  # type: ignore[call-overload]
        raise ValueError(f"{name} must be an integer >= {least}, < {below:,}, got {value!r}")


def check_one_of(name: str, value: object, allowed: Collection[str]) -> None:
    """Checks an argument that is one of a few names.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        allowed: The names that are allowed.

    Raises:
        ValueError: If it is none of them.
    """
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{name} must be one of {', '.join(sorted(allowed))}, got {value!r}")


def check_type(name: str, value: object, wanted: type) -> None:
    """Checks the type of an argument.

    Raises:
        TypeError: If it is another one.
    """
    if not isinstance(value, wanted):
        raise TypeError(f"{name} must be of the type {wanted.__name__}, got {value!r}")


def check_path(name: str, value: object) -> None:
    """Checks an argument that is a path.

    Raises:
        ValueError: If it is none.
    """
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"{name} must be a path, got {value!r}")


def check_truth_value(name: str, value: object) -> None:
    """Checks an argument that is `True` or `False`.

    Raises:
        ValueError: If it is neither.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _as_float(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # An integer of hundreds of digits.
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
