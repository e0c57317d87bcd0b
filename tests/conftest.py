"""Runs every test's TFF computations on a worker that ends with the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tff_weights import runtime


@pytest.fixture(scope="session", autouse=True)
def _own_worker() -> Iterator[None]:
    """One worker per process: with pytest-xdist, each of its processes has its own."""
    with runtime.local_worker():
        yield
