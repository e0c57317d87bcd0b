"""The interpreter: TFF's building blocks as Python functions over TensorFlow's values.

A computation is read once. It makes a tree of functions of the environment, in which references
find values, and of the cohort, which executes the intrinsics.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.runtime.program.cohort import AnyFunction, Cohort, Function
from tff_weights.runtime.program.errors import UnsupportedComputationError
from tff_weights.runtime.program.graphs import DeviceOf, Graph
from tff_weights.runtime.program.intrinsics import INTRINSICS
from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.values import Value

Environment: TypeAlias = dict[str, Value]


@dataclasses.dataclass(frozen=True)
class _Expression:
    """A building block as a function.

    Attributes:
        evaluate: From the environment and the cohort to the value.
        references: The names that it looks up in the environment.
        reads_sequences: Whether some graph in it reads data sets.
    """

    evaluate: Callable[[Environment, Cohort], Value]
    references: frozenset[str] = frozenset()
    reads_sequences: bool = False


class Interpretation:
    """A computation that was read: a function of its argument and the cohort."""

    def __init__(self, block: tff.framework.ComputationBuildingBlock, device: DeviceOf):
        """Reads a computation.

        Args:
            block: The computation, of a functional type and in TFF's native form.
            device: Chooses the device of every graph.

        Raises:
            UnsupportedComputationError: If it holds something that is not interpreted; the message
                says what.
        """
        reader = _Reader(device)
        self._expression = reader.read(block)
        self._functions = reader.functions

    def __call__(self, argument: Value, cohort: Cohort) -> Value:
        """Computes the result."""
        return self._expression.evaluate({}, cohort)(argument)

    def function(self, origin: Origin, cohort: Cohort) -> AnyFunction:
        """Returns the function that another reader of this computation found at `origin`."""
        return self._functions[origin.number].evaluate(dict(origin.captured), cohort)


class _Reader:
    """Reads one computation; equal graphs in it are imported once.

    Attributes:
        functions: The graphs and lambdas that it has read, in this order.
    """

    def __init__(self, device: DeviceOf):
        self._device = device
        self._graphs: dict[bytes, _Expression] = {}
        self.functions: list[_Expression] = []
        self._read: Mapping[type, Callable[[Any], _Expression]] = {
            tff.framework.Block: self._read_block,
            tff.framework.Call: self._read_call,
            tff.framework.CompiledComputation: self._read_graph,
            tff.framework.Intrinsic: self._read_intrinsic,
            tff.framework.Lambda: self._read_lambda,
            tff.framework.Literal: self._read_literal,
            tff.framework.Reference: self._read_reference,
            tff.framework.Selection: self._read_selection,
            tff.framework.Struct: self._read_struct,
        }

    def read(self, block: tff.framework.ComputationBuildingBlock) -> _Expression:
        read = self._read.get(type(block))
        if read is None:
            raise UnsupportedComputationError(f"the building block {type(block).__name__}")
        return read(block)

    def _read_block(self, block: tff.framework.Block) -> _Expression:
        names = [name for name, _ in block.locals]
        expressions = [self.read(value) for _, value in block.locals]
        result = self.read(block.result)
        references: frozenset[str] = result.references
        # Values without references are freed, since a cohort's updates are large.
        unneeded: list[list[str]] = []
        for name, expression in zip(reversed(names), reversed(expressions)):
            unneeded.append(sorted((expression.references - references) & set(names)))
            references = (references - {name}) | expression.references
        unneeded.reverse()

        def evaluate(environment: Environment, cohort: Cohort) -> Value:
            environment = dict(environment)
            for name, expression, done_with in zip(names, expressions, unneeded):
                value = expression.evaluate(environment, cohort)
                for other in done_with:
                    environment.pop(other, None)
                environment[name] = value
            return result.evaluate(environment, cohort)

        return _Expression(evaluate, references, _any_reads_sequences(*expressions, result))

    def _read_call(self, block: tff.framework.Call) -> _Expression:
        function = self.read(block.function)
        if block.argument is None:
            return dataclasses.replace(
                function,
                evaluate=lambda environment, cohort: function.evaluate(environment, cohort)(),
            )
        argument = self.read(block.argument)
        return _Expression(
            lambda environment, cohort: function.evaluate(environment, cohort)(
                argument.evaluate(environment, cohort)
            ),
            function.references | argument.references,
            _any_reads_sequences(function, argument),
        )

    def _read_graph(self, block: tff.framework.CompiledComputation) -> _Expression:
        kind = block.proto.WhichOneof("computation")
        if kind != "tensorflow":
            raise UnsupportedComputationError(f"a computation of the kind {kind}")
        key = block.proto.SerializeToString(deterministic=True)
        if key not in self._graphs:
            graph = Graph(block, self._device, Origin(len(self.functions)))
            self._graphs[key] = _Expression(lambda *_: graph, reads_sequences=graph.reads_sequences)
            self.functions.append(self._graphs[key])
        return self._graphs[key]

    def _read_intrinsic(self, block: tff.framework.Intrinsic) -> _Expression:
        if block.uri not in INTRINSICS:
            raise UnsupportedComputationError(f"the intrinsic {block.uri}")
        intrinsic, result_type = INTRINSICS[block.uri], block.type_signature.result

        def evaluate(_: Environment, cohort: Cohort) -> Callable[[Value], Value]:
            return lambda argument: intrinsic(cohort, argument, result_type)

        return _Expression(evaluate)

    def _read_lambda(self, block: tff.framework.Lambda) -> _Expression:
        graph = _graph_that_it_is(block)
        if graph is not None:  # Calls of graphs are merged, those of lambdas are not.
            return self.read(graph)
        body, parameter = self.read(block.result), block.parameter_name
        captured = body.references - {parameter}
        number = len(self.functions)

        def evaluate(environment: Environment, cohort: Cohort) -> Function:
            kept = {name: environment[name] for name in captured}
            return Function(
                lambda argument: body.evaluate({**kept, parameter: argument}, cohort),
                block.type_signature,
                reads_sequences=body.reads_sequences,
                origin=Origin(number, kept),
            )

        self.functions.append(_Expression(evaluate, captured, body.reads_sequences))
        return self.functions[-1]

    def _read_literal(self, block: tff.framework.Literal) -> _Expression:
        value = tf.constant(block.value, block.type_signature.dtype.type)
        return _Expression(lambda *_: value)

    def _read_reference(self, block: tff.framework.Reference) -> _Expression:
        name = block.name
        return _Expression(lambda environment, _: environment[name], frozenset([name]))

    def _read_selection(self, block: tff.framework.Selection) -> _Expression:
        source = self.read(block.source)
        index = block.index
        if index is None:
            index = tff.structure.name_to_index_map(block.source.type_signature)[block.name]
        return dataclasses.replace(
            source,
            evaluate=lambda environment, cohort: source.evaluate(environment, cohort)[index],
        )

    def _read_struct(self, block: tff.framework.Struct) -> _Expression:
        elements = [self.read(element) for _, element in tff.structure.iter_elements(block)]
        return _Expression(
            lambda environment, cohort: tuple(
                element.evaluate(environment, cohort) for element in elements
            ),
            frozenset().union(*(element.references for element in elements)),
            _any_reads_sequences(*elements),
        )


def _any_reads_sequences(*expressions: _Expression) -> bool:
    return any(expression.reads_sequences for expression in expressions)


def _graph_that_it_is(block: tff.framework.Lambda) -> tff.framework.CompiledComputation | None:
    """Returns `f` where a lambda is `x -> f(x)`, or `x -> (let y = f(x) in y)`, and `f` a graph."""
    body = block.result
    if isinstance(body, tff.framework.Block) and len(body.locals) == 1:
        [(name, value)] = body.locals
        if isinstance(body.result, tff.framework.Reference) and body.result.name == name:
            body = value
    is_graph_of_parameter = (
        isinstance(body, tff.framework.Call)
        and isinstance(body.function, tff.framework.CompiledComputation)
        and isinstance(body.argument, tff.framework.Reference)
        and body.argument.name == block.parameter_name
    )
    return body.function if is_graph_of_parameter else None
