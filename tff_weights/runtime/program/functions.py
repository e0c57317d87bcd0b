"""A graph executed as a function: the fast way."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import function_pb2
from tensorflow.python.eager import context as eager_context
from tensorflow.python.framework import op_def_registry

from tff_weights.runtime.program.definition import Definition, source
from tff_weights.runtime.program.reductions import replace_reductions

# TFF's compiler does TensorFlow's rewriting. At run time it would change the order of sums, and so
# the numbers, with the number of copies of a graph.
_NO_REWRITING = tf.compat.v1.ConfigProto()
_NO_REWRITING.graph_options.rewrite_options.disable_meta_optimizer = True
_CONFIGURATION = _NO_REWRITING.SerializeToString()

# Calling a graph takes about 40 µs, whatever it computes, so many small calls are merged into one.
# The sizes are powers of two, so that cohorts of all sizes share a few functions.
_MOST_COPIES = 16
_MOST_BYTES_OF_COPIES = 2**20
# Preparing copies takes as long as many calls, so only frequent calls are copied.
_CALLS_BEFORE_COPIES = 32
# How long other threads wait for a function's first call; one that does not wait prepares the
# function again.
_PATIENCE_SECONDS = 1.0


class Functions:
    """Executes a graph as functions of TensorFlow, one for every number of copies."""

    def __init__(self, definition: Definition, device: str | None):
        """Hands no function to TensorFlow yet.

        Args:
            definition: The graph, none of whose resources has a name.
            device: Where it is executed; TensorFlow chooses if None.
        """
        self._device = device
        definition.make_variables_anonymous()
        replace_reductions(definition.graph_def, inlined="GPU" in (device or ""))
        # Copies with a seed would all draw the same numbers.
        is_single = definition.has_loop_frames or definition.draws_seeded_numbers
        most_by_size = _MOST_BYTES_OF_COPIES // (definition.graph_def.ByteSize() + 1)
        self._most_copies = 1 if is_single else max(1, min(_MOST_COPIES, most_by_size))
        self._calls = 0
        graph = _function_of(definition)
        self._name = graph.signature.name
        self._inputs = [each.type for each in graph.signature.input_arg]
        self._outputs = [each.type for each in graph.signature.output_arg]
        self._of_graph: list[Any] = [*definition.graph_def.library.function, graph]
        self._handing_over = threading.Lock()
        self._handed_over: set[str] = set()
        self._called: dict[str, threading.Event] = {}
        weakref.finalize(self, _remove_functions, self._handed_over).atexit = False

    @property
    def most_copies(self) -> int:
        """How many copies of the graph one call may execute."""
        return self._most_copies if self._calls >= _CALLS_BEFORE_COPIES else 1

    def map(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes copies of the graph, each with its part of the inputs."""
        return self._call("map", inputs, copies, num_states=0)

    def fold(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes copies one after the other; outputs are the first inputs of the next."""
        return self._call("fold", inputs, copies, num_states=len(self._outputs))

    def _call(
        self, kind: str, inputs: list[tf.Tensor], copies: int, *, num_states: int
    ) -> list[tf.Tensor]:
        name = self._name if copies == 1 else f"{kind}_{copies}_{self._name}"
        with self._handing_over:
            self._calls += copies
            if self._name not in self._handed_over:
                self._hand_over(self._of_graph)
                self._of_graph = []  # TensorFlow has them now.
            if name not in self._handed_over:
                self._hand_over([self._of_copies(name, copies, num_states)])
            is_first = name not in self._called
            called = self._called.setdefault(name, threading.Event())
        if not is_first:
            called.wait(_PATIENCE_SECONDS)
        try:
            with tf.device(self._device) if self._device else contextlib.nullcontext():
                return list(
                    tf.raw_ops.StatefulPartitionedCall(
                        args=inputs,
                        Tout=self._outputs if num_states else self._outputs * copies,
                        f=name,
                        config_proto=_CONFIGURATION,
                    )
                )
        finally:
            called.set()

    def _hand_over(self, functions: list[Any]) -> None:
        """Adds functions to the program's, where TensorFlow leaves them."""
        for function in functions:
            eager_context.context().add_function_def(function)
            self._handed_over.add(function.signature.name)

    def _of_copies(self, name: str, copies: int, num_states: int) -> Any:
        """Returns a function that calls the graph's over and over.

        Args:
            name: Its name.
            copies: How often.
            num_states: How many inputs of a call are outputs of the one before.
        """
        made = _function(name)
        states: list[str] = []
        for copy in range(copies):
            call = made.node_def.add(name=f"call_{copy}", op="StatefulPartitionedCall")
            call.input.extend(states)
            for dtype in self._inputs[len(states) :]:
                argument = f"input_{len(made.signature.input_arg)}"
                made.signature.input_arg.add(name=argument, type=dtype)
                call.input.append(argument)
            call.attr["Tin"].list.type.extend(self._inputs)
            call.attr["Tout"].list.type.extend(self._outputs)
            call.attr["f"].func.name = self._name
            call.attr["config_proto"].s = _CONFIGURATION
            outputs = [f"{call.name}:output:{index}" for index in range(len(self._outputs))]
            states = outputs[:num_states]
            if not num_states or copy == copies - 1:
                _add_outputs(made, zip(outputs, self._outputs))
        return made


def _function_of(definition: Definition) -> Any:
    """Returns a graph as a function, whose inputs are named as the placeholders."""
    made = _function(f"graph_{definition.suffix}")
    library = definition.graph_def.library.function
    signatures = {function.signature.name: function.signature for function in library}
    names = [source(name) for name in definition.inputs]
    tensors: dict[str, tuple[str, int]] = {}
    for name, spec in zip(names, definition.specs):
        tensors[f"{name}:0"] = name, spec.dtype.as_datatype_enum
        made.signature.input_arg.add(name=name, type=spec.dtype.as_datatype_enum)
    nodes = [node for node in definition.graph_def.node if node.name not in names]
    for node in nodes:
        signature = signatures.get(node.op) or op_def_registry.get(node.op)
        for index, (output, dtype) in enumerate(_outputs(node, signature)):
            tensors[f"{node.name}:{index}"] = f"{node.name}:{output}", dtype
    made.node_def.extend(nodes)
    for node in made.node_def:
        node.input[:] = [
            name if name.startswith("^") else tensors[_with_index(name)][0] for name in node.input
        ]
    _add_outputs(made, (tensors[_with_index(name)] for name in definition.outputs))
    return made


def _function(name: str) -> Any:
    made = function_pb2.FunctionDef()
    made.signature.name = name
    made.signature.is_stateful = True
    return made


def _add_outputs(function: Any, outputs: Iterable[tuple[str, int]]) -> None:
    """Adds tensors, each with its type, to what a function returns."""
    for tensor, dtype in outputs:
        name = f"output_{len(function.signature.output_arg)}"
        function.signature.output_arg.add(name=name, type=dtype)
        function.ret[name] = tensor


def _outputs(node: Any, signature: Any) -> Iterator[tuple[str, int]]:
    """Yields the name within a node, and the type, of each of its outputs."""
    for output in signature.output_arg:
        if output.type_list_attr:
            types = node.attr[output.type_list_attr].list.type
        else:
            number = node.attr[output.number_attr].i if output.number_attr else 1
            types = [output.type or node.attr[output.type_attr].type] * number
        for index, dtype in enumerate(types):
            yield f"{output.name}:{index}", dtype


def _with_index(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _remove_functions(names: set[str]) -> None:
    context = eager_context.context()
    for name in names:
        if context.has_function(name):
            context.remove_function(name)


def forget_what_ran() -> None:
    """Lets TensorFlow give back the memory of graphs that nobody has any more.

    It keeps each graph with its constants, such as a model's initial weights, for the next call.
    For a convolutional network that is about 150 MB for every process that was built. All are
    freed. A graph that is called again is prepared again, which takes about 0.1 seconds.
    """
    # TensorFlow's other functions for it also set a seed, or clear Keras' whole state.
    eager_context.context().clear_kernel_cache()
