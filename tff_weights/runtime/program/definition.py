"""The definition of a TensorFlow computation of TFF, prepared for repeated execution."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow as tf

from tff_weights.runtime.program.sequences import has_state

# The name with which TensorFlow's kernels make a new variable in every execution.
_ANONYMOUS = b"cd2c89b7-88b7-44c8-ad83-06c2a9158347"

_numbers = itertools.count()


def source(name: str) -> str:
    """Returns the node that an input, or an output of the graph, comes from."""
    return name.lstrip("^").partition(":")[0]


class Definition:
    """The graph of one computation, with what its inputs and outputs are.

    Attributes:
        graph_def: The graph. Its functions have unique names, and it only has nodes for the inputs,
            the outputs and the initialisation.
        parameter: TFF's binding of the inputs to the argument; None without an argument.
        result: TFF's binding of the outputs to the result.
        inputs: The names of the input tensors.
        outputs: The names of the output tensors.
        specs: The types of the inputs.
        suffix: Unlike that of any other definition.
        initialize_op: The operation that comes before all others, or an empty name.
    """

    def __init__(self, proto: Any):
        """Reads it.

        Args:
            proto: TFF's protocol buffer `TensorFlow`.
        """
        self.graph_def = tf.compat.v1.GraphDef()
        self.graph_def.ParseFromString(proto.graph_def.value)
        self.parameter = proto.parameter if proto.HasField("parameter") else None
        self.result = proto.result
        self.inputs = _tensor_names(self.parameter) if self.parameter is not None else []
        self.outputs = _tensor_names(self.result)
        self.initialize_op: str = proto.initialize_op
        _keep_what_is_needed(self.graph_def, [*self.inputs, *self.outputs, self.initialize_op])
        self.suffix = f"of_computation_{next(_numbers)}"
        _make_functions_unique(self.graph_def, self.suffix)
        _wait_for_no_input(self.graph_def, self.inputs)
        self.specs = _specs(self.graph_def, self.inputs)

    @property
    def names_resources(self) -> bool:
        """Whether it makes resources that outlive an execution under a name.

        Examples are look-up tables, queues, iterators and variables of the old kind. Variables of
        the new kind do not count, since they can be made anonymous.
        """
        variables = collections.Counter(
            node.attr["shared_name"].s or node.name
            for node in self.graph_def.node
            if node.op == "VarHandleOp"
        )
        others = [node for node in self.graph_def.node if node.op != "VarHandleOp"]
        return any(count > 1 for count in variables.values()) or any(
            "shared_name" in node.attr or "container" in node.attr
            for node in (*others, *self._function_nodes())
        )

    @property
    def draws_seeded_numbers(self) -> bool:
        """Whether it has seeded random numbers that continue from one execution to the next."""
        return any(
            name in node.attr and node.attr[name].i
            for node in (*self.graph_def.node, *self._function_nodes())
            for name in ("seed", "seed2")
        )

    @property
    def makes_data_sets_with_state(self) -> bool:
        """Whether one of its data sets may differ from one reading to the next."""
        return any(has_state(node.op) for node in (*self.graph_def.node, *self._function_nodes()))

    @property
    def is_xla_program(self) -> bool:
        """Whether some part of it is marked to be compiled with XLA."""
        return any(
            function.attr["_XlaMustCompile"].b for function in self.graph_def.library.function
        )

    @property
    def has_loop_frames(self) -> bool:
        """Whether it has a loop outside of functions, with a name that copies would share."""
        return any(node.op in ("Enter", "RefEnter") for node in self.graph_def.node)

    def make_variables_anonymous(self) -> None:
        """Gives every execution its own variables, which are initialised before their use.

        Only nodes that take a variable or another resource wait for the initialisation, since a
        node inside a loop must not wait for one outside it.
        """
        for node in self.graph_def.node:
            if node.op == "VarHandleOp":
                node.attr["shared_name"].s = _ANONYMOUS
        if not self.initialize_op:
            return
        initialize = source(self.initialize_op)
        before = _upstream(self.graph_def, [initialize])
        for node in self.graph_def.node:
            if node.name not in before and any(source(name) in before for name in node.input):
                node.input.append(f"^{initialize}")

    def import_with(self, inputs: Iterable[tf.Tensor]) -> tuple[list[tf.Tensor], Any]:
        """Adds the graph to TensorFlow's current one.

        Args:
            inputs: The tensors that replace its inputs.

        Returns:
            Its outputs there, and the operation that comes before all others, or None.
        """
        outputs = tf.import_graph_def(
            self.graph_def,
            input_map=dict(zip(self.inputs, inputs)),
            return_elements=[*self.outputs, *filter(None, [self.initialize_op])],
        )
        initialize = outputs.pop() if self.initialize_op else None
        return [tf.identity(output) for output in outputs], initialize

    def _function_nodes(self) -> Iterator[Any]:
        for function in self.graph_def.library.function:
            yield from function.node_def


def _tensor_names(binding: Any) -> list[str]:
    kind = binding.WhichOneof("binding")
    if kind == "tensor":
        return [binding.tensor.tensor_name]
    if kind == "sequence":
        return [binding.sequence.variant_tensor_name]
    return [name for element in binding.struct.element for name in _tensor_names(element)]


def _specs(graph_def: tf.compat.v1.GraphDef, inputs: list[str]) -> list[tf.TensorSpec]:
    nodes = {node.name: node for node in graph_def.node}
    placeholders = [nodes[source(name)] for name in inputs]
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
    needed = _upstream(graph_def, [source(name) for name in names if name])
    kept = [node for node in graph_def.node if node.name in needed]
    del graph_def.node[:]
    graph_def.node.extend(kept)
    for node in graph_def.node:
        node.attr.pop("_class", None)  # It may refer to the device of a removed node.


def _upstream(graph_def: tf.compat.v1.GraphDef, names: list[str]) -> set[str]:
    """Returns the names of some nodes and of all that they wait for."""
    nodes = {node.name: node for node in graph_def.node}
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += map(source, nodes[name].input)
    return found


def _wait_for_no_input(graph_def: tf.compat.v1.GraphDef, inputs: list[str]) -> None:
    """Removes control inputs of placeholders, which tensors will replace."""
    waiting = {f"^{source(name)}" for name in inputs}
    for node in graph_def.node:
        kept = [name for name in node.input if name not in waiting]
        del node.input[:]
        node.input.extend(kept)


def _make_functions_unique(graph_def: tf.compat.v1.GraphDef, suffix: str) -> None:
    """Renames the graph's functions: TensorFlow has one name space for those of all graphs."""
    functions = graph_def.library.function
    names = [function.signature.name for function in functions]
    renamed = {name: f"{name}_{suffix}" for name in names}

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
