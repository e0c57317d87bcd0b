"""Checks of partitioners' labels and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def as_labels(labels: npt.ArrayLike) -> npt.NDArray[Any]:
    """The labels as an array.

    Raises:
        ValueError: If they are not [num_examples], or some are not labels.
    """
    array = np.asarray(labels)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"labels has shape {array.shape}; it must be [num_examples], at least 1.")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        wrong = array[~np.isfinite(array)][0]
        raise ValueError(f"labels has {wrong}; all labels must be finite.")
    for each in np.asarray(labels, np.object_).tolist() if array.dtype.kind in "SU" else []:
        if not isinstance(each, (str, bytes)):
            raise ValueError(f"labels has {each!r} among texts; all labels must be of one kind.")
    return array


def check_at_most(name: str, value: int, maximum: int, what: str) -> None:
    """Makes sure that an argument is at most a number of things.

    Args:
        name: The argument's name, for the error.
        value: What was given.
        maximum: The number.
        what: What is counted, for the error.

    Raises:
        ValueError: If it is not.
    """
    if value > maximum:
        raise ValueError(f"{name} is {value}; it must be at most the number of {what}, {maximum}.")
