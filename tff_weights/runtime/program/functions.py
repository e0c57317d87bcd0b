"""A graph executed as a function: the fast way."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context as eager_context

from tff_weights.runtime.program.definition import Definition
from tff_weights.runtime.program.reductions import replace_reductions

# TensorFlow's rewriting is left to TFF's compiler: at run time it would change the order of sums
# with the number of copies of a graph, and the numbers with it.
_NO_REWRITING = tf.compat.v1.ConfigProto()
_NO_REWRITING.graph_options.rewrite_options.disable_meta_optimizer = True
_CONFIGURATION = _NO_REWRITING.SerializeToString()

# Calling a graph takes some 40 µs, whatever it computes: many small calls are put into one. The
# sizes are powers of two, so that cohorts of all sizes share a few graphs.
_MOST_COPIES = 16
_MOST_BYTES_OF_COPIES = 2**20


class Functions:
    """Executes a graph as functions of TensorFlow, one for every number of copies.

    Attributes:
        most_copies: How many copies of the graph one call may execute.
    """

    def __init__(self, definition: Definition, device: str | None):
        """Imports nothing yet.

        Args:
            definition: The graph, none of whose resources has a name.
            device: Where it is executed; TensorFlow chooses if None.
        """
        self._definition = definition
        self._device = device
        definition.make_variables_anonymous()
        replace_reductions(definition.graph_def, inlined="GPU" in (device or ""))
        # Copies with a seed would all draw the same numbers.
        is_single = definition.has_loop_frames or definition.draws_seeded_numbers
        most_by_size = _MOST_BYTES_OF_COPIES // (definition.graph_def.ByteSize() + 1)
        self.most_copies = 1 if is_single else max(1, min(_MOST_COPIES, most_by_size))
        self._maps: dict[int, Any] = {}
        self._folds: dict[int, Any] = {}

    def map(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes copies of the graph, each with its part of the inputs."""
        if copies not in self._maps:
            width = len(self._definition.specs)

            def run(*inputs: tf.Tensor) -> list[tf.Tensor]:
                parts = [inputs[width * copy : width * (copy + 1)] for copy in range(copies)]
                return [output for part in parts for output in self._import(part)]

            self._maps[copies] = self._wrap(run, self._definition.specs * copies)
        return self._call(self._maps[copies], inputs)

    def fold(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes copies one after the other, whose outputs are the first inputs of the next."""
        if copies not in self._folds:
            width, specs = len(self._definition.outputs), self._definition.specs

            def run(*inputs: tf.Tensor) -> list[tf.Tensor]:
                state, rest = list(inputs[:width]), inputs[width:]
                step = len(rest) // copies
                for copy in range(copies):
                    part = rest[step * copy : step * (copy + 1)]
                    state = self._import((*state, *part))
                return state

            self._folds[copies] = self._wrap(run, specs[:width] + specs[width:] * copies)
        return self._call(self._folds[copies], inputs)

    def _wrap(self, run: Callable[..., Any], specs: list[tf.TensorSpec]) -> Any:
        function = tf.compat.v1.wrap_function(run, specs)
        # TensorFlow adds these to the program's functions, and leaves them there.
        names = [each.signature.name for each in self._definition.graph_def.library.function]
        weakref.finalize(function, _remove_functions, names).atexit = False
        return function

    def _import(self, inputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        return self._definition.import_with(inputs)[0]

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


def _remove_functions(names: list[str]) -> None:
    context = eager_context.context()
    for name in names:
        if context.has_function(name):
            context.remove_function(name)


def forget_what_ran() -> None:
    """Lets TensorFlow give back the memory of graphs that nobody has any more.

    It keeps each with its constants, such as a model's initial weights, for the next call: of a
    convolutional network that is some 150 MB for every process that was built. All are given back,
    and a graph that is called again is made ready again, which takes about 0.1 seconds.
    """
    # Elsewhere TensorFlow offers it only with a new seed, or with the end of all that Keras knows.
    eager_context.context().clear_kernel_cache()
