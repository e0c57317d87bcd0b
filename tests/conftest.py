"""Runs every test's TFF computations inside the process of the tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest
import tensorflow as tf
from hypothesis import HealthCheck, settings
from program_fixtures import run, run_each, run_python, start, start_command
from tensorflow.python.eager import context

from tff_weights import runtime

__all__ = ["run", "run_each", "run_python", "start", "start_command"]

# What tests ask this machine goes through no proxy of the user's.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"

# A shell starts what runs in the background deaf to Ctrl-C, and so would be every program that a
# test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test depends on the machine's speed: Hypothesis would let one fail that took 0.2 seconds once,
# or whose examples took a second to draw.
settings.register_profile("any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_speed")


def pytest_collection_finish() -> None:
    """The millions of objects of TensorFlow live to the end: they are not searched for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _unseeded() -> Iterator[None]:
    """No test leaves TensorFlow seeded: what is unseeded in the next would come again."""
    yield
    if context.global_seed() is not None:
        tf.random.set_seed(None)


@pytest.fixture(scope="session", autouse=True)
def _runtime() -> Iterator[None]:
    """One runtime for all tests of a process."""
    with runtime.using():
        yield
