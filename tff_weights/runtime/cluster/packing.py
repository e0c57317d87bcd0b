"""The interpreter's values as NumPy arrays, which Ray sends from one process to another.

| value | packed |
| --- | --- |
| `tf.Tensor` | an array, of objects for strings; `Zeros` if all its numbers are 0 |
| structure | tuple |
| `Sequence` | `Elements`; `PackedPipeline` if it has a state or random numbers without a seed |
| function of the computation | its `Origin`, the captured values packed |
| data set that the receiver holds | `HeldSequence` |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.runtime.program.cohort import AnyFunction, Function
from tff_weights.runtime.program.graphs import Graph
from tff_weights.runtime.program.origin import Origin
from tff_weights.runtime.program.sequences import (
    Elements,
    Sequence,
    arrays_of,
    draws_new_numbers,
    graph_of_variant,
    to_array,
    variant_of_graph,
)
from tff_weights.runtime.program.values import Value

Packed: TypeAlias = Any  # One of the table above.
# More elements than any data set has, in one batch; tf.data reserves no memory for it.
_WHOLE_DATASET = 2**62
# Bytes; `Zeros` take about as many.
_SMALL = 256


@dataclasses.dataclass(frozen=True)
class PackedPipeline:
    """Makes a data set again for every reader, with its state, such as a shuffle's.

    Attributes:
        graph: TensorFlow's graph, serialised, without the files that it reads.
    """

    graph: bytes

    def sequence(self) -> Sequence:
        """Returns the data set."""
        graph = tf.constant(self.graph)
        return Sequence(variant_of_graph(graph), graph=graph)


PackedSequence: TypeAlias = "Elements | PackedPipeline"


@dataclasses.dataclass(frozen=True)
class HeldSequence:
    """Stands for a data set that the receiver was sent earlier."""

    key: int


@dataclasses.dataclass(frozen=True)
class Zeros:
    """Stands for an array of zeros, with which sums begin; it may be as large as a model."""

    shape: tuple[int, ...]
    dtype: npt.DTypeLike


def pack(value: Value, type_spec: tff.Type | None) -> Packed:
    """Packs a value.

    Args:
        value: Not placed at clients.
        type_spec: Its type; None if unknown, which is not possible for data sets made by a graph.

    Raises:
        NotImplementedError: If the type of a data set's elements is not known.
    """
    if isinstance(value, tuple):
        types = [None] * len(value) if type_spec is None else element_types(type_spec)
        return tuple(map(pack, value, types))
    if isinstance(value, Sequence):
        return pack_sequence(value, None if type_spec is None else type_spec.element)
    if isinstance(value, (Function, Graph)):
        return pack_function(value)
    array = to_array(value)
    if array.nbytes > _SMALL and array.dtype != object and not array.view(np.uint8).any():
        return Zeros(array.shape, array.dtype)
    return array


def pack_sequence(sequence: Sequence, element_type: tff.Type | None) -> PackedSequence:
    """Reads a data set.

    Args:
        sequence: The data set.
        element_type: The type of its elements; None if unknown.

    Raises:
        NotImplementedError: If the type is needed and not known.
        ValueError: If the data set never ends.
    """
    if sequence.dataset is None and element_type is None:
        raise NotImplementedError(
            "A function that takes a data set of the server from its surroundings cannot be sent "
            "to a cluster: hand it over as part of the function's argument."
        )
    graph = sequence.graph
    if sequence.dataset is not None and draws_new_numbers(sequence.dataset):
        graph = graph_of_variant(sequence.variant) if graph is None else graph
    if graph is not None and not _calls_python(graph):
        return PackedPipeline(graph.numpy())
    dataset = sequence.as_dataset(element_type)
    if dataset.cardinality() == tf.data.INFINITE_CARDINALITY:
        raise ValueError("A data set that never ends cannot be sent to a cluster.")
    if not all(spec.shape.is_fully_defined() for spec in tf.nest.flatten(dataset.element_spec)):
        return Elements.stack(map(arrays_of, dataset), dataset.element_spec)
    options = tf.data.Options()
    # A fused map and batch reserves memory for the whole batch.
    options.experimental_optimization.apply_default_optimizations = False
    batches = dataset.batch(_WHOLE_DATASET).with_options(options)
    return Elements.of_runs(map(arrays_of, batches), dataset.element_spec)


def _calls_python(graph: tf.Tensor) -> bool:
    """Whether a data set calls functions that are this program's own."""
    graph_def = tf.compat.v1.GraphDef.FromString(graph.numpy())
    functions = graph_def.library.function
    return any("PyFunc" in node.op for function in functions for node in function.node_def)


def pack_function(function: AnyFunction) -> Origin:
    """Packs a function of the computation."""
    origin = function.origin
    return Origin(
        origin.number, {name: pack(value, None) for name, value in origin.captured.items()}
    )


def unpack(
    packed: Packed,
    held: Mapping[int, Sequence] = MappingProxyType({}),
    function: Callable[[Origin], AnyFunction] | None = None,
) -> Value:
    """Returns the value that was packed.

    Args:
        packed: What `pack` returned.
        held: The data sets that the receiver holds.
        function: Finds a function of the computation; None if there can be none.
    """
    if isinstance(packed, tuple):
        return tuple(unpack(part, held, function) for part in packed)
    if isinstance(packed, (Elements, PackedPipeline)):
        return packed.sequence()
    if isinstance(packed, HeldSequence):
        return held[packed.key]
    if isinstance(packed, Origin):
        assert function is not None
        captured = {name: unpack(value, held, function) for name, value in packed.captured.items()}
        return function(Origin(packed.number, captured))
    if isinstance(packed, Zeros):
        return tf.zeros(packed.shape, packed.dtype)
    return tf.constant(packed, tf.string if packed.dtype == object else None)


def num_bytes(packed: Packed) -> int:
    """Returns the bytes of all tensors in a client's values, packed."""
    if isinstance(packed, (tuple, list)):
        return sum(map(num_bytes, packed))
    if isinstance(packed, Elements):
        return num_bytes(packed.runs)
    if isinstance(packed, PackedPipeline):
        return len(packed.graph)
    if isinstance(packed, (HeldSequence, Zeros)):
        return 0
    return sum(map(len, packed.flat)) if packed.dtype == object else packed.nbytes


def element_types(type_spec: tff.StructType) -> list[tff.Type]:
    """Returns the types of a structure's elements."""
    return [element for _, element in tff.structure.iter_elements(type_spec)]
