"""Reads TOML files with every version of Python."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read(path: pathlib.Path) -> dict[str, Any]:
    """Returns the content of a file; raises a `ValueError` if it is no TOML."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
