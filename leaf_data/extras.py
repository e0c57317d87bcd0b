"""Packages that only some data needs, and the error if one of them is missing."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(package: str) -> ModuleType:
    """Imports a package that comes with the extra `data`.

    Raises:
        ModuleNotFoundError: If it is not installed; the message says what installs it.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ModuleNotFoundError(
            f"{package} is not installed; it comes with pip install 'tff-weights[data]'",
            name=package,
        ) from error
