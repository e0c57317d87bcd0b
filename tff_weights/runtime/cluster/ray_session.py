"""Ray, started quietly, on this machine's loopback or joined at an address."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from tff_weights.runtime.cluster.errors import ClusterError
from tff_weights.runtime.own_folder import OwnFolder
from tff_weights.runtime.program.interruption import wait_for_what_was_given_up

_CONNECT_TIMEOUT_SECONDS = 10
# How long Ray's processes outlive a program that is killed; 60 s otherwise.
_ORPHANS_SECONDS = 5
_FOLDER_PREFIX = "tff-weights-ray-"
# For a socket's name Ray appends about 65 characters, and Linux allows 107. Python appends eight to
# the prefix.
_LONGEST_PARENT = 40 - len(f"/{_FOLDER_PREFIX}") - 8

_QUIET_RAY = {
    # After its end, Ray would start again for another thread's call.
    "RAY_ENABLE_AUTO_CONNECT": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Its errors reach this program as exceptions.
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}


def check_ray_address(address: str) -> None:
    """Checks whether a cluster answers, since Ray itself retries silently for minutes.

    Args:
        address: As for `RaySession`.

    Raises:
        ValueError: If the address names a host and port and nothing answers there.
    """
    host, separator, port = address.rpartition("//")[2].rpartition(":")
    if not separator:  # For example "auto", which Ray answers at once.
        return
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_TIMEOUT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ValueError(f"nothing answers at {address!r}, the Ray cluster ({error})") from error


def import_ray() -> Any:
    """Imports Ray, which takes a second and is not needed without a cluster.

    Raises:
        ModuleNotFoundError: If it is not installed; the message says what installs it.
    """
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise ModuleNotFoundError(
            "ray is not installed; it comes with pip install 'tff-weights[cluster]'", name="ray"
        ) from error


class RaySession:
    """This program's connection to a Ray cluster, until `close` or the program's end.

    Its own cluster then leaves no processes and no files.

    Attributes:
        starts_cluster: Whether this session has started the cluster.
    """

    def __init__(self, *, address: str | None, num_cpus: int):
        """Starts a cluster, or joins one; a program that already uses Ray goes on as it is.

        Args:
            address: Where the cluster is; None for one of this program's own.
            num_cpus: The number of processors that this program's own cluster assumes.

        Raises:
            ConnectionError: If there is no cluster at the address.
            ValueError: If nothing answers at the address.
        """
        for variable, value in _QUIET_RAY.items():
            os.environ.setdefault(variable, value)
        if address is not None:
            check_ray_address(address)
        ray = import_ray()
        self._lock = threading.RLock()
        self._closed = False
        self._folder: OwnFolder | None = None
        self._starter: _Starter | None = None
        self._has_joined = not ray.is_initialized()
        self.starts_cluster = self._has_joined and address is None
        atexit.register(self.close)
        if not self._has_joined:
            return
        with _hidden_standard_error(), _kept_signal_handlers():
            if address is not None:
                self._starter = _Starter(
                    address=address, log_to_driver=False, logging_level="ERROR"
                )
                return
            os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", str(_ORPHANS_SECONDS))
            parent = tempfile.gettempdir()
            self._folder = OwnFolder(
                _FOLDER_PREFIX,
                parent=parent if len(parent) <= _LONGEST_PARENT else "/tmp",
                patience_seconds=_ORPHANS_SECONDS + 2,
            )
            self._starter = _Starter(
                # Never the cluster of another program, which Ray would join if it found one.
                address="local",
                # Ray listens on all of the machine's addresses otherwise, and asks for no password.
                _node_ip_address="127.0.0.1",
                _temp_dir=self._folder.path,
                num_cpus=num_cpus,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
            )

    @contextlib.contextmanager
    def calling(self) -> Iterator[None]:
        """Around each call of Ray on a thread that may outlive the session.

        A call after Ray's end would end the program at once, with status 1. A thread may make one
        if Ctrl-C has interrupted its computation. `close` waits for such a block: it is short.

        Raises:
            ClusterError: If the session is closed.
        """
        with self._lock:
            if self._closed:
                raise ClusterError("The session with the Ray cluster is closed.")
            yield

    def close(self) -> None:
        """Leaves the cluster, and ends it if it is this program's own."""
        with self._lock:
            self._closed = True
        # Deleting references to Ray's objects calls Ray again.
        wait_for_what_was_given_up()
        atexit.unregister(self.close)
        if not self._has_joined:
            return
        ray = import_ray()
        self._has_joined = False
        ray.shutdown()
        if self._starter is not None:
            self._starter.end()
        if self._folder is not None:
            self._folder.remove()

    def __enter__(self) -> RaySession:
        """Returns the session."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the session."""
        self.close()


@contextlib.contextmanager
def _hidden_standard_error() -> Iterator[None]:
    """Hides the start-up messages of Ray's C++ parts, for which there is no option."""
    standard_error = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(standard_error, 2)
        os.close(standard_error)


class _Starter(threading.Thread):
    """Calls `ray.init` on another thread: on the main thread Ray would handle SIGTERM.

    The thread stays as long as Ray: Ray's processes end with the thread that made them.
    """

    def __init__(self, **options: Any):
        """Starts Ray, and returns when that is done.

        Args:
            **options: Those of `ray.init`, whose errors are raised.
        """
        super().__init__(name="Ray's start", daemon=True)
        self._options = options
        self._error: BaseException | None = None
        self._has_started, self._may_end = threading.Event(), threading.Event()
        self.start()
        self._has_started.wait()
        if self._error is not None:
            raise self._error

    def run(self) -> None:
        ray = import_ray()
        # Inherited by Ray's processes, which block it themselves only after their fork.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            ray.init(**self._options)
        except BaseException as error:
            self._error = error
        finally:
            self._has_started.set()
        if self._error is None:
            self._may_end.wait()

    def end(self) -> None:
        """Ends the thread, once Ray has been shut down."""
        self._may_end.set()
        self.join()


@contextlib.contextmanager
def _kept_signal_handlers() -> Iterator[None]:
    """Keeps the program's ways of ending by SIGTERM and Ctrl-C while Ray starts, and after it.

    Ray's own answer to SIGTERM prints a stack and aborts. Ctrl-C waits until Ray has started: after
    an interrupted start, Ray's C++ parts crash at the program's end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # On other threads signals are not handled, and handlers cannot be set.
        return
    at_sigterm, at_ctrl_c = map(signal.getsignal, (signal.SIGTERM, signal.SIGINT))
    interrupts: list[int] = []
    if callable(at_ctrl_c):
        signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, at_sigterm)
        if callable(at_ctrl_c):
            signal.signal(signal.SIGINT, at_ctrl_c)
        if interrupts:
            signal.raise_signal(signal.SIGINT)
