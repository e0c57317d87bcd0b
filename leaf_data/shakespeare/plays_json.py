"""Shakespeare's plays as JSON: one entry for each play and role, with its speeches."""

from __future__ import annotations

import json
import pathlib
import zlib
from collections.abc import Iterator
from typing import Any

from leaf_data.errors import DataError
from leaf_data.local_files import read_bytes
from leaf_data.shakespeare.roles import Role, roles_of


def read_plays_json(path: pathlib.Path) -> list[Role]:
    """Reads the roles of all plays.

    Args:
        path: A file of UTF-8 JSON, gzipped if its name ends in `.gz`: a list of `{"play": title,
            "speaker": name, "speeches": [text, ...]}`, the lines of a speech separated by a
            newline.

    Returns:
        The roles, in the order of the file.

    Raises:
        DataError: If the file cannot be read, is truncated or malformed, or no role says enough.
    """
    try:
        entries = json.loads(read_bytes(path).decode("utf-8-sig"))
    except (EOFError, OSError, RecursionError, ValueError, zlib.error) as error:
        raise DataError(f"{path}: is no whole file of JSON ({error}).") from None
    if not isinstance(entries, list):
        raise DataError(f"{path}: must be a list with one entry for each play and role.")
    roles = roles_of(_lines_by_role(entries, path))
    if not roles:
        raise DataError(f"{path}: no role has more than two lines and 80 characters.")
    return roles


def _lines_by_role(entries: list[Any], path: pathlib.Path) -> Iterator[tuple[str, str, list[str]]]:
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise DataError(f"{path}, entry {index}: must be an object.")
        for field in ("play", "speaker"):
            if not isinstance(entry.get(field), str):
                raise DataError(f"{path}, entry {index}, field {field!r}: must be text.")
        speeches = entry.get("speeches")
        if not isinstance(speeches, list) or not all(isinstance(text, str) for text in speeches):
            raise DataError(f"{path}, entry {index}, field 'speeches': must be a list of texts.")
        lines = [line for speech in speeches for line in speech.splitlines()]
        yield entry["play"], entry["speaker"], lines
