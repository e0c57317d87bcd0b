"""Checks of the arguments of loaders, partitioners and models; an error is one sentence."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_MOST = 2**31 - 1  # The limit of 32 bits; larger numbers would not fit into memory.


def check_integer(name: str, value: object, *, least: int) -> None:
    """Makes sure that an argument is an integer of at least `least`, and of 32 bits.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        least: The smallest that is allowed.

    Raises:
        ValueError: If it is not.
    """
    if not (is_integer(value) and value >= least):  # type: ignore[operator]
        raise ValueError(f"{name} is {value!r}; it must be an integer of at least {least}.")
    if value > _MOST:  # type: ignore[operator]
        raise ValueError(f"{name} is {value!r}; it must be an integer of at most {_MOST:,}.")


def check_number(
    name: str, value: object, is_allowed: Callable[[float], bool], allowed: str
) -> None:
    """Makes sure that an argument is a finite number in a range.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        is_allowed: From a finite number to whether it is in range.
        allowed: What is allowed, for the error, such as "finite and at least 0".

    Raises:
        ValueError: If it is not.
    """
    is_number = is_integer(value) or isinstance(value, (float, np.floating))
    if not (is_number and _is_finite(value) and is_allowed(value)):  # type: ignore[arg-type]
        raise ValueError(f"{name} is {value!r}; it must be {allowed}.")


def check_seed(name: str, value: object) -> None:
    """Makes sure that an argument is a non-negative integer, of any size.

    Raises:
        ValueError: If it is not.
    """
    if not (is_integer(value) and value >= 0):  # type: ignore[operator]
        raise ValueError(f"{name} is {value!r}; it must be a non-negative integer.")


def check_fraction(name: str, value: object) -> None:
    """Makes sure that an argument is a share in (0, 1].

    Raises:
        ValueError: If it is not.
    """
    check_number(name, value, lambda x: 0.0 < x <= 1.0, "in (0, 1]")


def check_truth_value(name: str, value: object) -> None:
    """Makes sure that an argument is True or False.

    Raises:
        ValueError: If it is not.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; it must be True or False.")


def check_one_of(name: str, value: object, allowed: Sequence[Any]) -> None:
    """Makes sure that an argument is one of a few names or numbers, with their type.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        allowed: All that may be given.

    Raises:
        ValueError: If it is not.
    """
    if not any(type(value) is type(one) and value == one for one in allowed):
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(map(str, allowed))}.")


def check_type(name: str, value: object, kind: type) -> None:
    """Makes sure that an argument is an instance of a class.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        kind: The class.

    Raises:
        ValueError: If it is not.
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name} is a {type(value).__name__}; it must be a {kind.__name__}.")


def check_name(name: str, value: object) -> None:
    """Makes sure that an argument is text, and not empty.

    Raises:
        ValueError: If it is not.
    """
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} is {value!r}; it must be text, and not empty.")


def check_path(name: str, value: object) -> None:
    """Makes sure that an argument names a file or a folder.

    Raises:
        ValueError: If it is no path, or empty.
    """
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise ValueError(f"{name} is {value!r}; it must be the path of a file or a folder.")


def check_shape(name: str, value: object, *, ranks: tuple[int, ...] | None = None) -> None:
    """Makes sure that an argument is a shape: a sequence of sizes, all at least 1.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        ranks: How many sizes there may be; None for any number above 0.

    Raises:
        ValueError: If it is not.
    """
    is_shape = isinstance(value, (tuple, list)) and all(
        is_integer(size) and 1 <= size <= _MOST for size in value
    )
    if not (is_shape and (len(value) in ranks if ranks else value)):  # type: ignore[arg-type]
        many = " or ".join(map(str, ranks)) + " " if ranks else ""
        raise ValueError(f"{name} is {value!r}; it must be {many}sizes of at least 1.")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # An integer of hundreds of digits.
        return False


def is_integer(value: object) -> bool:
    """Says whether something is an integer; a truth value is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
