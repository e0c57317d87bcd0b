"""TFF's intrinsics: the federated operations of a computation.

A new one is one function and one entry of `INTRINSICS`. Every function takes the cohort, the
argument as TFF's building blocks hold it, and the type of the result. Docstrings give the
argument's type in TFF's notation, with `@S` for the server and `@C` for the clients. Only the
native form is read, which does not mark clients' values as equal at all clients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff
from typing_extensions import TypeAlias

from tff_weights.runtime.program import values
from tff_weights.runtime.program.cohort import Cohort
from tff_weights.runtime.program.sequences import Sequence, of_dataset
from tff_weights.runtime.program.values import Everywhere, Value

Intrinsic: TypeAlias = Callable[[Cohort, Value, tff.Type], Value]


def _map(cohort: Cohort, argument: Value, _: tff.Type) -> Value:
    """`<(T -> U), {T}@C> -> {U}@C`."""
    function, clients = argument
    return cohort.map(function, clients)


def _apply(_: Cohort, argument: Value, __: tff.Type) -> Value:
    """`<(T -> U), T@S> -> U@S`."""
    function, value = argument
    return function(value)


def _broadcast(cohort: Cohort, argument: Value, _: tff.Type) -> Everywhere:
    """`T@S -> T@C`, or `T -> T@C`."""
    return cohort.broadcast(argument)


def _as_it_is(_: Cohort, argument: Value, __: tff.Type) -> Value:
    """`T -> T@S`, or a structure of values at the server to a value that is a structure."""
    return argument


def _evaluate_at_server(_: Cohort, argument: Value, __: tff.Type) -> Value:
    """`( -> T) -> T@S`."""
    return argument()


def _evaluate_at_clients(cohort: Cohort, argument: Value, _: tff.Type) -> Value:
    """`( -> T) -> {T}@C`."""
    return cohort.evaluate(argument)


def _zip_at_clients(cohort: Cohort, argument: Value, _: tff.Type) -> Value:
    """`<{T}@C, {U}@C> -> {<T, U>}@C`, at any depth."""
    return cohort.zip(argument)


def _aggregate(cohort: Cohort, argument: Value, _: tff.Type) -> Value:
    """`<{T}@C, U, (<U, T> -> U), (<U, U> -> U), (U -> R)> -> R@S`."""
    clients, zero, accumulate, merge, report = argument
    return report(cohort.aggregate(clients, zero, accumulate, merge))


def _select(cohort: Cohort, argument: Value, type_spec: tff.Type) -> Value:
    """`<{int32[K]}@C, int32@S, T@S, (<T, int32> -> U)> -> {U*}@C`."""
    keys, _, server_value, select = argument
    return cohort.select(keys, server_value, select, type_spec.member.element)


def _sequence_map(_: Cohort, argument: Value, type_spec: tff.Type) -> Sequence:
    """`<(T -> U), T*> -> U*`."""
    function, sequence = argument
    element_type = function.type_signature.parameter
    dataset = sequence.as_dataset(element_type)
    # `map` takes a tuple apart, of one element as of several, and nothing else: no named tuple.
    is_tuple = type(dataset.element_spec) is tuple

    @tf.autograph.experimental.do_not_convert  # Which would hide what an error is.
    def convert(*parts: Any) -> Any:
        element = parts if is_tuple else parts[0]
        result = function(values.from_python(element, element_type))
        return values.to_nest(result, type_spec.element)

    return of_dataset(dataset.map(convert))


def _sequence_reduce(_: Cohort, argument: Value, __: tff.Type) -> Value:
    """`<T*, U, (<U, T> -> U)> -> U`."""
    sequence, accumulator, function = argument
    element_type = function.type_signature.parameter[1]
    for element in sequence.as_dataset(element_type):
        accumulator = function((accumulator, values.from_python(element, element_type)))
    return accumulator


INTRINSICS: Mapping[str, Intrinsic] = {
    "federated_aggregate": _aggregate,
    "federated_apply": _apply,
    "federated_broadcast": _broadcast,
    "federated_eval_at_clients": _evaluate_at_clients,
    "federated_eval_at_server": _evaluate_at_server,
    "federated_map": _map,
    "federated_select": _select,
    "federated_value_at_clients": _broadcast,
    "federated_value_at_server": _as_it_is,
    "federated_zip_at_clients": _zip_at_clients,
    "federated_zip_at_server": _as_it_is,
    "sequence_map": _sequence_map,
    "sequence_reduce": _sequence_reduce,
}
