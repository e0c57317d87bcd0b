"""A TFF execution context that computes inside this program."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.runtime.compilation import compile_natively
from tff_weights.runtime.program import values
from tff_weights.runtime.program.cohort import ClientThreads, Cohort, LocalCohort
from tff_weights.runtime.program.devices import device_of, keep_xla_single_threaded
from tff_weights.runtime.program.errors import UnsupportedComputationError, rpc_error
from tff_weights.runtime.program.functions import forget_what_ran
from tff_weights.runtime.program.ingestion import ingested
from tff_weights.runtime.program.interpreter import Interpretation
from tff_weights.runtime.program.interruption import CallThreads, InterruptibleCall
from tff_weights.runtime.program.options import ProgramOptions

# Takes the argument and the current call; returns the result.
_Run: TypeAlias = Callable[[Any, InterruptibleCall], Any]
# Takes the cohort's size and the current call; returns the cohort.
MakeCohort: TypeAlias = Callable[[int, InterruptibleCall], Cohort]


class ProgramContext(tff.framework.SyncContext):
    """Executes computations with the program's own TensorFlow, without any other process.

    A computation is compiled as TFF's native context compiles it, and read by the interpreter when
    it is called for the first time; both are kept as long as the computation lives.
    """

    def __init__(self, options: ProgramOptions):
        """Chooses the options; computes nothing.

        Args:
            options: The options.

        Raises:
            ValueError: If a GPU is wanted and TensorFlow sees none.
        """
        self.options = options
        keep_xla_single_threaded()
        self._device = device_of(options.device)
        self._call_threads = CallThreads()
        self._client_threads = ClientThreads(options.client_threads)
        self._computations: dict[int, _Run] = {}  # By id: comparing takes long.
        self._lock = threading.RLock()
        self._closed = False
        self._owner_pid = os.getpid()

    def invoke(self, comp: Any, arg: Any) -> Any:
        """Executes `comp` with `arg`; called by TFF.

        The computation runs on its own thread, so that Ctrl-C can end the wait.

        Args:
            comp: The TFF computation.
            arg: Its argument, or None.

        Returns:
            The result of the computation.

        Raises:
            OpError: Of TensorFlow, if an operation fails. It is also an `RpcError` of gRPC, which
                TFF's worker raises.
            RuntimeError: If the context is closed, or this is a forked child of the program.
            TypeError: If the argument is not of the computation's type.
            UnsupportedComputationError: If the computation holds something that is not interpreted.
            ValueError: If the computation holds secure sums and the options do not simulate them.
        """
        return self.start(comp, arg).result()

    def start(
        self, comp: Any, arg: Any, on_end: Callable[[], None] = lambda: None
    ) -> InterruptibleCall:
        """Starts to execute `comp` with `arg`, see `invoke`.

        Args:
            comp: The TFF computation.
            arg: Its argument, or None.
            on_end: As for `InterruptibleCall`.

        Raises:
            RuntimeError: If the context is closed, or this is a forked child of the program.
        """
        if self._owner_pid != os.getpid():
            raise RuntimeError(
                "TensorFlow does not survive a fork: start the processes that run TFF computations "
                "with the multiprocessing start method 'spawn'."
            )
        if self._closed:
            raise RuntimeError(
                "This runtime was closed: run computations inside `with runtime.using():`, or call "
                "`runtime.use()` first."
            )
        return InterruptibleCall(
            lambda call: self._computation(comp)(arg, call), self._call_threads, on_end
        )

    def close(self) -> None:
        """Ends the threads. The context executes nothing any more.

        TensorFlow's caches of all operations in this program are freed as well; they are rebuilt
        when needed.
        """
        with self._lock:
            self._closed = True
            self._computations.clear()
            self._client_threads.close()
            self._call_threads.close()
        forget_what_ran()

    def _computation(self, comp: Any) -> _Run:
        key = id(comp)
        with self._lock:
            if key not in self._computations:
                self._computations[key] = self._prepare(comp)
                weakref.finalize(comp, _forget, self._computations, key).atexit = False
            return self._computations[key]

    def _prepare(self, comp: Any) -> _Run:
        parameter_type, result_type = comp.type_signature.parameter, comp.type_signature.result
        takes_nothing = parameter_type is None
        if takes_nothing:
            parameter_type = tff.StructType([])
        for what, type_spec in (("an argument", parameter_type), ("a result", result_type)):
            if _holds_function(type_spec):
                raise UnsupportedComputationError(f"{what} with a function, {type_spec},")
        block = compile_natively(
            comp, simulate_secure_aggregation=self.options.simulate_secure_aggregation
        )
        run = Interpretation(block, self._device)
        make_cohort = self._cohorts_of(block)

        def run_once(arg: Any, call: InterruptibleCall) -> Any:
            if takes_nothing:
                arg = ()
            size = values.num_clients(arg, parameter_type)
            arg = ingested(arg, parameter_type)
            cohort = make_cohort(self.options.default_num_clients if size is None else size, call)
            try:
                argument = cohort.enter(values.from_python(arg, parameter_type), parameter_type)
                result = cohort.leave(run(argument, cohort), result_type)
                return values.to_python(result, result_type)
            except tf.errors.OpError as error:
                made = rpc_error(error.error_code, error.message)
                raise made.with_traceback(error.__traceback__) from None

        return run_once

    def _cohorts_of(self, block: tff.framework.ComputationBuildingBlock) -> MakeCohort:
        """Returns what makes a cohort at each call of a computation."""
        del block
        return lambda size, call: LocalCohort(size, self._client_threads, call.raise_if_given_up)


def _forget(computations: dict[int, _Run], key: int) -> None:
    """Frees what was made of a computation, which TensorFlow would keep in memory."""
    if computations.pop(key, None) is not None:
        forget_what_ran()


def _holds_function(type_spec: tff.Type) -> bool:
    return isinstance(type_spec, tff.FunctionType) or any(
        map(_holds_function, type_spec.children())
    )
