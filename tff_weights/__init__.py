"""Federated learning by choosing the weights of the clients, on TensorFlow Federated.

Each algorithm is built as a `tff.learning.templates.LearningProcess`; `WeightingFactory` puts any
`Weighting` into a process of your own.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tff_weights.public_names import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Imports the public names with the first of them: TensorFlow Federated takes seconds."""
    if name in {module.name for module in pkgutil.iter_modules([os.path.dirname(__file__)])}:
        return importlib.import_module(f"{__name__}.{name}")
    found = getattr(importlib.import_module(f"{__name__}.public_names"), name)
    return globals().setdefault(name, found)
