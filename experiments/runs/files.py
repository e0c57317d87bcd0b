"""Writes files completely or not at all, and locks folders for one program at a time."""

from __future__ import annotations

import contextlib
import fcntl
import lzma
import os
import pathlib
import secrets
import struct
import time
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Protocol

# The errors of `zipfile` and its decompressors for damaged bytes.
DAMAGE = (
    *(zipfile.BadZipFile, lzma.LZMAError, zlib.error, struct.error, EOFError),
    *(KeyError, NotImplementedError, RuntimeError, ValueError),
)
_SECONDS_BETWEEN_TRIES = 0.1


class TextFile(Protocol):
    """A source of text: a path, or a file in an archive."""

    def read_text(self) -> str:
        """Returns the text."""


def write_atomically(path: pathlib.Path, content: str | bytes) -> None:
    """Writes a text or bytes to a file, completely or not at all."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def replacing(path: pathlib.Path) -> Iterator[IO[bytes]]:
    """Opens a temporary file for writing, which replaces `path` when the block has ended."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class FolderLock:
    """A lock on a folder, held until `release`, or until the program that holds it has ended.

    The operating system keeps the lock on the folder itself. So there is no lock file, and a
    program that was killed holds no lock.
    """

    def __init__(self, folder: pathlib.Path, *, timeout_seconds: float = 0.0):
        """Takes the lock; raises `BlockingIOError` if it is still held after the timeout."""
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._close = weakref.finalize(self, os.close, descriptor)
        deadline = time.monotonic() + timeout_seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    self._close()
                    raise
            time.sleep(_SECONDS_BETWEEN_TRIES)

    def release(self) -> None:
        """Releases the lock; a second call does nothing."""
        self._close()

    def __enter__(self) -> None:
        """Does nothing: the lock is held."""

    def __exit__(self, *_: object) -> None:
        """Releases the lock."""
        self.release()
