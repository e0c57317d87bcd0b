"""What runs in an actor: an interpreter for the actor's share of the clients."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow_federated as tff
from tensorflow_federated.proto.v0 import computation_pb2

from tff_weights.runtime.cluster import packing
from tff_weights.runtime.cluster.packing import Packed, PackedSequence
from tff_weights.runtime.cluster.plans import Held, Plan
from tff_weights.runtime.program.cohort import AnyFunction, ClientThreads, LocalCohort
from tff_weights.runtime.program.devices import device_of, keep_xla_single_threaded
from tff_weights.runtime.program.functions import forget_what_ran
from tff_weights.runtime.program.interpreter import Interpretation
from tff_weights.runtime.program.options import ProgramOptions
from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.sequences import Sequence
from tff_weights.runtime.program.values import Clients, Everywhere, Value


class Call(NamedTuple):
    """The call of a computation to which a request belongs.

    Attributes:
        computation: The computation's key.
        size: How many clients of its cohort are this host's.
    """

    computation: int
    size: int


class Apart(NamedTuple):
    """Stands for an argument that several hosts are sent, so that Ray stores it once.

    Attributes:
        place: Its place among those of this call.
    """

    place: int


class Answer(NamedTuple):
    """What a host answers.

    Attributes:
        result: What the last method returned, packed.
        working_seconds: How long it has computed since its last answer.
    """

    result: Any
    working_seconds: float


class ClientHost:
    """Computes for its clients what the program asks for.

    Sent and computed values are kept under keys that the program chooses. It lets them be forgotten
    when it no longer needs them. Requests are answered one after the other.
    """

    def __init__(self, options: ProgramOptions):
        """Chooses how it computes.

        Args:
            options: As of the program's own interpreter.
        """
        keep_xla_single_threaded()
        # A host has only a few processors, so an operation must not use all of the machine's.
        tf.config.threading.set_intra_op_parallelism_threads(options.client_threads)
        self._device = device_of(options.device)
        self._threads = ClientThreads(options.client_threads)
        self._computations: dict[int, Interpretation] = {}
        self._datasets: dict[int, Sequence] = {}
        self._values: dict[int, Clients | Everywhere] = {}
        self._working_seconds = 0.0

    def do(self, forgotten: list[int], steps: list[tuple[str, list[Any]]], *apart: Any) -> Answer:
        """Forgets the values of some keys, and calls methods one after the other.

        Args:
            forgotten: The keys.
            steps: The methods' names and arguments.
            *apart: Those of the arguments that are kept apart.
        """
        num_computations = len(self._computations)
        for key in forgotten:
            self._computations.pop(key, None)
            self._datasets.pop(key, None)
            self._values.pop(key, None)
        if len(self._computations) < num_computations:
            forget_what_ran()
        result = None
        for method, arguments in steps:
            found = (apart[each.place] if isinstance(each, Apart) else each for each in arguments)
            result = getattr(self, method)(*found)
        seconds, self._working_seconds = self._working_seconds, 0.0
        return Answer(result, seconds)

    def greet(self) -> str:
        """Returns where it runs; an answer means that the host has started."""
        return f"node {socket.gethostname()}, process {os.getpid()}"

    def read(self, key: int, computation: bytes) -> None:
        """Reads a computation, once for all its calls.

        Args:
            key: Its key.
            computation: Its serialised building block.
        """
        proto = computation_pb2.Computation.FromString(computation)
        block = tff.framework.ComputationBuildingBlock.from_proto(proto)
        self._computations[key] = Interpretation(block, self._device)

    def hold_datasets(self, datasets: dict[int, PackedSequence]) -> None:
        """Keeps data sets by their keys."""
        for key, dataset in datasets.items():
            self._datasets[key] = dataset.sequence()

    def hold_clients(self, call: Call, key: int, values: list[Packed]) -> None:
        """Keeps a value for each of its clients."""
        self._values[key] = Clients(self._unpack(call, value) for value in values)

    def hold_everywhere(self, call: Call, key: int, value: Packed) -> None:
        """Keeps a value that all clients have."""
        self._values[key] = Everywhere(self._unpack(call, value))

    def evaluate(self, call: Call, key: int, function: Origin) -> None:
        """Keeps under `key` what a function without an argument returns at each client."""
        evaluated = self._function(call, function)
        with self._working():
            self._values[key] = self._cohort(call).evaluate(evaluated)

    def map(self, call: Call, key: int, function: Origin, plan: Plan) -> None:
        """Keeps under `key` what a function returns at each client."""
        cohort, mapped = self._cohort(call), self._function(call, function)
        with self._working():
            self._values[key] = cohort.map(mapped, self._find(cohort, plan))

    def select(
        self, call: Call, key: int, select: Origin, keys: Plan, server_value: Packed, of_type: bytes
    ) -> None:
        """Keeps under `key` the data set that each client has selected."""
        cohort, selecting = self._cohort(call), self._function(call, select)
        value = self._unpack(call, server_value)
        with self._working():
            self._values[key] = cohort.select(
                self._find(cohort, keys), value, selecting, _read_type(of_type)
            )

    def fold(
        self, call: Call, plan: Plan, start: tuple[Origin, Packed], lengths: list[int]
    ) -> list[Packed]:
        """Returns an accumulator for every run of clients.

        Args:
            call: See the class.
            plan: What the clients contribute.
            start: The function from accumulator and contribution to the next accumulator, and each
                run's first accumulator.
            lengths: The number of clients in each run, in order.
        """
        cohort, (accumulate, zero) = self._cohort(call), self._unpack(call, start)
        with self._working():
            contributions = iter(self._find(cohort, plan))
            accumulators = [
                accumulate.fold(zero, [next(contributions) for _ in range(length)])
                for length in lengths
            ]
        result_type = accumulate.type_signature.result
        return [packing.pack(one, result_type) for one in accumulators]

    def fetch(self, call: Call, plan: Plan, of_type: bytes) -> list[Packed]:
        """Returns the values of its clients."""
        cohort, member = self._cohort(call), _read_type(of_type)
        found = self._find(cohort, plan)
        return [packing.pack(value, member) for value in found]

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self._working_seconds += time.perf_counter() - start

    def _cohort(self, call: Call) -> LocalCohort:
        return LocalCohort(call.size, self._threads, before_each=lambda: None)

    def _function(self, call: Call, packed: Origin) -> AnyFunction:
        return self._unpack(call, packed)

    def _unpack(self, call: Call, packed: Packed) -> Value:
        computation = self._computations[call.computation]
        cohort = self._cohort(call)
        return packing.unpack(
            packed, self._datasets, lambda origin: computation.function(origin, cohort)
        )

    def _find(self, cohort: LocalCohort, plan: Plan) -> Clients:
        return cohort.zip(self._structure(plan))

    def _structure(self, plan: Plan) -> Value:
        if isinstance(plan, Held):
            return self._values[plan.key]
        return tuple(map(self._structure, plan))


def _read_type(serialized: bytes) -> tff.Type:
    return tff.types.deserialize_type(computation_pb2.Type.FromString(serialized))
