"""Numbers in an unnamed temporary file, for data that is larger than the memory."""

from __future__ import annotations

import dataclasses
import math
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclasses.dataclass(frozen=True)
class StoredArray:
    """An array in a scratch file: its place, shape and dtype.

    Attributes:
        offset: Where in the file it begins.
        shape: Its shape.
        dtype: Its dtype.
    """

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        """The length of its first axis."""
        return self.shape[0]


class ScratchFile:
    """A private file to which arrays of numbers are appended.

    It lies in the folder for temporary files (`TMPDIR`) without a name. So it disappears with its
    last user, however the program ends.
    """

    def __init__(self) -> None:
        """Makes an empty file."""
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as this object exists.
        self._size = 0

    def store(self, array: npt.NDArray[Any]) -> StoredArray:
        """Appends an array of any shape [...] and dtype without objects."""
        stored = StoredArray(self._size, array.shape, array.dtype)
        self._file.seek(stored.offset)
        array.tofile(self._file)
        self._size += array.nbytes
        return stored

    def load(self, stored: StoredArray) -> npt.NDArray[Any]:
        """Reads an array that was stored, of the shape [...] that it had."""
        self._file.seek(stored.offset)
        return np.fromfile(self._file, stored.dtype, math.prod(stored.shape)).reshape(stored.shape)

    def map(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The whole file as one array; only the part in use is in memory.

        Args:
            dtype: The dtype of all that was stored.
            shape: The shape of all arrays, one after the other.

        Returns:
            The read-only array, which keeps the file open.
        """
        if not self._size:
            return np.empty(shape, dtype)
        return np.memmap(self._file, dtype, mode="r", shape=shape)
