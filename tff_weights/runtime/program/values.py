"""How the values of TFF's types look inside the interpreter, and the ways in and out.

| type | value |
| --- | --- |
| tensor | `tf.Tensor` |
| structure | tuple of its elements' values, without names |
| sequence | `Sequence` |
| at the server | the value of the member |
| at the clients | `Clients`, or `Everywhere` if all clients have the same |
"""

from __future__ import annotations

import collections
import dataclasses
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

Value: TypeAlias = Any  # One of the table above: Python cannot say so of a recursive type.


class Clients(list[Value]):
    """One value for every client of the cohort, in the cohort's order."""


@dataclasses.dataclass(frozen=True)
class Everywhere:
    """The one value that every client of the cohort has."""

    value: Value


@dataclasses.dataclass(frozen=True)
class Sequence:
    """A data set, as the graph that reads it takes it.

    Attributes:
        variant: Scalar tensor of TensorFlow's variant type; nothing is serialised.
        dataset: The data set that it comes from, if it comes from Python: kept, because it owns
            whatever Python functions the variant calls.
    """

    variant: tf.Tensor
    dataset: tf.data.Dataset | None = None

    def as_dataset(self, element_type: tff.Type) -> tf.data.Dataset:
        """Returns the data set, its elements in the containers of their type."""
        if self.dataset is not None:
            return self.dataset
        return tf.data.experimental.from_variant(self.variant, _specs(element_type))


def of_dataset(dataset: tf.data.Dataset) -> Sequence:
    """Returns the value of a data set."""
    return Sequence(tf.data.experimental.to_variant(dataset), dataset)


def num_clients(value: Any, type_spec: tff.Type) -> int | None:
    """Returns how many clients a Python value of a type speaks of, None if it does not say.

    Args:
        value: As for `from_python`.
        type_spec: Its type.

    Raises:
        TypeError: If a value at clients is no list.
        ValueError: If two parts of the value speak of different numbers.
    """
    if isinstance(type_spec, tff.FederatedType):
        if type_spec.placement is not tff.CLIENTS or type_spec.all_equal:
            return None
        return len(_values_of_clients(value, type_spec))
    if not isinstance(type_spec, tff.StructType):
        return None
    found = {
        number
        for element, (_, element_type) in zip(
            _elements(value, type_spec), tff.structure.iter_elements(type_spec)
        )
        if (number := num_clients(element, element_type)) is not None
    }
    if len(found) > 1:
        raise ValueError(f"the values at clients are of {sorted(found)} clients, not of one cohort")
    return found.pop() if found else None


def from_python(value: Any, type_spec: tff.Type) -> Value:
    """Returns the value that stands for a Python value.

    Args:
        value: What TFF's contexts take for the type: numbers, arrays or tensors; dictionaries,
            tuples and the like; data sets, or lists of their elements; for clients a list.
        type_spec: The type.

    Raises:
        TypeError: If the value is not of the type; the message says which part.
    """
    if isinstance(type_spec, tff.TensorType):
        return _tensor(value, type_spec)
    if isinstance(type_spec, tff.StructType):
        return tuple(
            from_python(element, element_type)
            for element, (_, element_type) in zip(
                _elements(value, type_spec), tff.structure.iter_elements(type_spec)
            )
        )
    if isinstance(type_spec, tff.SequenceType):
        return _sequence(value, type_spec)
    if isinstance(type_spec, tff.FederatedType):
        if type_spec.placement is not tff.CLIENTS:
            return from_python(value, type_spec.member)
        if type_spec.all_equal:
            return Everywhere(from_python(value, type_spec.member))
        return Clients(
            from_python(member, type_spec.member) for member in _values_of_clients(value, type_spec)
        )
    raise TypeError(f"a value of type {type_spec} cannot be handed to a computation")


def to_python(value: Value, type_spec: tff.Type) -> Any:
    """Returns the Python value of a result, in the containers of its type.

    Tensors become arrays, those without dimensions NumPy's scalars.
    """
    return tff.types.type_to_py_container(_to_structure(value, type_spec, as_array=True), type_spec)


def to_nest(value: Value, type_spec: tff.Type) -> Any:
    """Returns a structure of tensors in the containers of its type, as `tf.nest` orders them."""
    return tff.types.type_to_py_container(
        _to_structure(value, type_spec, as_array=False), type_spec
    )


def dataset_of_elements(elements: Iterable[Any], element_type: tff.Type) -> tf.data.Dataset:
    """Returns the data set of some elements.

    Args:
        elements: Structures of tensors or arrays in the containers of the type.
        element_type: Their type.
    """
    specs = _specs(element_type)
    datasets = [
        tf.data.Dataset.from_tensors(
            tf.nest.map_structure(
                lambda spec, part: tf.convert_to_tensor(part, spec.dtype), specs, element
            )
        )
        for element in elements
    ]
    nothing = tf.nest.map_structure(
        lambda spec: tf.zeros([1] + [size or 0 for size in spec.shape or ()], spec.dtype), specs
    )
    dataset = tf.data.Dataset.from_tensor_slices(nothing).take(0)
    for one in datasets:
        dataset = dataset.concatenate(one)
    return dataset


def _specs(type_spec: tff.Type) -> Any:
    """Returns the `tf.TensorSpec`s of a type; types without Python's containers have them, too."""
    if isinstance(type_spec, tff.TensorType):
        return tf.TensorSpec(type_spec.shape, type_spec.dtype.type)
    specs = tff.structure.Struct(
        (name, _specs(element)) for name, element in tff.structure.iter_elements(type_spec)
    )
    return tff.types.type_to_py_container(specs, type_spec)


def _to_structure(value: Value, type_spec: tff.Type, *, as_array: bool) -> Any:
    if isinstance(type_spec, tff.FederatedType):
        if isinstance(value, Clients):
            return [_to_structure(one, type_spec.member, as_array=as_array) for one in value]
        member = value.value if isinstance(value, Everywhere) else value
        return _to_structure(member, type_spec.member, as_array=as_array)
    if isinstance(type_spec, tff.StructType):
        return tff.structure.Struct(
            (name, _to_structure(element, element_type, as_array=as_array))
            for element, (name, element_type) in zip(value, tff.structure.iter_elements(type_spec))
        )
    if isinstance(type_spec, tff.SequenceType):
        return value.as_dataset(type_spec.element)
    return value.numpy() if as_array else value


def _values_of_clients(value: Any, type_spec: tff.FederatedType) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"a value of type {type_spec} must be a list with an element for every client, got "
            f"{type(value).__name__}"
        )
    return list(value)


def _elements(value: Any, type_spec: tff.StructType) -> list[Any]:
    """Returns the elements of a structure, whatever container they come in."""
    wanted_names = tff.structure.name_list_with_nones(type_spec)
    if type(value) is collections.OrderedDict:  # Asking TFF takes long, and this is the usual one.
        names, elements = list(value), list(value.values())
    else:
        try:
            struct = tff.structure.from_container(value)
        except TypeError as error:
            raise TypeError(
                f"a value of type {type_spec} must be a structure, got {type(value).__name__}"
            ) from error
        names = tff.structure.name_list_with_nones(struct)
        elements = [element for _, element in tff.structure.iter_elements(struct)]
    if len(elements) != len(wanted_names):
        raise TypeError(
            f"a value of type {type_spec} must have {len(wanted_names)} elements, "
            f"got {len(elements)}"
        )
    for name, wanted in zip(names, wanted_names):
        if name not in (wanted, None):
            raise TypeError(
                f"a value of type {type_spec} must have {wanted!r} where {name!r} was given"
            )
    return elements


def _tensor(value: Any, type_spec: tff.TensorType) -> tf.Tensor:
    wanted = tf.dtypes.as_dtype(type_spec.dtype.type)
    if isinstance(value, tf.Variable):
        value = value.read_value()
    if tf.is_tensor(value) or isinstance(value, (np.ndarray, np.generic)):
        given = tf.dtypes.as_dtype(value.dtype)
        if given != wanted and not _can_cast(given, wanted):
            raise TypeError(f"a value of type {type_spec} must not be of type {given.name}")
        tensor = tf.cast(value, wanted)
    else:
        try:
            tensor = tf.constant(value, wanted)
        except (TypeError, ValueError) as error:
            raise TypeError(f"a value of type {type_spec} cannot be {value!r}") from error
    if not tf.TensorShape(type_spec.shape).is_compatible_with(tensor.shape):
        raise TypeError(f"a value of type {type_spec} must not have the shape {tensor.shape}")
    return tensor


def _can_cast(given: tf.DType, wanted: tf.DType) -> bool:
    """Whether TFF takes one for the other: the same kind of number, of no smaller size."""
    same_kind = (given.is_integer and wanted.is_integer) or (
        given.is_floating and wanted.is_floating
    )
    return same_kind and np.can_cast(given.as_numpy_dtype, wanted.as_numpy_dtype)


def _sequence(value: Any, type_spec: tff.SequenceType) -> Sequence:
    if isinstance(value, list):
        return of_dataset(dataset_of_elements(value, type_spec.element))
    if not isinstance(value, tf.data.Dataset):
        raise TypeError(
            f"a value of type {type_spec} must be a tf.data.Dataset, or a list of its elements, "
            f"got {type(value).__name__}"
        )
    known = _known_datasets.get(value)
    if known is None or known[0] is not type_spec:
        given = tff.SequenceType(tff.types.tensorflow_to_type(value.element_spec))
        if not type_spec.is_assignable_from(given):
            raise TypeError(f"a value of type {type_spec} must not be a data set of type {given}")
        known = _known_datasets[value] = type_spec, tf.data.experimental.to_variant(value)
    return Sequence(known[1], value)


# A client's data set is handed over round after round: its type is compared, and its variant made,
# once for the computation.
_known_datasets: weakref.WeakKeyDictionary[tf.data.Dataset, tuple[tff.Type, tf.Tensor]] = (
    weakref.WeakKeyDictionary()
)
