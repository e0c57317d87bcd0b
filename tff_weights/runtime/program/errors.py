"""The errors of the runtime inside the program."""

from __future__ import annotations

import functools
from typing import Any

import grpc
import tensorflow as tf


class UnsupportedComputationError(NotImplementedError):
    """A computation holds something that is not interpreted.

    Args:
        what: What it holds.
    """

    def __init__(self, what: str):
        super().__init__(
            f"{what} is not interpreted: run this computation in TFF's own context, with "
            "tff.backends.native.set_sync_local_cpp_execution_context()."
        )


def conflicting_numbers(numbers: set[int]) -> ValueError:
    """Returns the error for parts of an argument that have different numbers of clients."""
    return ValueError(  # In TFF's words, and in ours.
        f"Conflicting cardinalities: values at clients are of {sorted(numbers)} clients"
    )


class _RpcError(grpc.RpcError):
    """What an error of TFF's worker is asked for; TensorFlow's numbers are those of gRPC."""

    error_code: int
    message: str

    def code(self) -> grpc.StatusCode:
        return next(status for status in grpc.StatusCode if status.value[0] == self.error_code)

    def details(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        return rpc_error, (self.error_code, self.message)


def rpc_error(error_code: int, message: str) -> tf.errors.OpError:
    """Returns TensorFlow's error of a number that is gRPC's, too, which TFF's worker raises."""
    return _class_of(error_code)(None, None, message)


@functools.cache
def _class_of(error_code: int) -> type[tf.errors.OpError]:
    kind = tf.compat.v1.errors.exception_type_from_error_code(error_code)
    return type(kind.__name__, (_RpcError, kind), {"__module__": kind.__module__})
