"""Choosing where TFF computations run."""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Union

from typing_extensions import TypeAlias

from tff_weights.runtime.cluster.options import ClusterOptions
from tff_weights.runtime.program.options import ProgramOptions
from tff_weights.runtime.worker.options import WorkerOptions

if TYPE_CHECKING:
    from tff_weights.runtime.cluster.traffic import Traffic
    from tff_weights.runtime.program.context import ProgramContext
    from tff_weights.runtime.worker.context import LocalWorkerContext

RuntimeOptions: TypeAlias = Union[ProgramOptions, ClusterOptions, WorkerOptions]
_Context: TypeAlias = "ProgramContext | LocalWorkerContext"

# Those that were chosen until the program ends, the latest one last.
_chosen: dict[RuntimeOptions, _Context] = {}
_choosing = threading.Lock()


@contextlib.contextmanager
def using(options: RuntimeOptions | None = None) -> Iterator[None]:
    """Runs the TFF computations inside a `with` statement on a runtime of their own.

    When the `with` statement ends, the runtime is closed, and TFF's default context is what it was
    before.

    Args:
        options: `ProgramOptions` to compute inside this program, `ClusterOptions` to spread the
            clients over a Ray cluster, `WorkerOptions` for a worker process of TFF's; the defaults
            of `ProgramOptions` if None.

    Yields:
        Nothing: computations find the runtime by themselves.

    Raises:
        TypeError: If `options` is none of these.
        ConnectionError: If there is no cluster at the address.
        ValueError: If a GPU is wanted and TensorFlow sees none, nothing answers at the cluster's
            address, or the cluster is too small.
    """
    context = _new_context(ProgramOptions() if options is None else options)
    import tensorflow_federated as tff

    previous = tff.framework.get_context_stack().current
    tff.framework.set_default_context(context)
    try:
        yield
    finally:
        tff.framework.set_default_context(previous)
        context.close()


def use(options: RuntimeOptions | None = None) -> None:
    """Runs all later TFF computations of this thread on one runtime, until the program ends.

    Calling it again with equal options changes nothing. TFF keeps one default context per thread,
    so another thread that runs computations calls this function too, and shares the runtime.

    Args:
        options: As for `using`. If None, those of the latest call, or the defaults of
            `ProgramOptions`.

    Raises:
        TypeError: If `options` is of another type.
        ValueError: If a GPU is wanted and TensorFlow sees none.
    """
    with _choosing:  # Threads that choose the same runtime at once must not start two.
        if options is None:
            options = next(reversed(_chosen), ProgramOptions())
        context = _chosen.get(options) or _new_context(options)
        _chosen.pop(options, None)
        _chosen[options] = context
    import tensorflow_federated as tff

    tff.framework.set_default_context(context)


def local_worker(options: WorkerOptions | None = None) -> contextlib.AbstractContextManager[None]:
    """As `using`, with a worker process that starts at the first computation.

    Args:
        options: The options of the worker; the defaults of `WorkerOptions` if None.
    """
    return using(WorkerOptions() if options is None else options)


def use_local_worker(options: WorkerOptions | None = None) -> None:
    """As `use`, with a worker process that starts at the first computation.

    Args:
        options: The options of the worker; the defaults of `WorkerOptions` if None.
    """
    use(WorkerOptions() if options is None else options)


def traffic() -> Traffic | None:
    """Returns what this thread's runtime has moved so far; None if it is no cluster."""
    import tensorflow_federated as tff

    return getattr(tff.framework.get_context_stack().current, "traffic", None)


def _new_context(options: RuntimeOptions) -> _Context:
    if not isinstance(options, (ProgramOptions, ClusterOptions, WorkerOptions)):
        raise TypeError(
            "options must be ProgramOptions, ClusterOptions, WorkerOptions or None, but are "
            f"{options!r}."
        )
    # Deferred, because they import TensorFlow, which takes seconds.
    from tff_weights.runtime.program.context import ProgramContext
    from tff_weights.runtime.worker.context import LocalWorkerContext

    atexit.unregister(_release_default_context)
    atexit.register(_release_default_context)
    if isinstance(options, ProgramOptions):
        return ProgramContext(options)
    if isinstance(options, ClusterOptions):
        from tff_weights.runtime.cluster.context import ClusterContext  # Needs more of TFF.

        return ClusterContext(options)
    return LocalWorkerContext(options)


def _release_default_context() -> None:
    """Lets TFF destroy the default context that it sets on import while it still can.

    Left to the interpreter's last moments, its destructor prints a traceback, and does not stop
    the worker that a computation outside our contexts may have started.
    """
    import tensorflow_federated as tff

    closed = _new_context(WorkerOptions())
    closed.close()
    tff.framework.set_default_context(closed)
