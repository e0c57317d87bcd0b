"""`tf.data.Dataset.reduce` as a loop of its graph.

TensorFlow prepares the function of a reduction in every execution: it optimises the function's
graph and creates its kernels. In TFF's own algorithms the local training of a client is such a
reduction, and this takes several times as long as a few steps of a small model. The function of a
loop is prepared once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import function_pb2, node_def_pb2, types_pb2

_AttrValue, _Name = tf.compat.v1.AttrValue, tf.compat.v1.NameAttrList
_ANY_SHAPE = tf.TensorShape(None).as_proto()
_OF_DATA_SETS = ("AnonymousIteratorV3", "IteratorGetNextAsOptional", "MakeIterator")

_numbers = itertools.count()


def replace_reductions(graph_def: tf.compat.v1.GraphDef, *, inlined: bool = False) -> None:
    """Replaces a graph's reductions by loops, including those in its functions.

    A reduction with seeded random numbers stays: its function begins with the same numbers in every
    execution, while a loop's would continue.

    Args:
        graph_def: The graph; no other graph has functions of the same names.
        inlined: Whether TensorFlow puts the function of a loop into the graph around it, where its
            operations may be on several devices. On a CPU loops of their own are faster: a GRU
            takes half the time.
    """
    library = {function.signature.name: function for function in graph_def.library.function}
    made: list[Any] = []

    def replace(nodes: Any, *, in_function: bool) -> set[str]:
        replaced = set()
        for node in list(nodes):
            if node.op == "ReduceDataset" and not _is_seeded(node.attr["f"].func.name, library):
                function = library[node.attr["f"].func.name]
                loop = _Loop(node, function, in_function=in_function, inlined=inlined)
                made.extend(loop.functions)
                nodes.extend(loop.before)
                node.CopyFrom(loop.node)
                replaced.add(node.name)
        return replaced

    for function in graph_def.library.function:
        replaced = replace(function.node_def, in_function=True)
        # In functions the outputs of operations have names; a loop's output has another name than a
        # reduction's.
        for node in function.node_def:
            node.input[:] = [_renamed(name, replaced) for name in node.input]
        for name, source in function.ret.items():
            function.ret[name] = _renamed(source, replaced)
    replace(graph_def.node, in_function=False)
    graph_def.library.function.extend(made)


def _renamed(tensor: str, replaced: set[str]) -> str:
    name, _, output = tensor.partition(":components:")
    return f"{name}:output:{output}" if name in replaced and output else tensor


def _is_seeded(name: str, library: dict[str, Any]) -> bool:
    """Whether a function, or one that it calls, has random numbers with a seed."""
    pending, seen = [name], set()
    while pending:
        name = pending.pop()
        if name in library and name not in seen:
            seen.add(name)
            for node in library[name].node_def:
                if any(seed in node.attr and node.attr[seed].i for seed in ("seed", "seed2")):
                    return True
                pending.append(node.op)
                for attribute in node.attr.values():
                    pending += [each.name for each in (attribute.func, *attribute.list.func)]
    return False


class _Loop:
    """A loop that gives what a reduction gives.

    Its first variables are the states, which are its results. Then come the next element as an
    optional, the iterator, and what the reduction's function captures.

    Attributes:
        node: The loop, under the name of the reduction.
        before: The operations that it needs.
        functions: Its condition and its body.
    """

    def __init__(self, reduction: Any, function: Any, *, in_function: bool, inlined: bool):
        """Makes a loop.

        Args:
            reduction: The operation that it replaces.
            function: The function of the reduction.
            in_function: Whether it will be in a function.
            inlined: As for `replace_reductions`.
        """
        states = list(reduction.attr["Tstate"].list.type)
        captured = list(reduction.attr["Targuments"].list.type)
        arguments = [argument.type for argument in function.signature.input_arg]
        self._num_states = len(states)
        self._elements = arguments[len(states) : len(arguments) - len(captured)]
        self._types = [*states, types_pb2.DT_VARIANT, types_pb2.DT_RESOURCE, *captured]
        self._of_element = {
            "output_types": _types(self._elements),
            "output_shapes": _shapes([_ANY_SHAPE] * len(self._elements)),
        }
        self._suffix = f"of_loop_{next(_numbers)}"
        self.functions = [self._condition(), self._body(reduction.attr["f"].func)]

        controls = [name for name in reduction.input if name.startswith("^")]
        dataset, *inputs = reduction.input[: len(reduction.input) - len(controls)]
        name = reduction.name
        iterator, first = f"{name}/iterator", f"{name}/first"
        self.before = [
            _node(iterator, "AnonymousIteratorV3", controls, **self._of_element),
            _node(first, "IteratorGetNextAsOptional", [], **self._of_element),
            _node(f"{name}/begin", "MakeIterator", [dataset]),
        ]
        if in_function:
            iterator, first = f"{iterator}:handle:0", f"{first}:optional:0"
        self.before[1].input.extend([iterator, f"^{name}/begin"])
        self.before[2].input.append(iterator)
        condition, body = (
            _AttrValue(func=_Name(name=each.signature.name)) for each in self.functions
        )
        shapes = list(reduction.attr["output_shapes"].list.shape)
        self.node = _node(
            name,
            "While",
            [*inputs[: len(states)], first, iterator, *inputs[len(states) :], *controls],
            T=_types(self._types),
            cond=condition,
            body=body,
            output_shapes=_shapes(shapes + [_ANY_SHAPE] * (len(self._types) - len(shapes))),
            parallel_iterations=_AttrValue(i=1),
            _lower_using_switch_merge=_AttrValue(b=inlined),
        )

    def _condition(self) -> Any:
        made = self._function("condition")
        made.signature.output_arg.add(name="goes_on", type=types_pb2.DT_BOOL)
        made.node_def.append(_node("is_there", "OptionalHasValue", [_input(self._num_states)]))
        made.ret["goes_on"] = "is_there:has_value:0"
        return made

    def _body(self, function: Any) -> Any:
        made = self._function("body")
        made.signature.is_stateful = True
        num_states, num_variables = self._num_states, len(self._types)
        states, captured = range(num_states), range(num_states + 2, num_variables)
        step = _node(
            "step",
            "StatefulPartitionedCall",
            [
                *map(_input, states),
                *(f"element:components:{index}" for index in range(len(self._elements))),
                *map(_input, captured),
            ],
            Tin=_types(
                [
                    *(self._types[index] for index in states),
                    *self._elements,
                    *(self._types[index] for index in captured),
                ]
            ),
            Tout=_types(self._types[:num_states]),
            f=_AttrValue(func=function),
        )
        made.node_def.extend(
            [
                _node("element", "OptionalGetValue", [_input(num_states)], **self._of_element),
                _node(
                    "next",
                    "IteratorGetNextAsOptional",
                    # After the step, because the data set may depend on its effects.
                    [_input(num_states + 1), "^step"],
                    **self._of_element,
                ),
                step,
            ]
        )
        outputs = [
            *(f"step:output:{index}" for index in states),
            "next:optional:0",
            *map(_input, range(num_states + 1, num_variables)),
        ]
        for index, (output, dtype) in enumerate(zip(outputs, self._types)):
            made.signature.output_arg.add(name=f"output_{index}", type=dtype)
            made.ret[f"output_{index}"] = output
        return made

    def _function(self, name: str) -> Any:
        made = function_pb2.FunctionDef()
        made.signature.name = f"{name}_{self._suffix}"
        for index, dtype in enumerate(self._types):
            made.signature.input_arg.add(name=_input(index), type=dtype)
        return made


def _input(index: int) -> str:
    return f"input_{index}"


def _node(name: str, op: str, inputs: Sequence[str], **attributes: Any) -> Any:
    node = node_def_pb2.NodeDef(name=name, op=op, input=inputs)
    if op in _OF_DATA_SETS:
        node.device = "/device:CPU:0"
    for key, value in attributes.items():
        node.attr[key].CopyFrom(value)
    return node


def _types(types: Iterable[int]) -> Any:
    return _AttrValue(list=_AttrValue.ListValue(type=types))


def _shapes(shapes: Iterable[Any]) -> Any:
    return _AttrValue(list=_AttrValue.ListValue(shape=shapes))
