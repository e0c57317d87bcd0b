"""What all partitioners ask of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def as_labels(labels: npt.ArrayLike) -> npt.NDArray[Any]:
    """The labels as an array.

    Raises:
        ValueError: If they are not [num_examples].
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels has shape {array.shape}; it must be [num_examples].")
    return array


def check_integer(name: str, value: int, *, minimum: int) -> None:
    """Makes sure that an argument is an integer of at least `minimum`.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        minimum: The least that is allowed.

    Raises:
        ValueError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < minimum:
        raise ValueError(f"{name} is {value!r}; it must be an integer of at least {minimum}.")


def check_at_most(name: str, value: int, maximum: int, what: str) -> None:
    """Makes sure that an argument is at most the number of something.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        maximum: The number.
        what: Of what it is the number, for the error.

    Raises:
        ValueError: If it is not.
    """
    if value > maximum:
        raise ValueError(f"{name} is {value}; it must be at most the number of {what}, {maximum}.")
