"""A model's accuracy on every client, in one vectorised pass over all of their examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from tff_weights.checks import check_integer
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_model import Model, ModelWeights, local_model
from tff_weights.client_work.training_loop import correct_per_example


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
        correct_fn: Who is right, see `compose_algorithm`.
        batch_size: How many examples go through the model at once; bounds the memory.

    Returns:
        A function from the model's weights to the evaluation.

    Raises:
        ValueError: If `num_examples` is negative somewhere or does not sum to the number of
            examples, there are none, or `batch_size` is less than 1.
    """
    counts = _checked_counts(examples, num_examples, batch_size)
    total = int(counts.sum())
    client_of_example = np.repeat(np.arange(len(counts)), counts)
    evaluate_batch = _build_batch_evaluation(model, correct_fn)
    batches = _batches(examples, range(0, total, batch_size), batch_size)

    def evaluate(weights: ModelWeights) -> PerClientEvaluation:
        weights = tf.nest.map_structure(tf.convert_to_tensor, weights)
        losses, correct, counted = zip(*(evaluate_batch(weights, batch) for batch in batches))
        batch_sizes = [len(of_batch) for of_batch in correct]
        num_correct, num_counted = (
            np.bincount(client_of_example, weights=np.concatenate(sums), minlength=len(counts))
            for sums in (correct, counted)
        )
        with np.errstate(invalid="ignore"):
            accuracies = num_correct / num_counted
        return PerClientEvaluation(
            loss=float(np.average(losses, weights=batch_sizes)),
            accuracies=accuracies,
            num_examples=counts,
        )

    return evaluate


def build_own_model_evaluation(
    model: Model,
    examples: Any,
    num_examples: npt.ArrayLike,
    *,
    correct_fn: CorrectFn | None = None,
    batch_size: int = 4096,
) -> Callable[[Callable[[int], ModelWeights], npt.ArrayLike], PerClientEvaluation]:
    """Builds the evaluation of clients that have a model each, on their own examples.

    What was found of a client is kept and found anew only where its model has another version.

    Args:
        model: As for `build_per_client_evaluation`, and so are all others.
        examples: The clients' examples.
        num_examples: How many of them each client has.
        correct_fn: Who is right.
        batch_size: How many examples go through the model at once.

    Returns:
        A function from `(weights_of, versions)` to the evaluation: `weights_of` is called with a
        client's place in `0..num_clients-1`, and `versions`, `[num_clients]` integers, differ
        where a client's model does.

    Raises:
        ValueError: As `build_per_client_evaluation`.
    """
    counts = _checked_counts(examples, num_examples, batch_size)
    evaluate_batch = _build_batch_evaluation(model, correct_fn)
    starts = np.concatenate([[0], np.cumsum(counts)])
    known_versions: list[int | None] = [None] * len(counts)
    loss_sums, accuracies = np.zeros(len(counts)), np.full(len(counts), np.nan)

    def evaluate_client(client: int, weights: ModelWeights) -> None:
        weights = tf.nest.map_structure(tf.convert_to_tensor, weights)
        first, end = starts[client], starts[client + 1]
        loss_sum, num_correct, num_counted = 0.0, 0.0, 0.0
        of_client = tf.nest.map_structure(lambda array: array[first:end], examples)
        for batch in _batches(of_client, range(0, end - first, batch_size), batch_size):
            loss, correct, counted = evaluate_batch(weights, batch)
            loss_sum += float(loss) * len(correct)
            num_correct += float(np.sum(correct, dtype=np.float64))
            num_counted += float(np.sum(counted, dtype=np.float64))
        loss_sums[client] = loss_sum
        accuracies[client] = num_correct / num_counted if num_counted else np.nan

    def evaluate(
        weights_of: Callable[[int], ModelWeights], versions: npt.ArrayLike
    ) -> PerClientEvaluation:
        for client, version in enumerate(np.asarray(versions).tolist()):
            if counts[client] and version != known_versions[client]:
                evaluate_client(client, weights_of(client))
                known_versions[client] = version
        return PerClientEvaluation(
            loss=float(loss_sums.sum() / counts.sum()),
            accuracies=accuracies.copy(),
            num_examples=counts,
        )

    return evaluate


def _checked_counts(
    examples: Any, num_examples: npt.ArrayLike, batch_size: int
) -> npt.NDArray[np.int64]:
    counts = np.asarray(num_examples, np.int64)
    total = len(tf.nest.flatten(examples)[0])
    check_integer("batch_size", batch_size, least=1)
    if np.any(counts < 0):
        raise ValueError(f"num_examples must be >= 0, got {counts.min()}")
    if counts.sum() != total or total == 0:
        raise ValueError(
            f"num_examples must sum to the number of examples, at least 1; got {counts.sum()} "
            f"for {total} examples"
        )
    return counts


def _batches(examples: Any, starts: Iterable[int], batch_size: int) -> list[Any]:
    return [
        tf.nest.map_structure(
            lambda array, at=start: tf.constant(array[at : at + batch_size]), examples
        )
        for start in starts
    ]


def _build_batch_evaluation(
    model: Model, correct_fn: CorrectFn | None
) -> Callable[[ModelWeights, Any], tuple[tf.Tensor, tf.Tensor, tf.Tensor]]:
    """Builds `(weights, batch) → (mean loss, [batch] who is right, [batch] how much it counts)`."""
    local = local_model(model)
    is_right = correct_fn or local.label_format.correct
    bound = local.bind()

    @tf.function(autograph=False, reduce_retracing=True)
    def evaluate_batch(weights: ModelWeights, batch: Any) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        # A layer that draws in evaluation, too, gives the same numbers every time.
        bound.random_numbers.restart(0, tf.constant(0), tf.constant(0, tf.int64))
        loss, predictions = bound.evaluate(weights, batch, None)
        return loss, *correct_per_example(is_right, predictions, batch)

    return evaluate_batch
