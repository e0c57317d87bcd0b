"""TFF's executor on a worker, which remembers what the worker already has."""

from __future__ import annotations

import weakref
from typing import Any

import tensorflow_federated as tff


class RememberingExecutor(tff.framework.RemoteExecutor):
    """Sends the worker each computation once, where TFF sends it again with every call.

    A learning process of some hundred kilobytes is called every round. The worker forgets a
    computation when this program has let go of it.
    """

    def __init__(self, stub: Any):
        """Remembers nothing yet.

        Args:
          stub: The connection to the worker.
        """
        super().__init__(stub)
        self._sent: dict[int, Any] = {}  # By id: to compare two computations takes long.

    async def create_value(self, value: Any, type_spec: tff.Type | None = None) -> Any:
        """Gives the worker a value, unless it is a computation that it has; called by TFF.

        Args:
          value: A computation, or data of the type.
          type_spec: The type.

        Returns:
          What stands for the value at the worker.
        """
        if not isinstance(value, tff.framework.ConcreteComputation):
            return await super().create_value(value, type_spec)
        key = id(value)
        if key not in self._sent:
            self._sent[key] = await super().create_value(value, type_spec)
            weakref.finalize(value, self._sent.pop, key, None).atexit = False
        return self._sent[key]
