"""`tf.data.Dataset.reduce` as a loop of its graph.

TensorFlow's `ReduceDataset` makes its function ready in every execution: it optimises the graph and
creates the kernels again. For the local training of one client, which is such a reduction in all of
TFF's own algorithms, that takes longer than the training. In a loop of the graph around it the
function is made ready once.
"""

from __future__ import annotations

import itertools
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import function_pb2, node_def_pb2, types_pb2

_CPU = "/device:CPU:0"  # Where data sets are read.

_numbers = itertools.count()


def replace_reductions(graph_def: tf.compat.v1.GraphDef) -> None:
    """Puts loops in the place of a graph's reductions, those in its functions included.

    A reduction whose function draws numbers with a seed stays: there they are the same in every
    execution, and in a loop they would go on.

    Args:
        graph_def: The graph; its functions must have names of their own in the program.
    """
    library = {function.signature.name: function for function in graph_def.library.function}
    made: list[Any] = []
    for function in graph_def.library.function:
        replaced = _replace(function.node_def, library, made, in_function=True)
        for name, source in function.ret.items():
            node, _, rest = source.partition(":")
            if node in replaced:
                function.ret[name] = f"{node}:{rest.replace('components', 'output')}"
    _replace(graph_def.node, library, made, in_function=False)
    graph_def.library.function.extend(made)


def _replace(
    nodes: Any, library: dict[str, Any], made: list[Any], *, in_function: bool
) -> set[str]:
    """Replaces the reductions among some nodes; returns their names, which the loops keep."""
    replaced = set()
    for node in list(nodes):
        if node.op == "ReduceDataset" and not _draws_seeded_numbers(node.attr["f"].func, library):
            replaced.add(node.name)
            loop = _Loop(node, library[node.attr["f"].func.name], in_function=in_function)
            made += loop.functions
            nodes.extend(loop.before)
            node.CopyFrom(loop.node)
    if in_function:
        for node in nodes:
            for index, source in enumerate(node.input):
                name, _, rest = source.partition(":")
                if name in replaced and rest:
                    node.input[index] = f"{name}:{rest.replace('components', 'output')}"
    return replaced


def _draws_seeded_numbers(function: Any, library: dict[str, Any]) -> bool:
    """Whether a function, or one that it calls, has random numbers with a seed."""
    pending, seen = [function.name], set()
    while pending:
        name = pending.pop()
        if name in seen or name not in library:
            continue
        seen.add(name)
        for node in library[name].node_def:
            if any(key in node.attr and node.attr[key].i for key in ("seed", "seed2")):
                return True
            pending.append(node.op)
            for attribute in node.attr.values():
                pending += [each.name for each in (attribute.func, *attribute.list.func)]
    return False


class _Loop:
    """A loop that does what a reduction did.

    Its variables are the state, the element that is next (an optional), the iterator, and what the
    function has captured: the outputs of the reduction come first, under their old numbers.

    Attributes:
        node: In the place of the reduction, under its name.
        before: The nodes that it needs.
        functions: Its condition and its body.
    """

    def __init__(self, reduction: Any, function: Any, *, in_function: bool):
        attributes = reduction.attr
        states, captured = attributes["Tstate"].list.type, attributes["Targuments"].list.type
        inputs = [one.type for one in function.signature.input_arg]
        elements = inputs[len(states) : len(inputs) - len(captured)]
        self._types = [*states, types_pb2.DT_VARIANT, types_pb2.DT_RESOURCE, *captured]
        self._num_states = len(states)
        self._element = {
            "output_types": _types(elements),
            "output_shapes": _shapes([tf.TensorShape(None).as_proto()] * len(elements)),
        }
        self._suffix = f"of_loop_{next(_numbers)}"
        dataset, *arguments = (name for name in reduction.input if not name.startswith("^"))
        controls = [name for name in reduction.input if name.startswith("^")]
        iterator, begin, first = (
            f"{reduction.name}/{name}" for name in ("iterator", "begin", "first")
        )
        of_iterator, of_first = (
            (f"{iterator}:handle:0", f"{first}:optional:0") if in_function else (iterator, first)
        )
        self.before = [
            _node(iterator, "AnonymousIteratorV3", controls, **self._element),
            _node(begin, "MakeIterator", [dataset, of_iterator]),
            _node(first, "IteratorGetNextAsOptional", [of_iterator, f"^{begin}"], **self._element),
        ]
        self.functions = [self._condition(), self._body(attributes["f"].func)]
        condition, body = (each.signature.name for each in self.functions)
        unknown = tf.TensorShape(None).as_proto()
        shapes = [*attributes["output_shapes"].list.shape]
        self.node = _node(
            reduction.name,
            "While",
            [
                *arguments[: len(states)],
                of_first,
                of_iterator,
                *arguments[len(states) :],
                *controls,
            ],
            T=_types(self._types),
            cond=_function(condition),
            body=_function(body),
            output_shapes=_shapes([*shapes, *[unknown] * (len(self._types) - len(shapes))]),
            parallel_iterations=tf.compat.v1.AttrValue(i=1),
            _lower_using_switch_merge=tf.compat.v1.AttrValue(b=True),
        )
        self.node.device = reduction.device

    def _condition(self) -> Any:
        made = self._signature("condition")
        made.signature.output_arg.add(name="goes_on", type=types_pb2.DT_BOOL)
        has_value = _node("has_value", "OptionalHasValue", [self._argument(self._num_states)])
        made.node_def.append(has_value)
        made.ret["goes_on"] = "has_value:has_value:0"
        return made

    def _body(self, function: Any) -> Any:
        made = self._signature("body")
        for index, dtype in enumerate(self._types):
            made.signature.output_arg.add(name=f"output_{index}", type=dtype)
        num_states = self._num_states
        optional, iterator = (self._argument(num_states + each) for each in (0, 1))
        states = [self._argument(index) for index in range(num_states)]
        captured = list(range(num_states + 2, len(self._types)))
        elements = self._element["output_types"].list.type
        made.node_def.extend(
            [
                _node("element", "OptionalGetValue", [optional], **self._element),
                _node("next", "IteratorGetNextAsOptional", [iterator], **self._element),
            ]
        )
        call = _node(
            "step",
            "StatefulPartitionedCall",
            [
                *states,
                *(f"element:components:{index}" for index in range(len(elements))),
                *map(self._argument, captured),
            ],
            Tin=_types(
                [*self._types[:num_states], *elements, *(self._types[each] for each in captured)]
            ),
            Tout=_types(self._types[:num_states]),
        )
        call.attr["f"].func.CopyFrom(function)
        made.node_def.append(call)
        for index in range(num_states):
            made.ret[f"output_{index}"] = f"step:output:{index}"
        made.ret[f"output_{num_states}"] = "next:optional:0"
        for index in range(num_states + 1, len(self._types)):
            made.ret[f"output_{index}"] = self._argument(index)
        made.signature.control_output.append("step")
        made.control_ret["step"] = "step"
        made.signature.is_stateful = True
        return made

    def _signature(self, name: str) -> Any:
        made = function_pb2.FunctionDef()
        made.signature.name = f"{name}_{self._suffix}"
        for index, dtype in enumerate(self._types):
            made.signature.input_arg.add(name=self._argument(index), type=dtype)
        return made

    @staticmethod
    def _argument(index: int) -> str:
        return f"input_{index}"


def _node(name: str, op: str, inputs: Any, **attributes: Any) -> Any:
    node = node_def_pb2.NodeDef(name=name, op=op, input=inputs)
    if op in ("AnonymousIteratorV3", "MakeIterator", "IteratorGetNextAsOptional"):
        node.device = _CPU
    for key, value in attributes.items():
        node.attr[key].CopyFrom(value)
    return node


def _types(types: Any) -> Any:
    return tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(type=types))


def _shapes(shapes: Any) -> Any:
    return tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(shape=shapes))


def _function(name: str) -> Any:
    return tf.compat.v1.AttrValue(func=tf.compat.v1.NameAttrList(name=name))
