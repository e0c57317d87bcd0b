"""A model's accuracy on every client, in one vectorised pass over all of their examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from tff_weights.client_work.local_model import (
    Model,
    ModelWeights,
    features_and_labels,
    local_model,
)
from tff_weights.client_work.training_loop import (
    CorrectFn,
    mean_per_example,
    sparse_categorical_correct,
)


class PerClientEvaluation(NamedTuple):
    """The result of one evaluation.

    Attributes:
        loss: The mean loss over all examples of all clients, `Σ n_i F_i / Σ n_i`.
        accuracies: `[num_clients]` float64 fractions; not a number for a client without examples.
        num_examples: `[num_clients]` int64.
    """

    loss: float
    accuracies: npt.NDArray[np.float64]
    num_examples: npt.NDArray[np.int64]


def build_per_client_evaluation(
    model: Model,
    examples: Any,
    num_examples: npt.ArrayLike,
    *,
    correct_fn: CorrectFn | None = None,
    batch_size: int = 4096,
) -> Callable[[ModelWeights], PerClientEvaluation]:
    """Builds the evaluation of a model on all clients.

    It runs in the calling process, outside TFF, and its cost depends on the number of examples
    alone, not on the number of clients.

    Args:
        model: See `compose_algorithm`.
        examples: Structure of arrays `[num_examples_in_all, ...]`, the clients' examples one
            client after the other, `{"x": ..., "y": ...}` or `(x, y)`.
        num_examples: `[num_clients]`, how many of them each client has.
        correct_fn: `(predictions, labels) → [batch, ...]` float32, 1.0 where right; by default
            `sparse_categorical_correct`.
        batch_size: How many examples go through the model at once; bounds the memory.

    Returns:
        A function from the model's weights to the evaluation.

    Raises:
        ValueError: If `num_examples` is negative somewhere or does not sum to the number of
            examples, there are none, or `batch_size` is less than 1.
    """
    correct_fn = correct_fn or sparse_categorical_correct
    counts = np.asarray(num_examples, np.int64)
    total = len(tf.nest.flatten(examples)[0])
    if batch_size < 1:
        raise ValueError(f"batch_size must be an integer >= 1, got {batch_size!r}")
    if np.any(counts < 0):
        raise ValueError(f"num_examples must be >= 0, got {counts.min()}")
    if counts.sum() != total or total == 0:
        raise ValueError(
            f"num_examples must sum to the number of examples, at least 1; got {counts.sum()} "
            f"for {total} examples"
        )
    bound = local_model(model).bind()
    client_of_example = np.repeat(np.arange(len(counts)), counts)

    @tf.function(autograph=False, reduce_retracing=True)
    def evaluate_batch(weights: ModelWeights, batch: Any) -> tuple[tf.Tensor, tf.Tensor]:
        loss, predictions = bound.evaluate(weights, batch, None)
        _, labels = features_and_labels(batch)
        return loss, mean_per_example(correct_fn(predictions, labels))

    batches = [
        tf.nest.map_structure(
            lambda array, at=start: tf.constant(array[at : at + batch_size]), examples
        )
        for start in range(0, total, batch_size)
    ]

    def evaluate(weights: ModelWeights) -> PerClientEvaluation:
        weights = tf.nest.map_structure(tf.convert_to_tensor, weights)
        losses, correct = zip(*(evaluate_batch(weights, batch) for batch in batches))
        batch_sizes = [len(of_batch) for of_batch in correct]
        num_correct = np.bincount(
            client_of_example, weights=np.concatenate(correct), minlength=len(counts)
        )
        with np.errstate(invalid="ignore"):
            accuracies = num_correct / counts
        return PerClientEvaluation(
            loss=float(np.average(losses, weights=batch_sizes)),
            accuracies=accuracies,
            num_examples=counts,
        )

    return evaluate
