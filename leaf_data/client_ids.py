"""The client ids of a user's own data: text, made from the column of clients."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.errors import DataError


def as_client_ids(client: Any) -> npt.NDArray[Any]:
    """Checks the column of clients.

    Args:
        client: [n] numbers, text or dates, or n hashable objects, such as tuples.

    Returns:
        [n] numbers or text; as text all different clients are different.

    Raises:
        DataError: If there are not n, one is missing or cannot be hashed, or two different ones
            are the same as text.
    """
    clients = client if isinstance(client, (list, tuple)) else np.asarray(client)
    if not isinstance(clients, np.ndarray):  # NumPy would make axes of tuples.
        clients = np.fromiter(clients, object, len(clients))
    if clients.ndim != 1 or clients.dtype.kind not in "biufSUOmM":
        raise DataError(
            f"client has the shape {clients.shape} and the dtype {clients.dtype}; it must be [n],"
            " whose each example is."
        )
    if clients.dtype.kind in "biuU":
        return clients
    values = clients if clients.dtype.kind in "mM" else clients.tolist()
    texts = []
    known: dict[str, Any] = {}
    for place, value in enumerate(values):
        if _is_missing(value):
            raise DataError(f"client is {value!r} at example {place}; every example needs one.")
        try:
            hash(value)
            texts.append(value.decode() if isinstance(value, bytes) else str(value))
        except (TypeError, UnicodeDecodeError):
            raise DataError(
                f"client is {value!r} at example {place}; it must be hashable, such as a number,"
                " text or a tuple, and bytes must be UTF-8."
            ) from None
        first = known.setdefault(texts[-1], value)
        if first is not value and first != value:
            raise DataError(
                f"client is {value!r} at example {place}, and {first!r} before; two that read alike"
                " as text must be of one type."
            )
    return np.array(texts)


def _is_missing(value: Any) -> bool:
    pandas = sys.modules.get("pandas")  # Without pandas there can be no pandas.NA.
    if value is None or (pandas is not None and value is pandas.NA):
        return True
    return bool(value != value)  # NaN is not equal to itself.
