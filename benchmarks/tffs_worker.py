"""TFF's own default context, which executes computations in a worker process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import psutil
import tensorflow_federated as tff

_NAME = "worker_binary"


@tff.tensorflow.computation
def _start() -> int:
    return 0


@contextlib.contextmanager
def default_context() -> Iterator[None]:
    """Runs the computations inside a `with` statement in a context as TFF's default one.

    It is the one of `tff.backends.test`, which differs in nothing but secure sums in the clear.
    Its worker is there from the start, and ends with the `with` statement: TFF itself stops it some
    time later, or never.
    """
    previous = tff.framework.get_context_stack().current
    others = {worker.pid for worker in workers()}
    tff.backends.test.set_sync_test_cpp_execution_context()
    try:
        # TFF lets it write where the program writes, which need not be a file.
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
        ):
            _start()
        yield
    finally:
        tff.framework.set_default_context(previous)
        for worker in workers():
            if worker.pid not in others:
                worker.kill()  # TFF waits for its end: it must stay a child until then.


def workers() -> list[psutil.Process]:
    """Returns the running workers of this program."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # It may just have ended.
            if child.name() == _NAME and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
    return found
