"""TFF's TensorFlow computations as functions of the program's own TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.runtime.program.definition import Definition
from tff_weights.runtime.program.functions import Functions
from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.sequences import Sequence, of_variant
from tff_weights.runtime.program.sessions import Sessions
from tff_weights.runtime.program.values import Clients, Value

# Of a graph that is read by itself.
_ALONE = Origin(0)


class Execution(Protocol):
    """A way to execute a graph."""

    @property
    def most_copies(self) -> int:
        """How many copies of the graph one call may execute."""

    def map(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes copies of the graph, each with its part of the inputs."""

    def fold(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes copies one after the other; outputs are the first inputs of the next."""


class Graph:
    """One TensorFlow computation, imported when it is first called.

    Attributes:
        type_signature: Its `tff.FunctionType`.
        reads_sequences: Whether its argument holds data sets: then a call may take long.
        is_xla_program: Whether some part of it is marked to be compiled with XLA.
        origin: Where it stands in its computation.
    """

    def __init__(
        self, block: tff.framework.CompiledComputation, device: DeviceOf, origin: Origin = _ALONE
    ):
        """Reads the computation.

        Args:
            block: A computation of TFF's kind `tensorflow`.
            device: Chooses the device.
            origin: See the class.
        """
        self.type_signature: tff.FunctionType = block.type_signature
        self.origin = origin
        definition = Definition(block.proto.tensorflow)
        self._parameter, self._result = definition.parameter, definition.result
        self._has_outputs = bool(definition.outputs)
        self._makes_data_sets_with_state = definition.makes_data_sets_with_state
        self.reads_sequences = any(spec.dtype == tf.variant for spec in definition.specs)
        self.is_xla_program = definition.is_xla_program
        self._execution: Execution
        if definition.names_resources:
            self._execution = Sessions(definition, device(self))
        else:
            self._execution = Functions(definition, device(self))

    def __call__(self, argument: Value = None) -> Value:
        """Runs the graph."""
        (result,) = self.map([argument])
        return result

    def map(self, arguments: list[Value]) -> Clients:
        """Runs the graph on every argument, several in one call."""
        results = Clients()
        for some in self._batches(arguments):
            leaves: list[_Leaf] = []
            if self._parameter is not None:
                leaves = [leaf for one in some for leaf in _flatten(one, self._parameter)]
            outputs: list[tf.Tensor] = []
            if self._has_outputs:
                outputs = self._execution.map(_tensors(leaves), len(some))
            results += self._results(outputs, len(some), leaves)
        return results

    def fold(self, accumulator: Value, arguments: list[Value]) -> Value:
        """Runs the graph on `(accumulator, argument)`, with its result as the next accumulator."""
        of_accumulator, of_argument = self._parameter.struct.element
        leaves = _flatten(accumulator, of_accumulator)
        state = _tensors(leaves)
        for some in self._batches(arguments):
            parts = [leaf for one in some for leaf in _flatten(one, of_argument)]
            state = self._execution.fold(state + _tensors(parts), len(some))
            leaves += parts
        (result,) = self._results(state, 1, leaves)
        return result

    def _batches(self, arguments: list[Value]) -> Iterator[list[Value]]:
        """Yields the arguments in few batches that hold so many."""
        start = 0
        while start < len(arguments):
            most = min(self._execution.most_copies, len(arguments) - start)
            size = 2 ** (most.bit_length() - 1)
            yield arguments[start : start + size]
            start += size

    def _results(self, outputs: list[tf.Tensor], count: int, leaves: list[_Leaf]) -> list[Value]:
        """Packs outputs, which were computed from some leaves, into the results."""
        may_have_state = self._makes_data_sets_with_state or any(
            isinstance(leaf, Sequence) and leaf.graph is not None for leaf in leaves
        )
        rest = iter(outputs)
        return [_pack(rest, self._result, may_have_state) for _ in range(count)]


DeviceOf = Callable[[Graph], "str | None"]

_Leaf: TypeAlias = "tf.Tensor | Sequence"


def _flatten(value: Value, binding: Any) -> list[_Leaf]:
    if binding.WhichOneof("binding") != "struct":
        return [value]
    return [
        leaf
        for part, element in zip(value, binding.struct.element)
        for leaf in _flatten(part, element)
    ]


def _tensors(leaves: list[_Leaf]) -> list[tf.Tensor]:
    return [leaf.begin() if isinstance(leaf, Sequence) else leaf for leaf in leaves]


def _pack(tensors: Iterator[tf.Tensor], binding: Any, may_have_state: bool) -> Value:
    kind = binding.WhichOneof("binding")
    if kind == "tensor":
        return next(tensors)
    if kind == "sequence":
        return of_variant(next(tensors), may_have_state=may_have_state)
    return tuple(_pack(tensors, element, may_have_state) for element in binding.struct.element)
