"""The examples of a client, as NumPy arrays."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Examples = collections.OrderedDict[str, npt.NDArray[Any]]
"""Examples by field, `x` and `y`: arrays of shape [num_examples, ...]; text as `bytes` objects."""


def as_examples(examples: Mapping[str, Any], client_id: str) -> Examples:
    """Returns fields as arrays [num_examples, ...], text as object arrays of `bytes`.

    Raises:
        ValueError: If they differ in their number of examples.
        TypeError: If something among text is neither text nor bytes.
    """
    arrays = collections.OrderedDict(
        (field, _as_array(values)) for field, values in examples.items()
    )
    lengths = {field: len(array) if array.ndim else None for field, array in arrays.items()}
    if len(set(lengths.values())) != 1 or None in lengths.values():
        raise ValueError(
            f"clients[{client_id!r}] has fields of the lengths {lengths}; all fields must be arrays"
            " with the same number of examples."
        )
    return arrays


def _as_array(values: Any) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind in "OSU":
        # Objects, because NumPy's own dtypes for text drop trailing null characters.
        array = np.asarray(values, object)
        encoded = [_encode(text) for text in array.flat]
        array = np.array(encoded, object).reshape(array.shape)
    return array.view()


def _encode(text: Any) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8")
    if isinstance(text, bytes):
        return text
    raise TypeError(f"{text!r} is neither a number nor text.")
