"""Arguments that bring themselves into a computation, such as data that TFF has prefetched."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import tensorflow_federated as tff
from tensorflow_federated.python.core.impl.executors.executor_base import Executor
from tensorflow_federated.python.core.impl.executors.executor_value_base import ExecutorValue

from tff_weights.runtime.program.errors import (
    UnsupportedComputationError,
    conflicting_numbers,
)
from tff_weights.runtime.program.values import num_clients


class _KeptValue(ExecutorValue):
    """A Python value, as it was given."""

    def __init__(self, value: Any, type_spec: tff.Type):
        self._value = value
        self._type_spec = type_spec

    @property
    def type_signature(self) -> tff.Type:
        return self._type_spec

    @property
    def reference(self) -> Any:
        return self._value

    async def compute(self) -> Any:
        return self._value


class _Keeper(Executor):
    """Keeps values until a computation is called with them; computes nothing."""

    async def create_value(self, value: Any, type_spec: Any = None) -> _KeptValue:
        return _KeptValue(value, tff.to_type(type_spec))

    async def create_call(self, comp: Any, arg: Any = None) -> NoReturn:
        raise UnsupportedComputationError("An argument that computes itself")

    async def create_struct(self, elements: Any) -> NoReturn:
        raise UnsupportedComputationError("An argument that is put together of others")

    async def create_selection(self, source: Any, index: int) -> NoReturn:
        raise UnsupportedComputationError("An argument that is part of another")

    def close(self) -> None:
        """Has nothing to close."""


class KeeperFactory(tff.framework.ExecutorFactory):
    """What TFF asks for where it brings data to an executor before they are needed."""

    def create_executor(self, cardinalities: tff.framework.CardinalitiesType) -> Executor:
        """Returns the one executor there is."""
        del cardinalities
        return _KEEPER

    def clean_up_executor(self, cardinalities: tff.framework.CardinalitiesType) -> None:
        """Does nothing: the executor has no state."""


_KEEPER = _Keeper()


def ingested(argument: Any, type_spec: tff.Type) -> Any:
    """Returns an argument with the Python values that its parts bring.

    As in TFF, it is such a part itself, or a `tff.structure.Struct` of them and of other values.

    Args:
        argument: The argument of a computation, of as many elements as its type.
        type_spec: Its type.

    Raises:
        TypeError: If a part is of another type.
        UnsupportedComputationError: If a part is the result of a computation.
        ValueError: If a part brings another number of clients than it tells.
    """
    if isinstance(argument, tff.framework.Ingestable):
        return _python_value(argument, type_spec)
    if not isinstance(argument, tff.structure.Struct) or not isinstance(type_spec, tff.StructType):
        return argument
    return tff.structure.Struct(
        (name, ingested(part, part_type))
        for (name, part), (_, part_type) in zip(
            tff.structure.iter_elements(argument), tff.structure.iter_elements(type_spec)
        )
    )


def _python_value(argument: tff.framework.Ingestable, type_spec: tff.Type) -> Any:
    if not type_spec.is_assignable_from(argument.type_signature):
        raise TypeError(
            f"a value of type {type_spec} must not be of type {argument.type_signature}"
        )
    value = asyncio.run(argument.ingest(_KEEPER)).reference
    told, found = num_clients(argument, type_spec), num_clients(value, type_spec)
    if told is not None and found is not None and told != found:
        raise conflicting_numbers({told, found})
    return value
