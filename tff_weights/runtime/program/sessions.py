"""A graph executed in sessions: the way for one whose resources have names."""

from __future__ import annotations

import threading

import tensorflow as tf

from tff_weights.runtime.program.definition import Definition
from tff_weights.runtime.program.errors import UnsupportedComputationError
from tff_weights.runtime.program.sequences import graph_of_variant, variant_of_graph

# As on TFF's worker: a session runs too briefly for rewriting to pay.
_CONFIGURATION = tf.compat.v1.ConfigProto(allow_soft_placement=True)
_CONFIGURATION.graph_options.rewrite_options.disable_meta_optimizer = True
_CONFIGURATION.experimental.optimize_for_static_graph = True
_CONFIGURATION.experimental.disable_output_partition_graphs = True


class Sessions:
    """Executes a graph in a session of its own each time.

    Look-up tables, queues, iterators and the like have names. In a function they would still exist
    in the next call, and for other clients. They end with their session, which takes some
    milliseconds.

    Attributes:
        most_copies: One; so that `map` and `fold` are the same.
    """

    most_copies = 1

    def __init__(self, definition: Definition, device: str | None):
        """Imports nothing yet.

        Args:
            definition: The graph.
            device: Where it is executed; TensorFlow chooses if None.
        """
        self._definition = definition
        self._device = device
        self._importing = threading.Lock()
        self._imported: _Imported | None = None

    def map(self, inputs: list[tf.Tensor], copies: int) -> list[tf.Tensor]:
        """Executes the graph.

        Raises:
            UnsupportedComputationError: Inside another graph.
        """
        del copies
        if not tf.executing_eagerly():
            raise UnsupportedComputationError("sequence_map of a graph whose resources have names")
        with self._importing:
            if self._imported is None:
                self._imported = _Imported(self._definition, self._device)
        return self._imported.execute(inputs)

    fold = map


class _Imported:
    """A graph, which takes and gives serialised data sets: a session takes no others."""

    def __init__(self, definition: Definition, device: str | None):
        self._graph = tf.Graph()
        with self._graph.as_default(), tf.device(device):
            specs = definition.specs
            self._inputs = [_placeholder(spec) for spec in specs]
            outputs, self._initialize = definition.import_with(
                variant_of_graph(given) if spec.dtype == tf.variant else given
                for given, spec in zip(self._inputs, specs)
            )
            self._dtypes = [output.dtype for output in outputs]
            self._outputs = list(map(_plain, outputs))

    def execute(self, inputs: list[tf.Tensor]) -> list[tf.Tensor]:
        fed = {one: _plain(given).numpy() for one, given in zip(self._inputs, inputs)}
        with tf.compat.v1.Session(graph=self._graph, config=_CONFIGURATION) as session:
            if self._initialize is not None:
                session.run(self._initialize, fed)
            results = session.run(self._outputs, fed)
        return [
            variant_of_graph(tf.constant(result))
            if dtype == tf.variant
            else tf.constant(result, dtype)
            for dtype, result in zip(self._dtypes, results)
        ]


def _placeholder(spec: tf.TensorSpec) -> tf.Tensor:
    if spec.dtype == tf.variant:
        return tf.compat.v1.placeholder(tf.string, [])
    return tf.compat.v1.placeholder(spec.dtype, spec.shape)


def _plain(tensor: tf.Tensor) -> tf.Tensor:
    return graph_of_variant(tensor) if tensor.dtype == tf.variant else tensor
