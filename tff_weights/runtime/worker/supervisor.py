"""The small process between the program and its worker: it ends the worker with the program.

Run as a script, by its path, so that it starts in milliseconds and imports nothing of the project:

    python -I -S supervisor.py WORKER_COMMAND...

Standard input is the read end of a pipe whose write end only the program holds. The kernel closes
the write end when the program ends, even by SIGKILL, and the supervisor then kills the worker.
Being the worker's parent, the supervisor cannot kill a stranger that was given the worker's old
process number.

What the worker prints is copied to standard output, a file, of which only the newest part is kept.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys

_LOG_LIMIT_BYTES = 256 * 1024
_PR_SET_PDEATHSIG = 1  # From <linux/prctl.h>.
_PROGRAM_PIPE = 0
_LOG_FILE = 1


class _BoundedLog:
    """A log file that is cut to its newest half whenever it grows over the limit."""

    def __init__(self, descriptor: int, limit_bytes: int):
        self._descriptor = descriptor
        self._limit_bytes = limit_bytes
        self._content = b""

    def append(self, chunk: bytes) -> None:
        self._content += chunk
        try:
            if len(self._content) > self._limit_bytes:
                self._content = chunk = self._content[-(self._limit_bytes // 2) :]
                os.ftruncate(self._descriptor, 0)
                os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, chunk)
        except OSError:  # The disk is full: a log is not worth the worker's life.
            pass


def _supervise(command: list[str]) -> int:
    """Runs `command` until it ends or the program does, and returns its exit status."""
    # SIGTERM raises, so that `finally` comes about.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    worker = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=_end_with_parent if sys.platform.startswith("linux") else None,
    )
    try:
        _copy_output_until_an_end(worker)
    finally:
        worker.kill()  # Does nothing to a worker that has ended.
        status = worker.wait()
    return status


def _end_with_parent() -> None:
    """Asks Linux to kill this process when its parent ends, even by SIGKILL.

    `killall -9 python` kills program and supervisor, and Ray kills the children of a process that
    has ended, but not their children: neither finds the worker.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _copy_output_until_an_end(worker: subprocess.Popen[bytes]) -> None:
    """Returns when the worker has closed its output by ending, or the program the pipe."""
    assert worker.stdout is not None
    output = worker.stdout.fileno()
    log = _BoundedLog(_LOG_FILE, _LOG_LIMIT_BYTES)
    while True:
        readable, _, _ = select.select([_PROGRAM_PIPE, output], [], [])
        if _PROGRAM_PIPE in readable:  # Nothing is ever written to it: it was closed.
            return
        chunk = os.read(output, 65536)
        if not chunk:
            return
        log.append(chunk)


if __name__ == "__main__":
    status = _supervise(sys.argv[1:])
    # As in a shell, 128 + n says that the worker was ended by signal n.
    sys.exit(status if status >= 0 else 128 - status)
