"""A TFF execution context around a worker process of our own."""

from __future__ import annotations

import functools
import logging
import pathlib
import threading
import time
from typing import Any

import grpc
import tensorflow_federated as tff

from tff_weights.runtime.compilation import compile_natively
from tff_weights.runtime.worker.executor import RememberingExecutor
from tff_weights.runtime.worker.options import WorkerOptions
from tff_weights.runtime.worker.process import WorkerError, WorkerProcess

_POLL_INTERVAL_SECONDS = 0.005
_END_OF_LIFE_TIMEOUT_SECONDS = 1.0
_WORKER_BINARY = pathlib.Path(tff.__file__).parent / "data" / "worker_binary"

# TFF's own limit, just below the two gibibytes of a protocol buffer.
_MAX_MESSAGE_BYTES = 2 * 1000 * 1000 * 1000
_CHANNEL_OPTIONS = (
    ("grpc.max_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    # A proxy set in the environment must not be asked for the way to this machine.
    ("grpc.enable_http_proxy", 0),
    # The worker is not listening yet at the first attempt to connect; gRPC would rest a second.
    ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 100),
)
_RETRYABLE_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION)

_logger = logging.getLogger(__name__)


class _LostCall(grpc.RpcError):
    """A call that failed in a way which TFF would retry without end.

    Not being a `grpc.Call`, it passes through TFF's retries and reaches `LocalWorkerContext`.
    """


class _NothingToDispose:
    """The outcome of asking a dead worker to forget a value."""

    def result(self) -> None:
        pass


class _EndRetries(grpc.UnaryUnaryClientInterceptor):
    """Turns the errors that TFF retries for ever into `_LostCall`."""

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        outcome = continuation(details, request)
        error = outcome.exception()
        if isinstance(error, grpc.RpcError) and outcome.code() in _RETRYABLE_CODES:
            if details.method.rpartition("/")[2] in ("Dispose", "DisposeExecutor"):
                return _NothingToDispose()  # Called by destructors, where errors are only noise.
            raise _LostCall(f"{outcome.code().name}: {outcome.details()}") from error
        return outcome


class _Connection:
    """One worker process, the channel to it, and the TFF context that speaks over the channel."""

    def __init__(self, options: WorkerOptions):
        self.process = WorkerProcess(binary=_WORKER_BINARY, options=options)
        self._deadline = time.monotonic() + options.startup_timeout_seconds
        self._startup_timeout_seconds = options.startup_timeout_seconds
        self._has_answered = False
        channel = grpc.insecure_channel(f"127.0.0.1:{self.process.port}", _CHANNEL_OPTIONS)
        self._stub = tff.framework.RemoteExecutorGrpcStub(
            grpc.intercept_channel(channel, _EndRetries())
        )
        self.context = tff.framework.SyncExecutionContext(
            tff.framework.ResourceManagingExecutorFactory(self._create_executor),
            functools.partial(
                compile_natively, simulate_secure_aggregation=options.simulate_secure_aggregation
            ),
            transform_args=tff.tensorflow.transform_args,
            transform_result=tff.tensorflow.transform_result,
        )

    def _create_executor(self, cardinalities: dict[Any, int]) -> Any:
        self._wait_until_ready()
        cardinalities.setdefault(tff.CLIENTS, 0)
        executor = RememberingExecutor(self._stub)
        executor.set_cardinalities(cardinalities)
        return executor

    def _wait_until_ready(self) -> None:
        # Asked at the start only: a channel that has been idle for long is not ready either.
        while not (self._has_answered or self._stub.is_ready):
            if not self.process.alive:
                raise _LostCall("the worker has ended")
            if time.monotonic() > self._deadline:
                raise WorkerError(
                    f"TFF's worker did not answer in {self._startup_timeout_seconds:g} seconds "
                    f"(startup_timeout_seconds). {self.process.describe()}"
                )
            time.sleep(_POLL_INTERVAL_SECONDS)
        self._has_answered = True


class LocalWorkerContext(tff.framework.SyncContext):
    """Executes computations as TFF's native context does, on a worker that this program owns.

    The worker starts at the first computation. It keeps nothing from one computation to the next,
    so a computation whose worker dies is tried once more on a new worker. A worker whose
    computation is interrupted, as by Ctrl-C, is stopped rather than left computing.
    """

    def __init__(self, options: WorkerOptions):
        """Chooses the options; starts nothing.

        Args:
            options: The options of the worker.
        """
        self.options = options
        self._connection: _Connection | None = None
        self._closed = False
        self._lock = threading.Lock()

    def invoke(self, comp: Any, arg: Any) -> Any:
        """Executes `comp` with `arg`; called by TFF.

        Args:
            comp: The TFF computation.
            arg: Its argument, or None.

        Returns:
            The result of the computation.

        Raises:
            ValueError: If the computation holds secure sums and the options do not simulate them.
            WorkerError: If the context is closed, the worker cannot be started, two workers in
                succession died of the computation, or this is a forked child of the program.
        """
        try:
            return self._invoke_once(comp, arg)
        except _LostCall as error:
            _logger.warning("Trying once more on a new worker: %s", error)
        try:
            return self._invoke_once(comp, arg)
        except _LostCall as error:
            raise WorkerError(f"TFF's worker failed twice in one computation: {error}") from error

    def close(self) -> None:
        """Stops the worker. The context executes nothing any more."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.process.stop()
                self._connection = None

    def _invoke_once(self, comp: Any, arg: Any) -> Any:
        connection = self._connect()
        try:
            return connection.context.invoke(comp, arg)
        except _LostCall as error:
            # The connection breaks a moment before the supervisor has seen the worker's end.
            connection.process.wait(timeout_seconds=_END_OF_LIFE_TIMEOUT_SECONDS)
            description = connection.process.describe()
            self._disconnect(connection)
            raise _LostCall(f"{error}. {description}") from error
        except (KeyboardInterrupt, SystemExit):
            self._disconnect(connection)
            raise

    def _connect(self) -> _Connection:
        with self._lock:
            if self._closed:
                raise WorkerError(
                    "This worker was stopped: run computations inside `with local_worker():`, "
                    "or call `use_local_worker()` first."
                )
            if self._connection is not None and self._connection.process.inherited:
                raise WorkerError(
                    "gRPC and TensorFlow do not survive a fork: start the processes that run TFF "
                    "computations with the multiprocessing start method 'spawn'."
                )
            if self._connection is not None and not self._connection.process.alive:
                self._connection.process.stop()
                self._connection = None
            if self._connection is None:
                self._connection = _Connection(self.options)
            return self._connection

    def _disconnect(self, connection: _Connection) -> None:
        with self._lock:
            # The channel is left to the garbage collector, so that the calls of other threads fail
            # in the usual way.
            connection.process.stop()
            if self._connection is connection:  # Another thread may have put a new one here.
                self._connection = None
