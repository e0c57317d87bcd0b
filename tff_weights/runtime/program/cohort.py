"""The clients of one computation: what is done at all of them, here in this program."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.pool import ThreadPool

import tensorflow_federated as tff

from tff_weights.runtime.program.interruption import InterruptibleCall, still_computing
from tff_weights.runtime.program.values import Clients, Everywhere, Value


class Function:
    """A functional value that is no graph: what a lambda of a TFF computation becomes.

    Attributes:
        type_signature: Its `tff.FunctionType`.
        reads_sequences: Whether a call may read data sets, and so take long.
    """

    def __init__(
        self,
        call: Callable[[Value], Value],
        type_signature: tff.FunctionType,
        *,
        reads_sequences: bool,
    ):
        """Wraps a Python function.

        Args:
            call: From the argument to the result.
            type_signature: See the class.
            reads_sequences: See the class.
        """
        self._call = call
        self.type_signature = type_signature
        self.reads_sequences = reads_sequences

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


class ClientThreads:
    """Threads on which clients compute at the same time; they end with the program.

    Shared by all computations of a context. Being daemons, they do not hold up its end.
    """

    def __init__(self, number: int | None = None):
        """Chooses how many; they start when they are first needed.

        Args:
            number: As many as processors if None.
        """
        self.number = number or os.cpu_count() or 1
        self._pool: ThreadPool | None = None

    def map(self, function: Callable[[Value], Value], arguments: list[Value]) -> Clients:
        """Returns the results in the order of the arguments."""
        if len(arguments) < 2 or self.number < 2:
            return Clients(map(function, arguments))
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


class LocalCohort:
    """A cohort whose clients compute in this program.

    Attributes:
        size: The number of clients.
    """

    def __init__(self, size: int, threads: ClientThreads, call: InterruptibleCall):
        """Makes a cohort.

        Args:
            size: The number of clients.
            threads: Where they compute what takes long.
            call: What they compute for.
        """
        self.size = size
        self._threads = threads
        self._call = call

    def broadcast(self, value: Value) -> Everywhere:
        """Gives every client a value."""
        return Everywhere(value)

    def evaluate(self, function: Function) -> Clients:
        """Calls a function without an argument at every client."""
        return Clients(function() for _ in range(self.size))

    def map(self, function: Function, values: Clients | Everywhere) -> Clients:
        """Calls a function at every client with its value."""
        arguments = self._at_each(values)
        if not function.reads_sequences:
            return function.map(arguments)

        def run(argument: Value) -> Value:
            self._call.raise_if_given_up()
            return function(argument)

        return self._threads.map(run, arguments)

    def zip(self, values: Value) -> Clients:
        """Turns a structure of values at clients into one structure at every client."""
        if isinstance(values, (Clients, Everywhere)):
            return self._at_each(values)
        parts = [self.zip(value) for value in values]
        return Clients(zip(*parts) if parts else [()] * self.size)

    def aggregate(
        self, values: Clients | Everywhere, zero: Value, accumulate: Function, merge: Function
    ) -> Value:
        """Folds the clients' values into one, in the cohort's order."""
        del merge  # All clients are in one place.
        return accumulate.fold(zero, self._at_each(values))

    def _at_each(self, values: Clients | Everywhere) -> Clients:
        return Clients([values.value] * self.size) if isinstance(values, Everywhere) else values
