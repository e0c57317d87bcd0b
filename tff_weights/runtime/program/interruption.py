"""Calls that Ctrl-C ends at once, although TensorFlow cannot be interrupted."""

from __future__ import annotations

import asyncio
import atexit
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

# The system may hand a signal to any thread, which does not wake the one that waits.
_INTERVAL_SECONDS = 0.1
# How long a program's end waits for calls that were given up.
_PATIENCE_SECONDS = 2.0


class InterruptedCallError(RuntimeError):
    """Raised on the threads of a call that was given up."""


class CallThreads:
    """Threads for calls, each for one at a time, that wait for the next call in between.

    TensorFlow keeps some kilobytes for every thread that it has seen, for ever.
    """

    def __init__(self) -> None:
        """Starts no thread yet."""
        self._lock = threading.Lock()
        self._idle: list[_CallThread] = []
        self._closed = False

    def start(self, work: Callable[[], None], announce_end: Callable[[], None]) -> None:
        """Starts something on a thread that has nothing else to do.

        Args:
            work: What to do; it raises nothing.
            announce_end: Called when the thread is there for the next call.
        """
        with self._lock:
            thread = self._idle.pop() if self._idle else _CallThread(self._take_back)
        thread.tasks.put((work, announce_end))

    def close(self) -> None:
        """Ends the threads; one that still computes ends after that."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for thread in idle:
            thread.tasks.put(None)
            thread.join()

    def _take_back(self, thread: _CallThread) -> bool:
        """Returns whether the thread shall go on."""
        with self._lock:
            if not self._closed:
                self._idle.append(thread)
            return not self._closed


class _CallThread(threading.Thread):
    def __init__(self, take_back: Callable[[_CallThread], bool]):
        super().__init__(daemon=True, name="TFF computation")
        self.tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._take_back = take_back
        self.start()

    def run(self) -> None:
        goes_on = True
        while goes_on and (task := self.tasks.get()) is not None:
            work, announce_end = task
            work()
            goes_on = self._take_back(self)
            announce_end()
            del task, work, announce_end  # They would keep what was computed.


class InterruptibleCall:
    """One call, on a thread of `CallThreads` while the caller waits.

    Python handles Ctrl-C only between two of its own steps, and TensorFlow may take minutes for
    one. A caller that is interrupted while it waits goes on at once; the thread ends at the next
    call of `raise_if_given_up`. If the program ends earlier, it does not wait for the thread, but
    ends in the middle of TensorFlow's work.
    """

    def __init__(
        self,
        function: Callable[[InterruptibleCall], Any],
        threads: CallThreads,
        on_end: Callable[[], None] = lambda: None,
    ):
        """Starts the call.

        Args:
            function: What to do; it is given this object.
            threads: Where.
            on_end: Called on the call's thread when `result` no longer waits.
        """
        self._function = function
        self._on_end = on_end
        self._given_up = False
        self._result: Any = None
        self._error: BaseException | None = None
        # Not the thread's own `join`: Python takes a thread whose `join` was interrupted for ended.
        self._has_ended = threading.Event()
        threads.start(self._run, self._announce_end)

    def result(self) -> Any:
        """Waits for the call's result, or raises its error."""
        try:
            while not self._has_ended.wait(_INTERVAL_SECONDS):
                pass
        except BaseException as interruption:  # A handler of signals may raise anything.
            self.give_up(interruption)
            raise
        if self._error is not None:
            raise self._error
        return self._result

    def give_up(self, interruption: BaseException) -> None:
        """Notes that nobody waits for the call any more, because of an exception."""
        self._given_up = True
        _given_up[self] = _exit_status(interruption)
        if self._has_ended.is_set():  # It may have ended before it was noted as given up.
            _given_up.pop(self, None)

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

    def _announce_end(self) -> None:
        self._has_ended.set()
        _given_up.pop(self, None)
        self._on_end()

    def wait(self, timeout_seconds: float) -> bool:
        """Waits for the end of the call's thread, and returns whether it came in time."""
        return self._has_ended.wait(timeout_seconds)


_given_up: dict[InterruptibleCall, int] = {}


def still_computing() -> bool:
    """Whether TensorFlow still computes for a call that was interrupted."""
    return bool(_given_up)


def wait_for_what_was_given_up() -> int | None:
    """Waits a little for the threads of interrupted calls, as they may still use what is to end.

    Returns:
        Returns None if all have ended, else the status for the interruption of one of the others.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for call, status in list(_given_up.items()):
        if not call.wait(max(0.0, deadline - time.monotonic())):
            return status
    return None


def _exit_status(interruption: BaseException) -> int:
    """Returns the status that Python would end with, where the interruption ends the program."""
    if isinstance(interruption, (KeyboardInterrupt, asyncio.CancelledError)):
        return 128 + signal.SIGINT  # asyncio is also notified of Ctrl-C this way.
    if not isinstance(interruption, SystemExit):
        return 1
    code = interruption.code
    return code if isinstance(code, int) else int(code is not None)


@atexit.register
def _end_without_what_was_given_up() -> None:
    """Ends the process where TensorFlow still computes for an interrupted call.

    Otherwise Python would free its objects while that thread uses them, and crash.
    """
    status = wait_for_what_was_given_up()
    if status is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
