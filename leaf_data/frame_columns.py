"""Columns of a pandas frame as numbers, for any dtype of pandas."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leaf_data.errors import DataError
from leaf_data.own_columns import NUMBERS

if TYPE_CHECKING:
    import pandas as pd


def feature_columns(frame: pd.DataFrame, columns: Sequence[Hashable]) -> npt.NDArray[Any]:
    """The features of all rows.

    Args:
        frame: An example per row.
        columns: The names of at least one column of numbers or truth values. Any dtype is allowed,
            also objects and those with missing values (Int64, Float64, boolean).

    Returns:
        [n, number of columns]: int64 for integers, also together with truth values; bool for truth
        values alone; else float64.

    Raises:
        DataError: If a column has neither numbers nor truth values, or a value is missing.
    """
    return np.stack([_numbers_of(frame[name], name) for name in columns], axis=1)


def check_whole(column: pd.Series, name: Hashable) -> None:
    """Makes sure that no value of a column is missing.

    Raises:
        DataError: If one is.
    """
    missing = column.isna().to_numpy()
    if missing.any():
        row = column.index[missing][0]
        raise DataError(
            f"column {name!r} is empty in row {row!r}: fill in or drop what is missing."
        )


def _numbers_of(column: pd.Series, name: Hashable) -> npt.NDArray[Any]:
    check_whole(column, name)
    kind = getattr(column.dtype, "kind", "O")
    if kind == "O" and all(isinstance(value, NUMBERS) for value in column):
        whole = all(isinstance(value, (numbers.Integral, np.bool_)) for value in column)
        kind = "i" if whole else "f"
    if kind not in "biuf":
        raise DataError(
            f"column {name!r} has the dtype {column.dtype}; features must be numbers: name those"
            " that are with features=[...], or make numbers of it, as pandas.get_dummies does."
        )
    if kind == "u" and len(column) and column.max() > np.iinfo(np.int64).max:
        kind = "f"
    # Here bytes are integers like others; elsewhere they would be an image's pixels.
    return column.to_numpy({"b": np.bool_, "f": np.float64}.get(kind, np.int64))
