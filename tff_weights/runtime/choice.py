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

if TYPE_CHECKING:
    from tff_weights.runtime.cluster.traffic import Traffic
    from tff_weights.runtime.program.async_context import AsyncContext
    from tff_weights.runtime.program.context import ProgramContext

RuntimeOptions: TypeAlias = Union[ProgramOptions, ClusterOptions]

# The runtimes that were chosen until the program ends, the latest one last.
_chosen: dict[RuntimeOptions, ProgramContext] = {}
_choosing = threading.Lock()


@contextlib.contextmanager
def using(options: RuntimeOptions | None = None) -> Iterator[None]:
    """Runs the TFF computations inside a `with` statement on a runtime of their own.

    When the `with` statement ends, the runtime is closed, and TFF's default context is what it was
    before.

    Args:
        options: `ProgramOptions` to compute inside this program, `ClusterOptions` to spread the
            clients over a Ray cluster; the defaults of `ProgramOptions` if None.

    Yields:
        Nothing: computations find the runtime by themselves.

    Raises:
        TypeError: If `options` is none of these.
        ModuleNotFoundError: If a cluster is wanted and Ray is not installed.
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
        Exception: As `using`.
    """
    context = _context_for_life(options)
    import tensorflow_federated as tff

    tff.framework.set_default_context(context)


def async_context(options: RuntimeOptions | None = None) -> AsyncContext:
    """Returns the runtime that `use` chooses for programs that await their computations.

    Those of `tff.program` and `tff.learning.programs` do:

        context = tff.program.NativeFederatedContext(runtime.async_context())
        tff.framework.set_default_context(context)

    Args:
        options: As for `use`.

    Raises:
        Exception: As `using`.
    """
    context = _context_for_life(options)
    from tff_weights.runtime.program.async_context import AsyncContext

    return AsyncContext(context)


def traffic() -> Traffic | None:
    """Returns the traffic of this thread's runtime so far; None if it is no cluster."""
    import tensorflow_federated as tff

    return getattr(tff.framework.get_context_stack().current, "traffic", None)


def _context_for_life(options: RuntimeOptions | None) -> ProgramContext:
    if options is not None:
        _check(options)  # What is no options need not be hashable.
    with _choosing:  # Threads that choose the same runtime at once must not start two.
        if options is None:
            options = next(reversed(_chosen), ProgramOptions())
        context = _chosen.get(options) or _new_context(options)
        _chosen.pop(options, None)
        _chosen[options] = context
    return context


def _check(options: object) -> None:
    if not isinstance(options, (ProgramOptions, ClusterOptions)):
        raise TypeError(
            f"options must be ProgramOptions, ClusterOptions or None, but are {options!r}."
        )


def _new_context(options: RuntimeOptions) -> ProgramContext:
    _check(options)
    atexit.unregister(_release_default_context)
    atexit.register(_release_default_context)
    # Deferred, because they import TensorFlow, which takes seconds.
    if isinstance(options, ProgramOptions):
        from tff_weights.runtime.program.context import ProgramContext

        return ProgramContext(options)
    from tff_weights.runtime.cluster.context import ClusterContext

    return ClusterContext(options)


def _release_default_context() -> None:
    """Lets TFF destroy its default context, which it sets on import, before the interpreter ends.

    At the interpreter's end, its destructor prints a traceback, and does not stop a worker that a
    computation outside our contexts has started.
    """
    from tensorflow_federated.python.core.impl.context_stack import set_default_context

    set_default_context.set_no_default_context()
