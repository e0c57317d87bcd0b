"""Raw files below the data directory: under which names they are found, and how text is read."""

from __future__ import annotations

import gzip
import pathlib
from typing import IO, Any

from leaf_data import raw_files

# Of UTF-8; Windows' programs begin files of text with it.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def find_file(folder: pathlib.Path, *names: str) -> pathlib.Path | None:
    """The first of several files that is there.

    Args:
        folder: Where to look.
        *names: Names or patterns (`femnist*.npz`) in order of preference, each alone and gzipped,
            with `.gz` behind it; of a pattern's files the first in alphabetical order.

    Returns:
        The file, or None where there is none.
    """
    for name in names:
        for path in (*sorted(folder.glob(name)), *sorted(folder.glob(f"{name}.gz"))):
            if path.is_file():
                return path
    return None


def open_text(
    path: pathlib.Path, *, encoding: str = "utf-8", newline: str | None = None
) -> IO[str]:
    """Opens a file of text, gzipped or not, for reading.

    Args:
        path: The file, gzipped if its name ends in `.gz`.
        encoding: What it is encoded in. A byte order mark says that it is UTF-8 all the same, and
            is no part of the text.
        newline: As `open` takes it.

    Raises:
        OSError: If it cannot be opened, or is not gzipped.
    """
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(raw_files.note(path), "rb") as file:
        is_marked = file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    encoding = "utf-8-sig" if is_marked else encoding
    text: IO[str] = opened(path, "rt", encoding=encoding, newline=newline)
    return text
