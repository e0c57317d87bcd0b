"""The examples of a client, as NumPy arrays."""

from __future__ import annotations

import collections
from typing import Any

import numpy.typing as npt

Examples = collections.OrderedDict[str, npt.NDArray[Any]]
"""Examples by field, `x` and `y`: arrays of shape [num_examples, ...]; text as `bytes` objects."""
