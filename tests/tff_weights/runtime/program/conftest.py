"""TFF's own context, for comparison, and copies of graphs from the first call on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tffs_worker import calls_in_tffs_context

from tff_weights.runtime.program import functions


@pytest.fixture(autouse=True)
def _copies_at_once(monkeypatch) -> None:
    """Few tests call a graph so often that it would be copied."""
    monkeypatch.setattr(functions, "_CALLS_BEFORE_COPIES", 0)


@pytest.fixture(scope="session")
def call_in_tffs_context() -> Iterator[Callable[..., Any]]:
    """Calls a function of a module where TFF's own context executes its computations."""
    with calls_in_tffs_context() as call:
        yield call
