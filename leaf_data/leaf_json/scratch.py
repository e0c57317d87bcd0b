"""Numbers in an unnamed temporary file, so that what is larger than the memory can be read."""

from __future__ import annotations

import dataclasses
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclasses.dataclass(frozen=True)
class StoredArray:
    """An array in a scratch file: what is known of it without reading it.

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
    """A file that arrays of numbers are appended to, and that nobody else sees.

    It lies in the folder for temporary files (`TMPDIR`) without a name, so that it is gone with the
    last one who uses it, however the program ends.
    """

    def __init__(self) -> None:
        """Makes an empty file."""
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as this is.
        self._size = 0

    def store(self, array: npt.NDArray[Any]) -> StoredArray:
        """Appends an array."""
        stored = StoredArray(self._size, array.shape, array.dtype)
        content = memoryview(np.ascontiguousarray(array)).cast("B") if array.size else b""
        self._file.seek(self._size)
        while content:
            written = self._file.write(content)
            self._size += written
            content = content[written:]
        return stored

    def load(self, stored: StoredArray) -> npt.NDArray[Any]:
        """Reads an array that was stored."""
        array = np.empty(stored.shape, stored.dtype)
        rest = memoryview(array).cast("B") if array.size else memoryview(b"")
        self._file.seek(stored.offset)
        while rest:
            rest = rest[self._file.readinto(rest) :]
        return array

    def map(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The whole file as one array, of which the system keeps in memory what is being used.

        Args:
          dtype: The dtype of all that was stored.
          shape: The shape of it all, the arrays one after the other.

        Returns:
          The array, read-only; it keeps the file.
        """
        if not self._size:
            return np.empty(shape, dtype)
        return np.memmap(self._file, dtype, mode="r", shape=shape)
