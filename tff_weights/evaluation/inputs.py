"""Checks of what an evaluation is given: examples, their numbers, and weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from tff_weights.checks import check_integer
from tff_weights.client_work.local_model import LocalModel


def checked_counts(
    examples: Any, num_examples: npt.ArrayLike, batch_size: int
) -> npt.NDArray[np.int64]:
    """Returns the numbers of the clients' examples, `[num_clients]`.

    Args:
        examples: As for `build_per_client_evaluation`, and so are all others.
        num_examples: How many of them each client has.
        batch_size: How many go through the model at once.

    Raises:
        ValueError: If a number is no integer or negative, if they do not sum to the number of
            examples, if there are none, or if `batch_size` is less than 1.
    """
    counts = np.asarray(num_examples, np.int64)
    shapes = [np.shape(array) for array in tf.nest.flatten(examples)]
    lengths = {shape[0] if shape else None for shape in shapes}
    total = lengths.pop() if len(lengths) == 1 else None
    if total is None:
        raise ValueError(f"examples must be arrays of one length, got the shapes {shapes}")
    check_integer("batch_size", batch_size, least=1)
    if np.any(counts < 0) or np.any(counts != np.asarray(num_examples)):
        raise ValueError(f"num_examples must be integers >= 0, got {num_examples!r}")
    if counts.sum() != total or total == 0:
        raise ValueError(
            f"num_examples must sum to the number of examples, at least 1; got {counts.sum()} "
            f"for {total} examples"
        )
    return counts


def check_weights(weights: Any) -> None:
    """Checks that weights are a model's.

    Raises:
        TypeError: If they are something else, such as the state of a process.
    """
    if not (hasattr(weights, "trainable") and hasattr(weights, "non_trainable")):
        raise TypeError(
            "weights must be tff.learning.models.ModelWeights, as process.get_model_weights(state) "
            f"returns them, got {type(weights).__name__}"
        )


@contextlib.contextmanager
def input_named(model: LocalModel, examples: Any) -> Iterator[None]:
    """Turns an error of examples that the model does not take into one that says what it takes.

    Other errors stay as they are, and so do examples of another dtype that it takes all the same.

    Raises:
        ValueError: If the examples have another dtype or shape than the model's input.
    """
    try:
        yield
    except (TypeError, ValueError, tf.errors.InvalidArgumentError) as error:
        arrays = [np.asarray(array) for array in tf.nest.flatten(examples)]
        given = [tf.TensorSpec([None, *array.shape[1:]], array.dtype) for array in arrays]
        taken = tf.nest.flatten(model.input_spec)
        if len(given) == len(taken) and all(map(tf.TensorSpec.is_compatible_with, taken, given)):
            raise
        raise ValueError(
            f"examples must be {_text(taken)}, as the model takes, got {_text(given)}"
        ) from error


def _text(specs: Sequence[tf.TensorSpec]) -> str:
    return ", ".join(f"{spec.dtype.name} {spec.shape}" for spec in specs)
