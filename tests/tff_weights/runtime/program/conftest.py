"""TFF's own context, for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tffs_worker import calls_in_tffs_context


@pytest.fixture(scope="session")
def call_in_tffs_context() -> Iterator[Callable[..., Any]]:
    """Calls a function of a module where TFF's own context executes its computations."""
    with calls_in_tffs_context() as call:
        yield call
