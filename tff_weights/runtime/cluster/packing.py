"""The interpreter's values as NumPy arrays, which Ray sends from one process to another.

| value | packed |
| --- | --- |
| `tf.Tensor` | array; of objects if it holds strings |
| structure | tuple |
| `Sequence` | `PackedSequence` |
| function of the computation | its `Origin`, the captured values packed |
| data set that the receiver holds | `HeldSequence` |
"""

from __future__ import annotations

import dataclasses
import itertools
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
from tff_weights.runtime.program.values import Sequence, Value

Packed: TypeAlias = Any  # One of the table above.
_Arrays: TypeAlias = "tuple[npt.NDArray[Any], ...]"

# More elements than any data set has, in one batch; tf.data reserves no memory for it.
_WHOLE_DATASET = 2**62


@dataclasses.dataclass(frozen=True)
class PackedSequence:
    """The elements of a data set.

    Attributes:
        dtypes: The types of an element's tensors, in the order in which `tf.nest` flattens it.
        shapes: Their shapes as they are declared, None where a dimension is open.
        runs: Elements that follow each other and have the same shapes, stacked: for each tensor of
            an element an array `[num_elements, ...]`.
    """

    dtypes: tuple[tf.DType, ...]
    shapes: tuple[tuple[int | None, ...], ...]
    runs: tuple[_Arrays, ...]

    def unpack(self) -> Sequence:
        """Returns the data set, which keeps its elements in memory."""
        runs = [self._dataset(run) for run in self.runs] or [self._dataset(self._no_rows())]
        while len(runs) > 1:  # In pairs: TensorFlow recurs into what was concatenated.
            pairs = itertools.zip_longest(runs[::2], runs[1::2])
            runs = [one.concatenate(other) if other else one for one, other in pairs]
        # Of tuples, whatever the structure of the elements was: a graph sees their tensors alone.
        return Sequence(tf.data.experimental.to_variant(runs[0]))

    def _dataset(self, run: _Arrays) -> tf.data.Dataset:
        tensors = tuple(map(tf.convert_to_tensor, run, self.dtypes))
        return tf.data.Dataset.from_tensor_slices(tensors)

    def _no_rows(self) -> _Arrays:
        return tuple(
            np.zeros([0] + [size or 0 for size in shape], dtype.as_numpy_dtype)
            for dtype, shape in zip(self.dtypes, self.shapes)
        )


@dataclasses.dataclass(frozen=True)
class HeldSequence:
    """Stands for a data set that the receiver was sent earlier."""

    key: int


def pack(value: Value, type_spec: tff.Type | None) -> Packed:
    """Packs a value.

    Args:
        value: Not placed at clients.
        type_spec: Its type; None if unknown, which data sets that a graph has made do not allow.

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
    return _array(value)


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
    dataset = sequence.as_dataset(element_type)
    if dataset.cardinality() == tf.data.INFINITE_CARDINALITY:
        raise ValueError("A data set that never ends cannot be sent to a cluster.")
    specs = tf.nest.flatten(dataset.element_spec)
    runs: tuple[_Arrays, ...]
    if all(spec.shape.is_fully_defined() for spec in specs):
        options = tf.data.Options()
        # One of them makes room for the whole batch where it fuses it with a map.
        options.experimental_optimization.apply_default_optimizations = False
        runs = tuple(map(_arrays, dataset.batch(_WHOLE_DATASET).with_options(options)))
    else:
        elements = map(_arrays, dataset)
        by_shape = itertools.groupby(elements, lambda arrays: [array.shape for array in arrays])
        runs = tuple(tuple(map(np.stack, zip(*run))) for _, run in by_shape)
    return PackedSequence(
        dtypes=tuple(spec.dtype for spec in specs),
        shapes=tuple(tuple(spec.shape) if spec.shape.rank else () for spec in specs),
        runs=runs,
    )


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
        held: The data sets that are here.
        function: Finds a function of the computation; where none can be there, None.
    """
    if isinstance(packed, tuple):
        return tuple(unpack(part, held, function) for part in packed)
    if isinstance(packed, PackedSequence):
        return packed.unpack()
    if isinstance(packed, HeldSequence):
        return held[packed.key]
    if isinstance(packed, Origin):
        assert function is not None
        captured = {name: unpack(value, held, function) for name, value in packed.captured.items()}
        return function(Origin(packed.number, captured))
    return tf.constant(packed, tf.string if packed.dtype == object else None)


def num_bytes(packed: Packed) -> int:
    """Returns the bytes of all tensors in what was packed."""
    if isinstance(packed, (tuple, list)):
        return sum(map(num_bytes, packed))
    if isinstance(packed, PackedSequence):
        return num_bytes(packed.runs)
    if isinstance(packed, Origin):
        return sum(map(num_bytes, packed.captured.values()))
    if isinstance(packed, HeldSequence):
        return 0
    return sum(map(len, packed.flat)) if packed.dtype == object else packed.nbytes


def element_types(type_spec: tff.StructType) -> list[tff.Type]:
    """Returns the types of a structure's elements."""
    return [element for _, element in tff.structure.iter_elements(type_spec)]


def _arrays(element: Any) -> _Arrays:
    return tuple(map(_array, tf.nest.flatten(element)))


def _array(tensor: tf.Tensor) -> npt.NDArray[Any]:
    # NumPy's own strings would lose zeros at their end.
    return np.array(tensor.numpy(), object) if tensor.dtype == tf.string else tensor.numpy()
