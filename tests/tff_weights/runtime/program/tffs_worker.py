"""A process in which TFF's own context executes computations, on its worker process."""

from __future__ import annotations

import concurrent.futures.process
import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import tensorflow_federated as tff


@contextlib.contextmanager
def calls_in_tffs_context() -> Iterator[Callable[..., Any]]:
    """Yields what calls a function of a module with arguments in such a process.

    The process is not the tests' own: one that has gRPC's threads cannot start Ray.
    """
    spawn = multiprocessing.get_context("spawn")
    use = tff.backends.native.set_sync_local_cpp_execution_context
    with concurrent.futures.ProcessPoolExecutor(1, spawn, use) as process:
        yield lambda function, *arguments: process.submit(function, *arguments).result()
        with contextlib.suppress(concurrent.futures.process.BrokenProcessPool):
            process.submit(_end).result()


def _end() -> None:
    """Ends the process and the worker, for whose answers the destructors of TFF would wait."""
    for worker in psutil.Process().children():
        worker.kill()
    os._exit(0)
