"""The runtime inside the program for programs that await their computations."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import tensorflow_federated as tff

from tff_weights.runtime.program.context import ProgramContext
from tff_weights.runtime.program.ingestion import KeeperFactory


class AsyncContext(tff.framework.AsyncExecutionContext):
    """Executes computations as a `ProgramContext` does, while the program does other things.

    Computations that are awaited together run at the same time. Being of TFF's own class, it has
    an executor for TFF's data sources that prefetch; that one executes nothing.
    """

    def __init__(self, context: ProgramContext):
        """Wraps a context.

        Args:
            context: What executes the computations.
        """
        super().__init__(KeeperFactory())
        self._context = context

    async def invoke(self, comp: Any, arg: Any) -> Any:
        """Executes `comp` with `arg`; called by TFF.

        Args:
            comp: The TFF computation.
            arg: Its argument, an awaitable for it, or None.

        Returns:
            The result of the computation.

        Raises:
            Exception: As `ProgramContext.invoke`.
        """
        if asyncio.iscoroutine(arg):
            arg = await arg
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def announce_end() -> None:
            with contextlib.suppress(RuntimeError):  # The result was not awaited.
                loop.call_soon_threadsafe(ended.set)

        call = self._context.start(comp, arg, announce_end)
        try:
            await ended.wait()
        except asyncio.CancelledError as interruption:
            call.give_up(interruption)
            raise
        return call.result()
