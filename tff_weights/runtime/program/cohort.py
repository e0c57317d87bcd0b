"""The clients of one computation, and the operations on all of them."""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable
from multiprocessing.pool import ThreadPool
from typing import Union

import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.runtime.program import values
from tff_weights.runtime.program.graphs import Graph
from tff_weights.runtime.program.interruption import still_computing
from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.sequences import Elements, Sequence, arrays_of, specs
from tff_weights.runtime.program.values import Clients, Everywhere, Value


class Function:
    """A function that is no graph: the value of a lambda in a TFF computation.

    Attributes:
        type_signature: Its `tff.FunctionType`.
        reads_sequences: Whether a call may read data sets, and so take long.
        origin: Where it stands in its computation.
    """

    def __init__(
        self,
        call: Callable[[Value], Value],
        type_signature: tff.FunctionType,
        *,
        reads_sequences: bool,
        origin: Origin,
    ):
        """Wraps a Python function.

        Args:
            call: From the argument to the result.
            type_signature: See the class.
            reads_sequences: See the class.
            origin: See the class.
        """
        self._call = call
        self.type_signature = type_signature
        self.reads_sequences = reads_sequences
        self.origin = origin

    def __call__(self, argument: Value = None) -> Value:
        """Calls the function."""
        return self._call(argument)

    def map(self, arguments: list[Value]) -> Clients:
        """Calls the function with every argument, one after the other."""
        return Clients(map(self._call, arguments))

    def fold(self, accumulator: Value, arguments: list[Value]) -> Value:
        """Calls the function with `(accumulator, argument)`, over and over."""
        for argument in arguments:
            accumulator = self._call((accumulator, argument))
        return accumulator


AnyFunction: TypeAlias = Union[Function, Graph]


class ClientThreads:
    """Threads on which clients compute at the same time; they end with the program.

    Shared by all computations of a context. Being daemons, they do not hold up its end.
    """

    def __init__(self, number: int):
        """Chooses how many; they start when they are first needed."""
        self.number = number
        self._pool: ThreadPool | None = None
        self._starting = threading.Lock()

    def map(self, function: Callable[[Value], Value], arguments: list[Value]) -> Clients:
        """Returns the results in the order of the arguments."""
        if len(arguments) < 2 or self.number < 2:
            return Clients(map(function, arguments))
        with self._starting:
            if self._pool is None:
                self._pool = ThreadPool(self.number)
        return Clients(self._pool.map(function, arguments, chunksize=1))

    def close(self) -> None:
        """Ends the threads; one that computes for an interrupted call ends when that is done."""
        if self._pool is not None:
            self._pool.close()
            if not still_computing():
                self._pool.join()
            self._pool = None


class Cohort(abc.ABC):
    """What TFF's intrinsics ask of the clients of one computation.

    The clients' values are a `Clients`, an `Everywhere`, or a cohort's own type. They come from
    methods such as `enter` and `map`, and only `leave` reads them.

    Attributes:
        size: The number of clients.
    """

    size: int

    @abc.abstractmethod
    def enter(self, argument: Value, type_spec: tff.Type) -> Value:
        """Moves the values at clients in a computation's argument to the clients."""

    @abc.abstractmethod
    def leave(self, result: Value, type_spec: tff.Type) -> Value:
        """Moves the values at clients in a computation's result back."""

    @abc.abstractmethod
    def broadcast(self, value: Value) -> Everywhere:
        """Gives every client a value."""

    @abc.abstractmethod
    def evaluate(self, function: AnyFunction) -> Value:
        """Calls a function without an argument at every client."""

    @abc.abstractmethod
    def map(self, function: AnyFunction, values: Value) -> Value:
        """Calls a function at every client with its value."""

    @abc.abstractmethod
    def zip(self, values: Value) -> Value:
        """Turns a structure of values at clients into one structure at every client."""

    @abc.abstractmethod
    def select(
        self, keys: Value, server_value: Value, select: AnyFunction, element_type: tff.Type
    ) -> Value:
        """Gives every client the data set of `select((server_value, key))` for each of its keys."""

    @abc.abstractmethod
    def aggregate(
        self, values: Value, zero: Value, accumulate: AnyFunction, merge: AnyFunction
    ) -> Value:
        """Folds the clients' values into one, in the cohort's order."""


class LocalCohort(Cohort):
    """A cohort whose clients compute in this program."""

    def __init__(self, size: int, threads: ClientThreads, before_each: Callable[[], None]):
        """Makes a cohort.

        Args:
            size: The number of clients.
            threads: The threads for long computations.
            before_each: Called before each client's computation that takes long; may raise.
        """
        self.size = size
        self._threads = threads
        self._before_each = before_each

    def enter(self, argument: Value, type_spec: tff.Type) -> Value:
        """Returns the argument: the clients are here."""
        del type_spec
        return argument

    def leave(self, result: Value, type_spec: tff.Type) -> Value:
        """Returns the result."""
        del type_spec
        return result

    def broadcast(self, value: Value) -> Everywhere:
        """Gives every client a value."""
        return Everywhere(value)

    def evaluate(self, function: AnyFunction) -> Clients:
        """Calls a function without an argument at every client."""
        return Clients(function() for _ in range(self.size))

    def map(self, function: AnyFunction, values: Clients | Everywhere) -> Clients:
        """Calls a function at every client with its value."""
        arguments = self._at_each(values)
        if not function.reads_sequences:
            return function.map(arguments)

        def run(argument: Value) -> Value:
            self._before_each()
            return function(argument)

        return self._threads.map(run, arguments)

    def zip(self, values: Value) -> Clients:
        """Turns a structure of values at clients into one structure at every client."""
        if isinstance(values, (Clients, Everywhere)):
            return self._at_each(values)
        parts = [self.zip(value) for value in values]
        return Clients(zip(*parts) if parts else [()] * self.size)

    def select(
        self,
        keys: Clients | Everywhere,
        server_value: Value,
        select: AnyFunction,
        element_type: tff.Type,
    ) -> Clients:
        """Gives every client the data set of `select((server_value, key))` for each of its keys."""

        def elements_of(keys_of_client: tf.Tensor) -> Sequence:
            elements = select.map([(server_value, key) for key in tf.unstack(keys_of_client)])
            arrays = [arrays_of(values.to_nest(element, element_type)) for element in elements]
            return Elements.stack(arrays, specs(element_type)).sequence()

        return Clients(map(elements_of, self._at_each(keys)))

    def aggregate(
        self,
        values: Clients | Everywhere,
        zero: Value,
        accumulate: AnyFunction,
        merge: AnyFunction,
    ) -> Value:
        """Folds the clients' values into one, in the cohort's order."""
        del merge  # All clients are in one place.
        return accumulate.fold(zero, self._at_each(values))

    def _at_each(self, values: Clients | Everywhere) -> Clients:
        return Clients([values.value] * self.size) if isinstance(values, Everywhere) else values
