"""Choosing a worker of our own as the place where TFF computations run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tff_weights.runtime.options import WorkerOptions

if TYPE_CHECKING:
    from tff_weights.runtime.context import LocalWorkerContext

_process_context: LocalWorkerContext | None = None


@contextlib.contextmanager
def local_worker(options: WorkerOptions | None = None) -> Iterator[None]:
    """Runs the TFF computations inside a `with` statement on a worker of their own.

    The worker starts at the first computation and is stopped when the `with` statement ends; TFF's
    default context is then what it was before.

    Args:
      options: The options of the worker; the defaults of `WorkerOptions` if None.

    Yields:
      Nothing: computations find the worker by themselves.

    Raises:
      TypeError: If `options` is no `WorkerOptions`.
    """
    context = _new_context(options)
    import tensorflow_federated as tff

    previous = tff.framework.get_context_stack().current
    tff.framework.set_default_context(context)
    try:
        yield
    finally:
        tff.framework.set_default_context(previous)
        context.close()


def use_local_worker(options: WorkerOptions | None = None) -> None:
    """Runs all later TFF computations of this thread on one worker, until the program ends.

    Calling it again changes nothing. TFF keeps one default context per thread, so another thread
    that runs computations calls this function too, and shares the worker.

    Args:
      options: The options of the worker. If None, those of the first call, or the defaults of
        `WorkerOptions`.

    Raises:
      TypeError: If `options` is no `WorkerOptions`.
      ValueError: If `options` differ from those of an earlier call.
    """
    global _process_context
    if _process_context is None:
        _process_context = _new_context(options)
    elif options is not None and options != _process_context.options:
        raise ValueError(
            f"options must be those of the first call, {_process_context.options}, but are "
            f"{options}: a program has one worker for life, use local_worker() for another."
        )
    import tensorflow_federated as tff

    tff.framework.set_default_context(_process_context)


def _new_context(options: WorkerOptions | None) -> LocalWorkerContext:
    if options is None:
        options = WorkerOptions()
    if not isinstance(options, WorkerOptions):
        raise TypeError(f"options must be a WorkerOptions or None, but is {options!r}.")
    # Deferred, because it imports TensorFlow, which takes seconds.
    from tff_weights.runtime.context import LocalWorkerContext

    return LocalWorkerContext(options)
