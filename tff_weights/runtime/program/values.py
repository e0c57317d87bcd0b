"""The form of TFF's values inside the interpreter, and the conversions.

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
import itertools
import weakref
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff
from tensorflow.python.util import nest
from tensorflow_federated.python.core.impl.compiler.array import Array, is_compatible_dtype
from typing_extensions import TypeAlias

from tff_weights.runtime.program.errors import conflicting_numbers
from tff_weights.runtime.program.sequences import (
    Arrays,
    Elements,
    Sequence,
    of_dataset,
    specs,
)

_ARRAYS = get_args(Array)  # What TFF takes for numbers and strings.

Value: TypeAlias = Any  # One of the table above: Python cannot say so of a recursive type.


class Clients(list[Value]):
    """One value for every client of the cohort, in the cohort's order."""


@dataclasses.dataclass(frozen=True)
class Everywhere:
    """The one value that every client of the cohort has."""

    value: Value


def num_clients(value: Any, type_spec: tff.Type) -> int | None:
    """Returns the number of clients in a Python value of a type; None if it does not tell.

    Args:
        value: As for `from_python`, or one that tells the number itself.
        type_spec: Its type.

    Raises:
        TypeError: If a value at clients is no list.
        ValueError: If two parts of the value have different numbers of clients.
    """
    if isinstance(value, tff.framework.CardinalityCarrying):
        return value.cardinality.get(tff.CLIENTS)
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
        raise conflicting_numbers(found)
    return found.pop() if found else None


def from_python(value: Any, type_spec: tff.Type) -> Value:
    """Returns the value that stands for a Python value.

    Args:
        value: A value that TFF's contexts take for the type: numbers, arrays or tensors;
            dictionaries, tuples and the like; data sets, or lists of their elements; a list for
            clients.
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
    if isinstance(value, tuple) and hasattr(value, "_asdict"):  # TFF's own structures have it, too.
        value = value._asdict()
    if isinstance(value, dict) and value.keys() == set(wanted_names):
        return [value[name] for name in wanted_names]
    if type(value) is collections.OrderedDict:  # Asking TFF takes long, and this is the usual case.
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
    dtype = tf.dtypes.as_dtype(type_spec.dtype.type)
    if isinstance(value, tf.Variable):
        value = value.read_value()
    if not isinstance(value, tf.Tensor) or value.dtype != dtype:
        value = tf.constant(_array(value, type_spec), dtype)
    if not tf.TensorShape(type_spec.shape).is_compatible_with(value.shape):
        raise TypeError(f"a value of type {type_spec} must not have the shape {value.shape}")
    return value


def _array(value: Any, type_spec: tff.TensorType) -> npt.NDArray[Any]:
    """Returns an array of a type's numbers, or of objects for strings.

    TFF takes numbers of the same kind and at most the same size. So it takes no integer for a real
    number, and no 64-bit integer for a 32-bit one, unless it is Python's own and fits.
    """
    if isinstance(value, (list, tuple)):
        value = tf.nest.map_structure(_without_tensor, value)
    else:
        value = _without_tensor(value)
    dtype = type_spec.dtype.type
    for part in tf.nest.flatten(value):
        if not isinstance(part, _ARRAYS) or not is_compatible_dtype(part, dtype):
            raise _not_of(type_spec, part)
    try:
        return np.asarray(value, object if dtype is np.str_ else dtype)
    except ValueError as error:  # Rows of different lengths.
        raise _not_of(type_spec, value) from error


def _array_in_list(value: Any, type_spec: tff.TensorType) -> npt.NDArray[Any]:
    """As `_array`, for a part of an element of a list.

    There TFF takes numbers of other kinds, too. Here they are taken if their value stays the same,
    apart from the digits of real numbers.
    """
    dtype = type_spec.dtype.type
    try:
        given = np.asarray(_without_tensor(value))
        if dtype is np.str_ or given.dtype.kind not in "biufc":
            return _array(value, type_spec)
        if given.dtype.kind == "c" and not np.issubdtype(dtype, np.complexfloating):
            raise _not_of(type_spec, value)
        if given.dtype.kind == "f" and np.issubdtype(dtype, np.integer):
            given = np.asarray(value, object)  # As floats, large integers would lose digits.
        with np.errstate(all="ignore"):
            array = given.astype(dtype)
        kept = array == given
        if array.dtype.kind in "fc":
            kept |= np.isfinite(array) | ~np.isfinite(given)
    except (OverflowError, ValueError) as error:
        raise _not_of(type_spec, value) from error
    if not np.all(kept):
        raise _not_of(type_spec, value)
    if not tf.TensorShape(type_spec.shape).is_compatible_with(array.shape):
        raise TypeError(f"a value of type {type_spec} must not have the shape {array.shape}")
    return array


def _without_tensor(value: Any) -> Any:
    return value.numpy() if isinstance(value, (tf.Tensor, tf.Variable)) else value


def _not_of(type_spec: tff.TensorType, value: Any) -> TypeError:
    given = f"of type {value.dtype}" if isinstance(value, (np.ndarray, np.generic)) else repr(value)
    return TypeError(f"a value of type {type_spec} cannot be {given}")


def _sequence_of_elements(elements: list[Any], element_type: tff.Type) -> Sequence:
    numbers = itertools.count()
    places = tf.nest.flatten(specs(element_type, lambda _: next(numbers)))

    def arrays_of(element: Any) -> Arrays:
        arrays = list(_arrays_in_list(element, element_type))
        return tuple(arrays[place] for place in places)

    return Elements.stack(map(arrays_of, elements), specs(element_type)).sequence()


def _arrays_in_list(element: Any, type_spec: tff.Type) -> Iterator[npt.NDArray[Any]]:
    if isinstance(type_spec, tff.TensorType):
        yield _array_in_list(element, type_spec)
        return
    for part, (_, part_type) in zip(
        _elements(element, type_spec), tff.structure.iter_elements(type_spec)
    ):
        yield from _arrays_in_list(part, part_type)


def _sequence(value: Any, type_spec: tff.SequenceType) -> Sequence:
    if isinstance(value, list):
        return _sequence_of_elements(value, type_spec.element)
    if not isinstance(value, tf.data.Dataset):
        raise TypeError(
            f"a value of type {type_spec} must be a tf.data.Dataset, or a list of its elements, "
            f"got {type(value).__name__}"
        )
    if _known_types.get(value) is not type_spec:
        given = tff.SequenceType(tff.types.tensorflow_to_type(value.element_spec))
        if not type_spec.is_assignable_from(given):
            raise TypeError(f"a value of type {type_spec} must not be a data set of type {given}")
        # A graph takes an element's tensors in the order of `tf.nest`, which sorts a dictionary.
        names, wanted = (
            [path for path, _ in nest.flatten_with_joined_string_paths(each)]
            for each in (value.element_spec, specs(type_spec.element))
        )
        if names != wanted and sorted(names) == sorted(wanted):
            raise TypeError(
                f"a value of type {type_spec} must have elements whose fields are in the order "
                f"{wanted}, got {names}: give named tuples or dictionaries in both"
            )
        _known_types[value] = type_spec
    return of_dataset(value)


# A client's data set is passed in every round, so its type is compared once.
_known_types: weakref.WeakKeyDictionary[tf.data.Dataset, tff.Type] = weakref.WeakKeyDictionary()
