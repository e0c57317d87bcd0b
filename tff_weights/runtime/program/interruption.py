"""Calls that Ctrl-C ends at once, although TensorFlow cannot be interrupted."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

# How long the end of a program waits for what it has given up.
_PATIENCE_SECONDS = 2.0


class InterruptedCallError(RuntimeError):
    """Raised on the threads of a call that nobody waits for any more."""


class InterruptibleCall:
    """One call, on a thread of its own while the caller waits.

    Python answers Ctrl-C between two of its own steps only, and TensorFlow may take minutes for
    one. A caller that is interrupted while it waits goes on at once; the thread ends at the next
    call of `raise_if_given_up`. Where that is not before the program has come to its end, the
    program does not wait for it: it ends in the middle of what TensorFlow does.
    """

    def __init__(self, function: Callable[[InterruptibleCall], Any]):
        """Starts the call.

        Args:
            function: What to do; it is given this object.
        """
        self._function = function
        self._given_up = False
        self._result: Any = None
        self._error: BaseException | None = None
        # Not the thread's own `join`: Python takes a thread whose `join` was interrupted for ended.
        self._has_ended = threading.Event()
        threading.Thread(target=self._run, daemon=True, name="TFF computation").start()

    def result(self) -> Any:
        """Waits for the call's result, or raises its error."""
        try:
            self._has_ended.wait()
        except (KeyboardInterrupt, SystemExit) as interruption:
            self._given_up = True
            _given_up[self] = _exit_status(interruption)
            raise
        if self._error is not None:
            raise self._error
        return self._result

    def raise_if_given_up(self) -> None:
        """Called on the call's threads, between two steps.

        Raises:
            InterruptedCallError: If the caller was interrupted.
        """
        if self._given_up:
            raise InterruptedCallError("the computation was interrupted")

    def _run(self) -> None:
        try:
            self._result = self._function(self)
        except BaseException as error:
            self._error = error
        finally:
            self._has_ended.set()
            _given_up.pop(self, None)

    def wait(self, timeout_seconds: float) -> bool:
        """Waits for the end of the call's thread, and returns whether it came in time."""
        return self._has_ended.wait(timeout_seconds)


_given_up: dict[InterruptibleCall, int] = {}


def still_computing() -> bool:
    """Whether TensorFlow still computes for a call that was interrupted."""
    return bool(_given_up)


def _exit_status(interruption: BaseException) -> int:
    if isinstance(interruption, SystemExit) and isinstance(interruption.code, int):
        return interruption.code
    return 128 + signal.SIGINT


@atexit.register
def _end_without_what_was_given_up() -> None:
    """Ends the process where TensorFlow still computes for an interrupted call.

    Python would take its own objects away from under that thread, which ends in a crash.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for call, status in list(_given_up.items()):
        if not call.wait(max(0.0, deadline - time.monotonic())):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
