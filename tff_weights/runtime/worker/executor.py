"""TFF's executor on a worker, which remembers what the worker already has."""

from __future__ import annotations

import operator
import weakref
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff


class RememberingExecutor(tff.framework.RemoteExecutor):
    """Sends the worker once what TFF sends it again with every call.

    * A computation: a learning process of some hundred kilobytes is called every round. The worker
      forgets it when this program has let go of it.
    * The data of a cohort that is the same as in the call before, where all clients take part in
      every round. That of cohorts that change is not kept.
    """

    def __init__(self, stub: Any):
        """Remembers nothing yet.

        Args:
            stub: The connection to the worker.
        """
        super().__init__(stub)
        self._computations: dict[int, Any] = {}  # By id: to compare two of them takes long.
        self._cohort: list[tf.data.Dataset] = []
        self._cohort_type: tff.Type | None = None
        self._cohort_at_worker: Any = None

    async def create_value(self, value: Any, type_spec: tff.Type | None = None) -> Any:
        """Gives the worker a value, unless it has it; called by TFF.

        Args:
            value: A computation, or data of the type.
            type_spec: The type.

        Returns:
            What stands for the value at the worker.
        """
        if isinstance(value, tff.framework.ConcreteComputation):
            return await self._create_computation(value, type_spec)
        cohort = _datasets_of_clients(value, type_spec)
        if cohort:
            return await self._create_cohort(cohort, value, type_spec)
        return await super().create_value(value, type_spec)

    async def _create_computation(self, value: Any, type_spec: tff.Type | None) -> Any:
        key = id(value)
        if key not in self._computations:
            self._computations[key] = await super().create_value(value, type_spec)
            weakref.finalize(value, self._computations.pop, key, None).atexit = False
        return self._computations[key]

    async def _create_cohort(
        self, cohort: list[tf.data.Dataset], value: Any, type_spec: tff.Type | None
    ) -> Any:
        # A data set never changes, and the list keeps it alive: the same object is the same data.
        is_known = (
            type_spec == self._cohort_type
            and len(cohort) == len(self._cohort)
            and all(map(operator.is_, cohort, self._cohort))
        )
        if is_known and self._cohort_at_worker is not None:
            return self._cohort_at_worker
        at_worker = await super().create_value(value, type_spec)
        self._cohort, self._cohort_type = cohort, type_spec
        self._cohort_at_worker = at_worker if is_known else None
        return at_worker


def _datasets_of_clients(value: Any, type_spec: tff.Type | None) -> list[tf.data.Dataset]:
    """Returns the data sets that a value at clients consists of, empty if it is anything else."""
    if not isinstance(type_spec, tff.FederatedType) or type_spec.placement != tff.CLIENTS:
        return []
    leaves = tf.nest.flatten(value)
    return leaves if all(isinstance(leaf, tf.data.Dataset) for leaf in leaves) else []
