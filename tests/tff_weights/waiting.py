"""Computations that wait for a file, and what is done to them once they do.

A signal must not come before: while TensorFlow builds a computation it may fall into a destructor,
where Python drops it.
"""

from __future__ import annotations

import pathlib
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

TIMEOUT_SECONDS = 240  # Generous: what is tested is that something does not take for ever.
_STARTED = ".started"


def announce_and_wait(path: Any) -> Any:
    """Makes a file beside the one at `path`, and waits until that one is there; in a graph."""
    with tf.control_dependencies([tf.io.write_file(path + _STARTED, "")]):
        path = tf.identity(path)

    def absent(_: Any) -> Any:
        return tf.equal(tf.size(tf.io.matching_files(path)), 0)

    return tf.while_loop(absent, lambda loops: loops + 1, [tf.constant(0)])[0]


@tff.tensorflow.computation(np.str_)
def wait_for_file(path: Any) -> Any:
    return announce_and_wait(path)


def waited_for(folder: pathlib.Path) -> list[pathlib.Path]:
    """The files of a folder that computations wait for, or have waited for."""
    return sorted(path.with_suffix("") for path in folder.glob(f"*{_STARTED}"))


def once_they_wait(
    folder: pathlib.Path, act: Callable[[], None], *, computations: int = 1
) -> threading.Thread:
    """Does something as soon as so many computations wait for files of a folder."""

    def wait_and_act() -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while len(waited_for(folder)) < computations and time.monotonic() < deadline:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    return thread
