"""The worker as an operating-system process: started, watched and stopped by this program."""

from __future__ import annotations

import atexit
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref

from tff_weights.runtime.worker import supervisor
from tff_weights.runtime.worker.options import WorkerOptions

_STOP_TIMEOUT_SECONDS = 5.0
_LOG_TAIL_BYTES = 2048


class WorkerError(RuntimeError):
    """TFF's worker did not start, or ended before it had answered."""


class WorkerProcess:
    """One running worker.

    The worker is in a session of its own, so that Ctrl-C reaches the program alone; it holds none
    of the program's files; and it is killed by its supervisor as soon as the program is gone.

    Attributes:
        port: The TCP port on which the worker answers.
        supervisor_pid: The number of the worker's parent and of their common process group.
    """

    def __init__(self, *, binary: pathlib.Path, options: WorkerOptions):
        """Starts the worker, without waiting until it answers.

        Args:
            binary: The path of TFF's `worker_binary`.
            options: The options of the worker.

        Raises:
            WorkerError: If there is no such binary or it cannot be started.
        """
        if not binary.is_file():
            raise WorkerError(
                f"TFF's worker is not at {binary}: install tensorflow-federated for this platform."
            )
        self._lock = threading.Lock()
        self._last_messages = ""
        with contextlib.ExitStack() as held:
            # A file without a name needs no cleaning up, even after SIGKILL.
            self._log = held.enter_context(tempfile.TemporaryFile())
            reservation = held.enter_context(_reserve_port())
            self.port: int = reservation.getsockname()[1]
            if not sys.platform.startswith("linux"):
                # Elsewhere a bound socket may be given the connections meant for the worker.
                reservation.close()
            command = [
                str(binary),
                f"--port={self.port}",
                f"--max_concurrent_computation_calls={options.max_concurrent_computation_calls}",
            ]
            try:
                self._supervisor = subprocess.Popen(
                    [sys.executable, "-I", "-S", supervisor.__file__, *command],
                    stdin=subprocess.PIPE,
                    stdout=self._log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    env=_worker_environment(),
                )
            except OSError as error:
                raise WorkerError(f"TFF's worker could not be started: {error}.") from error
            assert self._supervisor.stdin is not None
            held.enter_context(self._supervisor.stdin)
            self._held_files = held.pop_all()
        self.supervisor_pid: int = self._supervisor.pid
        self._owner_pid = os.getpid()
        _live_processes.add(self)

    @property
    def inherited(self) -> bool:
        """Whether this is a forked child's copy of an object that belongs to the parent."""
        return self._owner_pid != os.getpid()

    @property
    def alive(self) -> bool:
        """Whether the worker runs."""
        return self._supervisor.poll() is None

    def wait(self, *, timeout_seconds: float) -> bool:
        """Waits for the worker's end and returns whether it came in time."""
        try:
            self._supervisor.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def describe(self) -> str:
        """Says how the worker ended, if it did, and the end of its log."""
        status = self._supervisor.poll()
        if status is None:
            end = "The worker is running."
        elif status == 128 + signal.SIGKILL:
            end = "The worker was killed by SIGKILL, as when the machine runs out of memory."
        elif status > 128:
            end = f"The worker was ended by signal {status - 128}."
        elif status < 0:
            end = f"The worker's supervisor was ended by signal {-status}."
        else:
            end = f"The worker ended with exit status {status}."
        with self._lock:
            self._read_messages()
        if not self._last_messages:
            return f"{end} It left no messages."
        return f"{end} Its last messages:\n{self._last_messages}"

    def stop(self) -> None:
        """Ends the worker at once. It keeps nothing that a later worker would need."""
        if self.inherited:
            return
        _live_processes.discard(self)
        with self._lock:
            self._read_messages()
            self._held_files.close()  # The supervisor takes this for the end of the program.
        if not self.wait(timeout_seconds=_STOP_TIMEOUT_SECONDS) or self._supervisor.returncode < 0:
            # The supervisor hangs, or was itself killed by a signal and could not end the worker.
            # macOS answers with PermissionError if only zombies are left.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.supervisor_pid, signal.SIGKILL)
            self._supervisor.wait()

    def abandon(self) -> None:
        """Leaves the worker to the parent, in a child that was forked off this program.

        A forked child that kept the pipe open would keep the worker alive after the program.
        """
        self._held_files.close()

    def _read_messages(self) -> None:
        if self._log.closed:
            return
        descriptor = self._log.fileno()
        # `pread`, because the supervisor writes at the file position they share.
        start = max(0, os.fstat(descriptor).st_size - _LOG_TAIL_BYTES)
        tail = os.pread(descriptor, _LOG_TAIL_BYTES, start)
        self._last_messages = tail.decode(errors="replace").strip()


def _worker_environment() -> dict[str, str]:
    return {
        # The C library would give the worker's many threads eight heaps per processor, whose gaps
        # add up to hundreds of megabytes in a thousand rounds.
        "MALLOC_ARENA_MAX": str(os.cpu_count() or 1),
        **os.environ,
        # Level 1 shows warnings and errors: what explains a death, whatever the program has chosen
        # to see itself.
        "TF_CPP_MIN_LOG_LEVEL": "1",
    }


def _reserve_port() -> socket.socket:
    """Returns a socket bound to a port that no other program will be given while it is open.

    Two workers on one port would both start, and the kernel would share out the connections
    between them, because gRPC's servers set SO_REUSEPORT. The kernel never chooses a port for a
    socket while another is bound to it; having SO_REUSEPORT itself, this one lets the worker in.
    """
    dual_stack = socket.has_dualstack_ipv6()
    reservation = socket.socket(socket.AF_INET6 if dual_stack else socket.AF_INET)
    if dual_stack:
        reservation.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reservation.bind(("", 0))
    return reservation


_live_processes: weakref.WeakSet[WorkerProcess] = weakref.WeakSet()


def _stop_all() -> None:
    for process in list(_live_processes):
        process.stop()


def _abandon_all() -> None:
    for process in list(_live_processes):
        process.abandon()
    _live_processes.clear()


atexit.register(_stop_all)
os.register_at_fork(after_in_child=_abandon_all)
