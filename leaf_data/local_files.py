"""Finds raw files below the data directory by their names, and opens text."""

from __future__ import annotations

import contextlib
import gzip
import pathlib
import sqlite3
from typing import IO, Any

from leaf_data import raw_files

# The mark of UTF-8; programs for Windows begin text files with it.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def find_file(folder: pathlib.Path, *names: str) -> pathlib.Path | None:
    """The first of several files that exists.

    Args:
        folder: Where to look.
        *names: Names or patterns (`femnist*.npz`) in order of preference. Each is also found with
            `.gz`, as a gzipped file. A pattern stands for its first file in alphabetical order.

    Returns:
        The file, or None if there is none.
    """
    for name in names:
        for path in (*sorted(folder.glob(name)), *sorted(folder.glob(f"{name}.gz"))):
            if path.is_file():
                return path
    return None


def read_bytes(path: pathlib.Path) -> bytes:
    """Reads a whole file, gzipped if its name ends in `.gz`.

    Raises:
        OSError, EOFError, zlib.error: If it cannot be read, is truncated or is not gzipped.
    """
    content = raw_files.note(path).read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def open_database(path: pathlib.Path) -> contextlib.closing[sqlite3.Connection]:
    """Opens an SQLite file, an absolute path, for reading; use it in a `with` statement.

    Raises:
        sqlite3.Error: If it cannot be opened.
    """
    return contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True))


def open_text(
    path: pathlib.Path, *, encoding: str = "utf-8", newline: str | None = None
) -> IO[str]:
    """Opens a file of text, gzipped or not, for reading.

    Args:
        path: The file, gzipped if its name ends in `.gz`.
        encoding: The encoding of the text. A file with a byte order mark is read as UTF-8, without
            the mark.
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
