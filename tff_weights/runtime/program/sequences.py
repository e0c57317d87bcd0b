"""Data sets in the form that graphs take, and their properties."""

from __future__ import annotations

import dataclasses
import itertools
import re
import uuid
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

# Of an element of a data set: its tensors, in the order in which `tf.nest` flattens it.
Arrays = tuple[npt.NDArray[Any], ...]

# TensorFlow's operations, and its classes, whose data sets may go on where the last reading ended,
# or keep what it has read.
_WITH_STATE = re.compile("Shuffle|Cache|RandomDataset")
# Operations that cannot, if their inputs cannot. For others TensorFlow itself decides, which copies
# the data.
_WITHOUT_STATE = re.compile(
    "_?(TensorSlice|Tensor|Range|Generator|TFRecord|Sql|Concatenate|Zip|Batch|ParallelBatch"
    "|PaddedBatch|Unbatch|Map|ParallelMap|Filter|FlatMap|Repeat|Take|Skip|Shard|Prefetch|Options)"
    "Dataset(V2)?"
)
# The version of an operation that has its state itself, and how many inputs that one takes.
_KEEPS_OWN_STATE = {
    "CacheDatasetV2": ("CacheDataset", 2),
    "ShuffleAndRepeatDatasetV2": ("ShuffleAndRepeatDataset", 5),
    "ShuffleDatasetV3": ("ShuffleDataset", 4),
}
_IGNORE_STATE = 1  # The policy of `DatasetToGraphV2` that loses a data set's state in silence.


@dataclasses.dataclass(frozen=True)
class Sequence:
    """A data set.

    Attributes:
        variant: Scalar tensor of TensorFlow's variant type; nothing is serialised.
        dataset: The Python data set that it comes from, if any. It is kept because it owns the
            Python functions that the variant calls.
        graph: Scalar string, the serialised graph that makes the data set, if the data set has a
            state.
    """

    variant: tf.Tensor
    dataset: tf.data.Dataset | None = None
    graph: tf.Tensor | None = None

    def begin(self) -> tf.Tensor:
        """Returns the variant tensor for one reader. Every reader gets the same examples.

        A shuffle with a seed, for example, has the same order for every reader.
        """
        return self.variant if self.graph is None else variant_of_graph(self.graph)

    def as_dataset(self, element_type: tff.Type) -> tf.data.Dataset:
        """Returns the data set, its elements in the containers of their type."""
        if self.dataset is None:
            return tf.data.experimental.from_variant(self.begin(), specs(element_type))
        if self.graph is None:
            return self.dataset
        return tf.data.experimental.from_variant(self.begin(), self.dataset.element_spec)


# Cached properties of data sets, since clients pass the same ones in every round.
_known: weakref.WeakKeyDictionary[tf.data.Dataset, tuple[tf.Tensor, tf.Tensor | None]] = (
    weakref.WeakKeyDictionary()
)


def of_dataset(dataset: tf.data.Dataset) -> Sequence:
    """Returns the value of a data set."""
    known = _known.get(dataset)
    if known is None:
        variant = tf.data.experimental.to_variant(dataset)
        graph = None if _is_without_state(dataset) else _graph_with_state(variant)
        known = variant, graph
        # A graph holds the value of a variable, which may change.
        if graph is None or not reads_resources(dataset):
            _known[dataset] = known
    return Sequence(known[0], dataset, known[1])


def of_variant(variant: tf.Tensor, *, may_have_state: bool) -> Sequence:
    """Returns the value of a data set that a graph has made."""
    return Sequence(variant, graph=_graph_with_state(variant) if may_have_state else None)


def variant_of_graph(graph: tf.Tensor) -> tf.Tensor:
    """Returns a new data set of a serialised graph."""
    return tf.raw_ops.DatasetFromGraph(graph_def=graph)


def graph_of_variant(variant: tf.Tensor) -> tf.Tensor:
    """Returns the serialised graph that makes a data set."""
    return tf.raw_ops.DatasetToGraphV2(
        input_dataset=variant, external_state_policy=_IGNORE_STATE, strip_device_assignment=True
    )


def has_state(name: str) -> bool:
    """Whether data sets of an operation may differ from one reading to the next."""
    return _WITH_STATE.search(name) is not None


def _is_without_state(dataset: tf.data.Dataset) -> bool:
    """Whether every reading of a data set surely gives the same examples.

    Random numbers of a mapped function do not count: with a seed they begin again with every
    reading, and without one they are new.
    """
    return (
        _WITHOUT_STATE.fullmatch(type(dataset).__name__) is not None
        and not _captures(dataset, tf.variant)
        and all(map(_is_without_state, dataset._inputs()))
    )


def reads_resources(dataset: tf.data.Dataset) -> bool:
    """Whether a function of a data set reads a variable, or what is kept in another resource."""
    inputs = dataset._inputs()
    return _captures(dataset, tf.resource) or any(map(reads_resources, inputs))


def _captures(dataset: tf.data.Dataset, dtype: tf.DType) -> bool:
    captured = (tensor for one in dataset._functions() for tensor in one.function.captured_inputs)
    return any(tensor.dtype == dtype for tensor in captured)


def draws_new_numbers(dataset: tf.data.Dataset) -> bool:
    """Whether a function of a data set has random numbers without a seed, so new ones each time."""
    graphs = (one.function.graph.as_graph_def() for one in dataset._functions())
    nodes = itertools.chain.from_iterable(
        (*graph.node, *(node for one in graph.library.function for node in one.node_def))
        for graph in graphs
    )
    return any(map(_has_no_seed, nodes)) or any(map(draws_new_numbers, dataset._inputs()))


def _has_no_seed(node: Any) -> bool:
    return "seed2" in node.attr and not (node.attr["seed"].i or node.attr["seed2"].i)


def _graph_with_state(variant: tf.Tensor) -> tf.Tensor | None:
    """Returns the graph that makes a data set, or None if the data set has no state."""
    try:
        graph = graph_of_variant(variant)
    except tf.errors.OpError:  # It holds a resource of the program, such as a table.
        return None
    graph_def = tf.compat.v1.GraphDef.FromString(graph.numpy())
    if not any(has_state(node.op) for node in graph_def.node):
        return None
    for node in graph_def.node:
        _keep_own_state(node)
    return tf.constant(graph_def.SerializeToString())


def _keep_own_state(node: Any) -> None:
    """Lets a node of a data set's graph keep its state by itself.

    Newer versions of the operations keep it in a named resource, which all copies of the graph
    would share.
    """
    if node.op in _KEEPS_OWN_STATE:
        node.op, num_inputs = _KEEPS_OWN_STATE[node.op]
        del node.input[num_inputs:]
    if node.op == "Const" and node.attr["dtype"].type == tf.resource.as_datatype_enum:
        for handle in node.attr["value"].tensor.resource_handle_val:
            handle.name = f"{handle.name}_{uuid.uuid4()}"


@dataclasses.dataclass(frozen=True)
class Elements:
    """The elements of a data set, in memory.

    Attributes:
        dtypes: The types of an element's tensors, in the order in which `tf.nest` flattens it.
        shapes: Their shapes as they are declared, None where a dimension is open.
        runs: Elements that follow each other and have the same shapes, stacked: for each tensor of
            an element an array `[num_elements, ...]`.
    """

    dtypes: tuple[tf.DType, ...]
    shapes: tuple[tuple[int | None, ...], ...]
    runs: tuple[Arrays, ...]

    @classmethod
    def stack(cls, elements: Iterable[Arrays], element_spec: Any) -> Elements:
        """Stacks elements.

        Args:
            elements: The arrays of each; of objects if they hold strings.
            element_spec: The structure of `tf.TensorSpec`s of an element.
        """
        by_shape = itertools.groupby(elements, lambda arrays: [array.shape for array in arrays])
        return cls.of_runs([tuple(map(np.stack, zip(*run))) for _, run in by_shape], element_spec)

    @classmethod
    def of_runs(cls, runs: Iterable[Arrays], element_spec: Any) -> Elements:
        """Returns elements that are stacked already; see the class and `stack`."""
        flat = tf.nest.flatten(element_spec)
        return cls(
            dtypes=tuple(spec.dtype for spec in flat),
            shapes=tuple(tuple(spec.shape) if spec.shape.rank else () for spec in flat),
            runs=tuple(runs),
        )

    def sequence(self) -> Sequence:
        """Returns the data set, which keeps its elements in memory."""
        runs = [self._dataset(run) for run in self.runs] or [self._dataset(self._no_rows())]
        while len(runs) > 1:  # Concatenated in pairs, because TensorFlow recurs into the parts.
            pairs = itertools.zip_longest(runs[::2], runs[1::2])
            runs = [one.concatenate(other) if other else one for one, other in pairs]
        # Elements are tuples, whatever their structure was: a graph only sees their tensors.
        return Sequence(tf.data.experimental.to_variant(runs[0]))

    def _dataset(self, run: Arrays) -> tf.data.Dataset:
        tensors = tuple(map(tf.convert_to_tensor, run, self.dtypes))
        return tf.data.Dataset.from_tensor_slices(tensors)

    def _no_rows(self) -> Arrays:
        return tuple(
            np.zeros([0] + [size or 0 for size in shape], dtype.as_numpy_dtype)
            for dtype, shape in zip(self.dtypes, self.shapes)
        )


def arrays_of(element: Any) -> Arrays:
    """Returns the arrays of an element's tensors, in the order of `tf.nest`."""
    return tuple(map(to_array, tf.nest.flatten(element)))


def to_array(tensor: tf.Tensor) -> npt.NDArray[Any]:
    """Returns a tensor's array; strings become an array of objects."""
    # NumPy's own strings would lose zeros at their end.
    return np.array(tensor.numpy(), object) if tensor.dtype == tf.string else tensor.numpy()


def specs(type_spec: tff.Type, of_tensor: Callable[[tff.TensorType], Any] | None = None) -> Any:
    """Returns the `tf.TensorSpec`s of a type; types without Python's containers have them, too.

    Args:
        type_spec: The type.
        of_tensor: Instead of `tf.TensorSpec`, called in the order of the type.
    """
    if isinstance(type_spec, tff.TensorType):
        if of_tensor is not None:
            return of_tensor(type_spec)
        return tf.TensorSpec(type_spec.shape, type_spec.dtype.type)
    elements = tff.structure.Struct(
        (name, specs(element, of_tensor))
        for name, element in tff.structure.iter_elements(type_spec)
    )
    return tff.types.type_to_py_container(elements, type_spec)
