"""Notes the raw files of a data set, to notice when a prepared data set is out of date."""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

_Path = TypeVar("_Path", bound="str | os.PathLike[str]")

_noted: contextvars.ContextVar[list[pathlib.Path] | None] = contextvars.ContextVar(
    "raw files", default=None
)


@contextlib.contextmanager
def recording() -> Iterator[list[pathlib.Path]]:
    """Yields a list of the files that are noted in the block, with repetitions."""
    files: list[pathlib.Path] = []
    token = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(token)


def note(path: _Path) -> _Path:
    """Notes that a file, or a folder's names, will be read, and returns the path."""
    files = _noted.get()
    if files is not None:
        files.append(pathlib.Path(path).absolute())
    return path


def describe(files: Iterable[pathlib.Path], *, below: pathlib.Path) -> dict[str, dict[str, Any]]:
    """Returns the size, time and checksum of files, in JSON's types.

    Args:
        files: The files.
        below: The folder of raw data.

    Returns:
        By path, which is relative to that folder if possible: `size` in bytes, or the number of a
        folder's files; `mtime_ns`, the time of the last change in nanoseconds; and `sha256`.
    """
    described = {}
    for path in dict.fromkeys(files):
        if path.exists():
            name = path.relative_to(below) if path.is_relative_to(below) else path
            described[name.as_posix()] = {
                "size": _size(path),
                "mtime_ns": path.stat().st_mtime_ns,
                "sha256": sha256(path),
            }
    return described


def first_change(described: Mapping[str, Mapping[str, Any]], *, below: pathlib.Path) -> str | None:
    """Returns an error about the first file that has changed; None if none has.

    A missing file is no error, since the prepared data replace it. A checksum is computed only if
    the time differs.

    Args:
        described: What `describe` returned.
        below: The folder of raw data now.
    """
    for name, expected in described.items():
        path = below / name
        if not path.exists():
            continue
        size, unit = _size(path), "files" if path.is_dir() else "bytes"
        if size != expected["size"]:
            return f"{path} has {size:,} {unit}, and had {expected['size']:,}"
        if path.stat().st_mtime_ns != expected["mtime_ns"] and sha256(path) != expected["sha256"]:
            return f"{path} has another checksum than it had"
    return None


def _size(path: pathlib.Path) -> int:
    return len(_names(path)) if path.is_dir() else path.stat().st_size


def _names(folder: pathlib.Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def sha256(path: pathlib.Path) -> str:
    """Returns the SHA-256 of a file, or of the names in a folder, in hexadecimal."""
    digest = hashlib.sha256()
    if path.is_dir():
        digest.update("\n".join(_names(path)).encode())
        return digest.hexdigest()
    with open(path, "rb") as file:
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()
