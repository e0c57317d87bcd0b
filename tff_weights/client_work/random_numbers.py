"""The random numbers of a model's layers, as a function of the seed, the round and the client.

TensorFlow gives every random operation a state of its own. In a computation of TFF that state is
new in every call. Without a seed, a run cannot be repeated. With a seed, all clients have the same
dropout masks in all rounds. So the operations of a forward pass are replaced while it is traced.
Their stateless counterparts draw from one stream that restarts for each client and round.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context as eager_context
from tensorflow.python.framework import config as framework_config
from tensorflow.python.framework import op_callbacks, op_def_registry
from typing_extensions import TypeAlias

_Replace: TypeAlias = Callable[[tf.Operation], Optional[Sequence[tf.Tensor]]]

# TensorFlow's numbers for Philox, and for the automatic choice, which is Philox in a
# `tf.random.Generator`.
_PHILOX, _AUTOMATIC = 1, 3

# TensorFlow advances the state by 256 times that: no tensor has so many elements.
_LONGEST_DRAW = 2**32


def round_key(seed: int, round_number: tf.Tensor, client_index: tf.Tensor) -> tf.Tensor:
    """Returns the seed of everything random in a client's round, `[2]` int64.

    It is the same in a resumed run, with another order of the cohort, and on another machine.

    Args:
        seed: In [0, 2**31).
        round_number: int32 scalar.
        client_index: int64 scalar.
    """
    # Philox by name: the automatic choice differs between TensorFlow's kernels and XLA.
    key = tf.constant([seed, 0], tf.int64)
    for value in (round_number, client_index):
        key = tf.random.experimental.stateless_fold_in(key, tf.cast(value, tf.int64), alg="philox")
    return key


class RandomNumbers:
    """The stream that a model's layers draw from.

    The graph of a model that does not draw has no trace of it.
    """

    def __init__(self) -> None:
        """Makes a stream; `restart` has to come before a forward pass."""
        self._state: tf.Variable | None = None
        self._restart: Callable[[tf.Variable], None] | None = None

    def restart(self, seed: int, round_number: tf.Tensor, client_index: tf.Tensor) -> None:
        """Restarts the stream, inside a `tf.function`, with the arguments of `round_key`.

        Each draw advances it, so that every step has numbers of its own.
        """
        graph = tf.compat.v1.get_default_graph()

        def restart(state: tf.Variable) -> None:
            with graph.as_default():
                key = round_key(seed, round_number, client_index)
                # Folded again, because the order of the examples is drawn from the key itself.
                folded = tf.random.experimental.stateless_fold_in(
                    key, tf.constant(1, tf.int64), alg="philox"
                )
                state.assign(tf.stack([0, 0, folded[0]]))

        self._restart = restart
        if self._state is not None:
            restart(self._state)

    @contextlib.contextmanager
    def drawn_from(self) -> Iterator[None]:
        """Lets a forward pass that is traced inside this statement draw from the stream.

        Raises:
            ValueError: If it draws by an operation without a stateless counterpart, or from NumPy,
                which would give the same numbers in every step.
        """
        if tf.executing_eagerly():  # TensorFlow replaces nothing there.
            yield
            return
        before = _state_of_numpy()
        # TensorFlow may refuse an operation without a seed, before it can be replaced.
        with _graph_seed(0), _replacing(self._replace):
            yield
        if _state_of_numpy() != before:
            raise ValueError(
                "model draws from NumPy in its forward pass, which is traced only once: the numbers"
                " would be the same in every step. Draw from TensorFlow, as by tf.random.normal."
            )

    def _replace(self, operation: tf.Operation) -> Sequence[tf.Tensor] | None:
        if operation.type == "RngReadAndSkip":  # A tf.random.Generator of the model.
            _, algorithm, skipped = operation.inputs
            if tf.get_static_value(algorithm) in (_PHILOX, _AUTOMATIC):
                return [self._advance(skipped)]
        if operation.type in _STATELESS:
            state = self._advance(tf.constant(_LONGEST_DRAW, tf.uint64))
            return _STATELESS[operation.type](operation, tf.gather(state, [2, 0]))
        if _draws(operation):
            raise ValueError(
                f"model draws by TensorFlow's operation {operation.type}, which has no stateless"
                " counterpart, so that its numbers cannot come again. Draw by tf.random.uniform,"
                " tf.random.normal or the like."
            )
        return None

    def _advance(self, skipped: tf.Tensor) -> tf.Tensor:
        """Returns the state `[3]` int64: the stream's position, as 128 bits, and its key."""
        if self._state is None:
            with tf.init_scope():
                self._state = tf.Variable(tf.zeros([3], tf.int64), trainable=False)
            if self._restart is not None:
                self._restart(self._state)
        return tf.raw_ops.RngReadAndSkip(resource=self._state.handle, alg=_PHILOX, delta=skipped)

    @contextlib.contextmanager
    def seeds_end_here(self) -> Iterator[None]:
        """Inside this statement, a model that is built may seed TensorFlow; the seed ends with it.

        TFF refuses operations that depend on `tf.random.set_seed`. They are replaced by stateless
        ones, whose numbers also depend on the seed and the operation's place. A function that is
        traced here is not traced again in a forward pass, and so draws from the stream.
        """
        seed = None
        if framework_config.is_op_determinism_enabled():
            seed = eager_context.global_seed() or 0

        def replace(operation: tf.Operation) -> Sequence[tf.Tensor] | None:
            in_function = operation.graph.building_function
            return self._replace(operation) if in_function else _replace_seeded(operation)

        with _graph_seed(seed), _replacing(replace):
            yield


_COLLECTION = "tff_weights_random_numbers"
_of_eager = RandomNumbers()


def random_numbers_of_graph() -> RandomNumbers:
    """Returns the stream of the outermost graph, in which TensorFlow shares traced functions."""
    with tf.init_scope():
        if tf.executing_eagerly():
            return _of_eager
        of_graph = tf.compat.v1.get_collection_ref(_COLLECTION)
        if not of_graph:
            of_graph.append(RandomNumbers())
        return of_graph[0]


def _replace_seeded(operation: tf.Operation) -> Sequence[tf.Tensor] | None:
    if operation.type not in _STATELESS or not _draws(operation):
        return None
    seeds = [operation.get_attr(name) for name in ("seed", "seed2")]
    if seeds == [0, 0]:
        return None
    for name in ("seed", "seed2"):
        operation._set_attr(name, tf.compat.v1.AttrValue(i=0))
    return _STATELESS[operation.type](operation, tf.constant(seeds, tf.int64))


@contextlib.contextmanager
def _graph_seed(seed: int | None) -> Iterator[None]:
    """Seeds the current graph if it is not seeded, and returns its former seed."""
    graph = tf.compat.v1.get_default_graph()
    previous = graph.seed
    graph.seed = seed if previous is None else previous
    try:
        yield
    finally:
        graph.seed = previous


@contextlib.contextmanager
def _replacing(replace: _Replace) -> Iterator[None]:
    """Calls `replace` with every operation that this thread adds to a graph."""

    def replace_outputs(
        op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Sequence[tf.Tensor] | None:
        del op_type, inputs, attrs, op_name
        if graph is None or not outputs:
            return None
        replacements = replace(outputs[0].op)
        for output, replacement in zip(outputs, replacements or ()):
            replacement.set_shape(output.shape)
        return replacements

    op_callbacks.add_op_callback(replace_outputs)
    try:
        yield
    finally:
        op_callbacks.remove_op_callback(replace_outputs)


def _state_of_numpy() -> tuple[bytes, int]:
    state = np.random.get_state(legacy=False)["state"]
    return state["key"].tobytes(), state["pos"]


def _draws(operation: tf.Operation) -> bool:
    """Whether an operation draws random numbers by itself."""
    definition = op_def_registry.get(operation.type)
    if definition is None:  # A function.
        return False
    if {"resource", "algorithm"} <= {argument.name for argument in definition.input_arg}:
        return True
    attributes = {attribute.name for attribute in definition.attr}
    if "seed2" not in attributes:
        return False
    if "dropout" in attributes:  # A recurrent network of cuDNN; Keras applies dropout outside it.
        return operation.get_attr("dropout") > 0
    if "deterministic" in attributes:
        return not operation.get_attr("deterministic")
    return definition.is_stateful


def _uniform(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (shape,), (output,) = operation.inputs, operation.outputs
    return [tf.random.stateless_uniform(shape, seed, dtype=output.dtype, alg="philox")]


def _uniform_integers(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (shape, least, end), (output,) = operation.inputs, operation.outputs
    return [tf.random.stateless_uniform(shape, seed, least, end, output.dtype, alg="philox")]


def _normal(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (shape,), (output,) = operation.inputs, operation.outputs
    return [tf.random.stateless_normal(shape, seed, dtype=output.dtype, alg="philox")]


def _truncated_normal(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (shape,), (output,) = operation.inputs, operation.outputs
    return [tf.random.stateless_truncated_normal(shape, seed, dtype=output.dtype, alg="philox")]


def _shuffled(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (value,) = operation.inputs
    return [tf.random.experimental.stateless_shuffle(value, seed, alg="philox")]


def _categorical(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (logits, count), (output,) = operation.inputs, operation.outputs
    return [tf.random.stateless_categorical(logits, count, seed, output.dtype)]


def _gamma(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (shape, alpha), (output,) = operation.inputs, operation.outputs
    shape = tf.concat([shape, tf.shape(alpha, shape.dtype)], axis=0)
    return [tf.random.stateless_gamma(shape, seed, alpha, dtype=output.dtype)]


def _poisson(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (shape, rate), (output,) = operation.inputs, operation.outputs
    shape = tf.concat([shape, tf.shape(rate, shape.dtype)], axis=0)
    return [tf.random.stateless_poisson(shape, seed, rate, dtype=output.dtype)]


def _binomial(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    (_, _, shape, counts, probabilities), (output,) = operation.inputs, operation.outputs
    return [tf.random.stateless_binomial(shape, seed, counts, probabilities, output.dtype)]


def _bounding_box(operation: tf.Operation, seed: tf.Tensor) -> list[tf.Tensor]:
    image_size, bounding_boxes, min_object_covered = operation.inputs
    return list(
        tf.raw_ops.StatelessSampleDistortedBoundingBox(
            image_size=image_size,
            bounding_boxes=bounding_boxes,
            min_object_covered=min_object_covered,
            seed=seed,
            **{
                name: operation.get_attr(name)
                for name in (
                    "aspect_ratio_range",
                    "area_range",
                    "max_attempts",
                    "use_image_if_no_bounding_boxes",
                )
            },
        )
    )


# By random operation of TensorFlow: from it and a seed, `[2]` int64, to the same distribution.
_STATELESS: Mapping[str, Callable[[tf.Operation, tf.Tensor], list[tf.Tensor]]] = {
    "RandomUniform": _uniform,
    "RandomUniformInt": _uniform_integers,
    "RandomStandardNormal": _normal,
    "TruncatedNormal": _truncated_normal,
    "RandomShuffle": _shuffled,
    "Multinomial": _categorical,
    "RandomGamma": _gamma,
    "RandomPoissonV2": _poisson,
    "StatefulRandomBinomial": _binomial,
    "SampleDistortedBoundingBoxV2": _bounding_box,
}
