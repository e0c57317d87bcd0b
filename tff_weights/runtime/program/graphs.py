"""TFF's TensorFlow computations as functions of the program's own TensorFlow."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff
from tensorflow.python.eager import context as eager_context

from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.values import Clients, Sequence, Value

# The name by which TensorFlow's kernels make a variable anew in every execution of its graph.
_ANONYMOUS = b"cd2c89b7-88b7-44c8-ad83-06c2a9158347"

# TensorFlow's rewriting is left to TFF's compiler: at run time it would change the order of sums
# with the number of copies of a graph, and the numbers with it.
_NO_REWRITING = tf.compat.v1.ConfigProto()
_NO_REWRITING.graph_options.rewrite_options.disable_meta_optimizer = True
_CONFIGURATION = _NO_REWRITING.SerializeToString()

# Calling a graph takes some 40 µs, whatever it computes: many small calls are put into one. The
# sizes are powers of two, so that cohorts of all sizes share a few graphs.
_MOST_COPIES = 16
_MOST_BYTES_OF_COPIES = 2**20

# Of a graph that is read by itself.
_ALONE = Origin(0)

_suffixes = itertools.count()


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
        proto = block.proto.tensorflow
        self._graph_def = tf.compat.v1.GraphDef()
        self._graph_def.ParseFromString(proto.graph_def.value)
        self._parameter = proto.parameter if proto.HasField("parameter") else None
        self._result = proto.result
        self._inputs = _tensor_names(self._parameter) if self._parameter is not None else []
        self._outputs = _tensor_names(self._result)
        _keep_what_is_needed(self._graph_def, [*self._inputs, *self._outputs, proto.initialize_op])
        _make_functions_unique(self._graph_def)
        _wait_for_no_input(self._graph_def, self._inputs)
        if proto.initialize_op:
            _initialize_in_every_call(self._graph_def, proto.initialize_op)
        self._specs = _specs(self._graph_def, self._inputs)
        # A loop outside of functions has a name that copies in one graph would share.
        has_loop_frames = any(node.op in ("Enter", "RefEnter") for node in self._graph_def.node)
        self._most_copies = 1 if has_loop_frames else _MOST_COPIES
        self.reads_sequences = any(spec.dtype == tf.variant for spec in self._specs)
        self.is_xla_program = any(
            function.attr["_XlaMustCompile"].b for function in self._graph_def.library.function
        )
        self._device = device(self)
        self._maps: dict[int, Any] = {}
        self._folds: dict[int, Any] = {}

    def __call__(self, argument: Value = None) -> Value:
        """Runs the graph."""
        (result,) = self._run_copies([argument])
        return result

    def map(self, arguments: list[Value]) -> Clients:
        """Runs the graph on every argument, several in one call."""
        results = Clients()
        for start, stop in self._batches(len(arguments)):
            results += self._run_copies(arguments[start:stop])
        return results

    def fold(self, accumulator: Value, arguments: list[Value]) -> Value:
        """Runs the graph on `(accumulator, argument)`, with its result as the next accumulator."""
        of_accumulator = self._parameter.struct.element[0]
        of_argument = self._parameter.struct.element[1]
        state = _flatten(accumulator, of_accumulator)
        for start, stop in self._batches(len(arguments)):
            inputs = [
                tensor
                for argument in arguments[start:stop]
                for tensor in _flatten(argument, of_argument)
            ]
            state = self._call(self._fold_of(stop - start), state + inputs)
        return _pack(iter(state), self._result)

    def _batches(self, count: int) -> Iterator[tuple[int, int]]:
        """Yields the first and last but one places of few batches that hold so many arguments."""
        most_by_size = _MOST_BYTES_OF_COPIES // (self._graph_def.ByteSize() + 1)
        most = max(1, min(self._most_copies, most_by_size))
        start = 0
        while start < count:
            size = 2 ** (min(most, count - start).bit_length() - 1)
            yield start, start + size
            start += size

    def _run_copies(self, arguments: list[Value]) -> list[Value]:
        if not self._outputs:
            return [_pack(iter(()), self._result) for _ in arguments]
        inputs = []
        if self._parameter is not None:
            inputs = [tensor for one in arguments for tensor in _flatten(one, self._parameter)]
        outputs = iter(self._call(self._map_of(len(arguments)), inputs))
        return [_pack(outputs, self._result) for _ in arguments]

    def _call(self, function: Any, inputs: list[tf.Tensor]) -> list[tf.Tensor]:
        with tf.device(self._device) if self._device else contextlib.nullcontext():
            # As calling the function does, at a fifth of the cost.
            return list(
                tf.raw_ops.StatefulPartitionedCall(
                    args=inputs,
                    Tout=[output.dtype for output in function.outputs],
                    f=function,
                    config_proto=_CONFIGURATION,
                )
            )

    def _map_of(self, copies: int) -> Any:
        if copies not in self._maps:

            def run(*inputs: tf.Tensor) -> list[tf.Tensor]:
                width = len(self._inputs)
                parts = [inputs[width * copy : width * (copy + 1)] for copy in range(copies)]
                return [output for part in parts for output in self._import(part)]

            self._maps[copies] = tf.compat.v1.wrap_function(run, self._specs * copies)
        return self._maps[copies]

    def _fold_of(self, copies: int) -> Any:
        if copies not in self._folds:
            width = len(self._outputs)

            def run(*inputs: tf.Tensor) -> list[tf.Tensor]:
                state, rest = list(inputs[:width]), inputs[width:]
                step = len(rest) // copies
                for copy in range(copies):
                    state = self._import((*state, *rest[step * copy : step * (copy + 1)]))
                return state

            specs = self._specs[:width] + self._specs[width:] * copies
            self._folds[copies] = tf.compat.v1.wrap_function(run, specs)
        return self._folds[copies]

    def _import(self, inputs: tuple[tf.Tensor, ...]) -> list[tf.Tensor]:
        outputs = tf.import_graph_def(
            self._graph_def,
            input_map=dict(zip(self._inputs, inputs)),
            return_elements=self._outputs,
        )
        return [tf.identity(output) for output in outputs]


def forget_what_ran() -> None:
    """Lets TensorFlow give back the memory of graphs that nobody has any more.

    It keeps each with its constants, such as a model's initial weights, for the next call: of a
    convolutional network that is some 150 MB for every process that was built. All are given back,
    and a graph that is called again is made ready anew.
    """
    # Elsewhere TensorFlow offers it only with a new seed, or with the end of all that Keras knows.
    eager_context.context().clear_kernel_cache()


DeviceOf = Callable[[Graph], "str | None"]


def _tensor_names(binding: Any) -> list[str]:
    kind = binding.WhichOneof("binding")
    if kind == "tensor":
        return [binding.tensor.tensor_name]
    if kind == "sequence":
        return [binding.sequence.variant_tensor_name]
    return [name for element in binding.struct.element for name in _tensor_names(element)]


def _flatten(value: Value, binding: Any) -> list[tf.Tensor]:
    kind = binding.WhichOneof("binding")
    if kind == "tensor":
        return [value]
    if kind == "sequence":
        return [value.variant]
    return [
        tensor
        for part, element in zip(value, binding.struct.element)
        for tensor in _flatten(part, element)
    ]


def _pack(tensors: Iterator[tf.Tensor], binding: Any) -> Value:
    kind = binding.WhichOneof("binding")
    if kind == "tensor":
        return next(tensors)
    if kind == "sequence":
        return Sequence(next(tensors))
    return tuple(_pack(tensors, element) for element in binding.struct.element)


def _specs(graph_def: tf.compat.v1.GraphDef, inputs: list[str]) -> list[tf.TensorSpec]:
    nodes = {node.name: node for node in graph_def.node}
    placeholders = [nodes[_source(name)] for name in inputs]
    return [
        tf.TensorSpec(
            tf.TensorShape(node.attr["shape"].shape) if "shape" in node.attr else None,
            node.attr["dtype"].type,
        )
        for node in placeholders
    ]


def _keep_what_is_needed(graph_def: tf.compat.v1.GraphDef, names: Iterable[str]) -> None:
    """Removes all nodes that no tensor or operation of `names` needs.

    A function executes every node that has a state, as a session does not. Keras leaves such nodes
    behind: the random numbers of a layer on a placeholder that nobody feeds.
    """
    needed = _upstream(graph_def, [_source(name) for name in names if name])
    kept = [node for node in graph_def.node if node.name in needed]
    del graph_def.node[:]
    graph_def.node.extend(kept)
    for node in graph_def.node:
        node.attr.pop("_class", None)  # It may ask for the device of a node that is gone.


def _upstream(graph_def: tf.compat.v1.GraphDef, names: list[str]) -> set[str]:
    """Returns the names of some nodes and of all that they wait for."""
    nodes = {node.name: node for node in graph_def.node}
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += map(_source, nodes[name].input)
    return found


def _wait_for_no_input(graph_def: tf.compat.v1.GraphDef, inputs: list[str]) -> None:
    """Takes away the waiting for placeholders, in whose place there will be tensors."""
    waiting = {f"^{_source(name)}" for name in inputs}
    for node in graph_def.node:
        kept = [name for name in node.input if name not in waiting]
        del node.input[:]
        node.input.extend(kept)


def _make_functions_unique(graph_def: tf.compat.v1.GraphDef) -> None:
    """Renames the graph's functions: TensorFlow has one name space for those of all graphs."""
    suffix = f"_of_computation_{next(_suffixes)}"
    functions = graph_def.library.function
    renamed = {function.signature.name: function.signature.name + suffix for function in functions}

    def rename_in(node: Any) -> None:
        node.op = renamed.get(node.op, node.op)
        for attribute in node.attr.values():
            named = [attribute.func] if attribute.HasField("func") else []
            for function in (*named, *attribute.list.func):
                function.name = renamed.get(function.name, function.name)

    for node in graph_def.node:
        rename_in(node)
    for function in functions:
        function.signature.name = renamed[function.signature.name]
        for node in function.node_def:
            rename_in(node)
    for gradient in graph_def.library.gradient:
        gradient.function_name = renamed.get(gradient.function_name, gradient.function_name)
        gradient.gradient_func = renamed.get(gradient.gradient_func, gradient.gradient_func)


def _initialize_in_every_call(graph_def: tf.compat.v1.GraphDef, initialize_op: str) -> None:
    """Gives every execution variables of its own, initialised before anything else has them.

    What takes a variable, or another resource, waits for the initialisation; only that, since a
    node inside a loop must not wait for one outside of it.
    """
    initialize = _source(initialize_op)
    before = _upstream(graph_def, [initialize])
    for node in graph_def.node:
        if node.op == "VarHandleOp":
            node.attr["shared_name"].s = _ANONYMOUS
        if node.name not in before and any(_source(name) in before for name in node.input):
            node.input.append(f"^{initialize}")


def _source(name: str) -> str:
    """Returns the node that an input comes from."""
    return name.lstrip("^").partition(":")[0]
