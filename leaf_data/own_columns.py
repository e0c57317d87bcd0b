"""Features and labels of users' own data sets, in the dtypes that the models take."""

from __future__ import annotations

import decimal
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.errors import DataError

# A model has weights for every class. With more classes than this, and most without an example,
# labels are not class indices.
MOST_UNSEEN_CLASSES = 10_000
_INT32 = np.iinfo(np.int32)
NUMBERS = (numbers.Real, np.bool_, decimal.Decimal)


def as_features(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Returns [n, ...] features: bytes stay bytes, others become int32 or float32.

    Raises:
        DataError: If they have no such shape, or are not finite numbers of 32 bits.
    """
    array = np.asarray(x)
    if array.ndim < 2:
        raise DataError(
            f"x has the shape {array.shape}; it must be [n, ...], the features of each of n"
            " examples, all of one shape."
        )
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind not in "biuf":
        raise DataError(f"x has the dtype {array.dtype}; features must be numbers.")
    if array.dtype.kind in "iu" and not np.any((array < _INT32.min) | (array > _INT32.max)):
        return array.astype(np.int32)
    with np.errstate(over="ignore"):
        features = array.astype(np.float32)
    _check_finite(features, "x")
    return features


def has_fractions(y: npt.ArrayLike) -> bool:
    """Returns whether one of the labels [n, ...] is a number with a fraction."""
    labels = _unboxed(y)
    if labels.dtype.kind != "f":
        return False
    return bool(np.any(np.isfinite(labels) & (labels != np.floor(labels))))


def as_numbers(y: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Returns the labels of a regression, [n] or [n, ...].

    Raises:
        DataError: If they are not finite numbers of 32 bits.
    """
    labels = _unboxed(y)
    if labels.ndim < 1 or labels.dtype.kind not in "biuf":
        raise DataError(
            f"y has the shape {labels.shape} and the dtype {labels.dtype}; the labels of a"
            " regression must be numbers, [n] or [n, ...]."
        )
    with np.errstate(over="ignore"):
        labels = labels.astype(np.float32)
    _check_finite(labels, "y")
    return labels


def as_labels(y: npt.ArrayLike, num_classes: int | None) -> tuple[npt.NDArray[np.int32], int]:
    """Returns [n] classes, and their number; texts are numbered in their sorted order.

    Raises:
        DataError: If a label is missing, out of range, or neither text nor an integer.
    """
    labels = _unboxed(y)
    if labels.ndim != 1 or labels.dtype.kind not in "biufSUO":
        raise DataError(
            f"y has the shape {labels.shape} and the dtype {labels.dtype}; it must be [n] integers,"
            " a class index for each example, or text."
        )
    if labels.dtype.kind in "SUO":
        labels = _places_of_text(labels)
    _check_finite(labels, "y")
    largest = _INT32.max if num_classes is None else num_classes - 1
    wrong = np.flatnonzero((labels < 0) | (labels > largest) | (labels != np.floor(labels)))
    if len(wrong):
        allowed = "integers from 0 on" if num_classes is None else f"integers in 0..{largest}"
        raise DataError(
            f"y has the label {labels[wrong[0]]} at example {wrong[0]}; labels must be {allowed}."
        )
    labels = labels.astype(np.int32)
    there = int(labels.max(initial=0)) + 1
    if num_classes is None and there > max(MOST_UNSEEN_CLASSES, len(labels)):
        raise DataError(
            f"y has the label {there - 1}, which would make {there} classes of {len(labels)}"
            " examples; for a regression give regression=True, or else num_classes."
        )
    return labels, there if num_classes is None else num_classes


def _unboxed(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Returns numbers among objects, as frames may keep them, as float64; others as they are."""
    array = np.asarray(values)
    if array.dtype.kind in "SU" and not isinstance(values, np.ndarray):
        array = np.asarray(values, object)  # A missing text stays what it is, such as NaN.
    if array.dtype.kind == "O" and all(isinstance(value, NUMBERS) for value in array.flat):
        return array.astype(np.float64)
    return array


def _places_of_text(labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns the place of each text among the sorted ones."""
    values = labels.tolist()
    for place, value in enumerate(values):
        if not isinstance(value, (str, bytes)):
            raise DataError(
                f"y is {value!r} at example {place}, among objects; all labels must be integers,"
                " or all text."
            )
    return np.unique(np.array(values), return_inverse=True)[1]


def _check_finite(array: npt.NDArray[Any], name: str) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0]
        raise DataError(
            f"{name} is {array[tuple(place)]} at example {place[0]}; all numbers must be finite, of"
            " 32 bits: fill in or drop what is missing."
        )
