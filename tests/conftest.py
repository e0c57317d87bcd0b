"""Runs every test's TFF computations on a worker that ends with the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tff_weights import runtime

# A shell starts what runs in the background deaf to Ctrl-C, and so would be every program that a
# test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_worker() -> Iterator[None]:
    """One worker per process: with pytest-xdist, each of its processes has its own."""
    with runtime.local_worker():
        yield
