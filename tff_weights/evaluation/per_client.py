"""A model's accuracy, loss and any Keras metric on every client, outside TFF."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from tff_weights.client_work.any_model import local_model
from tff_weights.client_work.dense_examples import count_rows
from tff_weights.client_work.labels import CorrectFn, NoAccuracyError
from tff_weights.client_work.local_model import (
    LocalModel,
    Model,
    ModelWeights,
    labels_of,
)
from tff_weights.client_work.training_loop import correct_per_example
from tff_weights.evaluation.client_metrics import ClientMetrics, Metric
from tff_weights.evaluation.inputs import check_weights, checked_counts, input_named


class PerClientEvaluation(NamedTuple):
    """The result of one evaluation.

    Attributes:
        loss: The mean loss over all examples of all clients, `Σ n_i F_i / Σ n_i`. If the loss
            leaves out labels, `n_i` and `F_i` are of the labels that count alone.
        accuracies: `[num_clients]` float64 fractions; NaN for a client without examples, and for
            all clients of a model that has no accuracy.
        num_examples: `[num_clients]` int64.
        losses: `[num_clients]` float64, each client's mean loss `F_i`, NaN without examples; `None`
            if clients are evaluated together.
        metrics: By the metric's name `[num_clients]` float64, NaN without examples.
    """

    loss: float
    accuracies: npt.NDArray[np.float64]
    num_examples: npt.NDArray[np.int64]
    losses: npt.NDArray[np.float64] | None = None
    metrics: Mapping[str, npt.NDArray[np.float64]] = types.MappingProxyType({})


def build_per_client_evaluation(
    model: Model,
    examples: Any,
    num_examples: npt.ArrayLike,
    *,
    correct_fn: CorrectFn | None = None,
    metrics: Sequence[Metric] | None = None,
    batch_size: int = 4096,
) -> Callable[[ModelWeights], PerClientEvaluation]:
    """Builds the evaluation of a model on all clients.

    It runs in the calling process, outside TFF. Its cost depends on the number of examples alone,
    not on the number of clients; with `metrics`, clients are evaluated one after the other.

    Args:
        model: See `compose_algorithm`.
        examples: Structure of arrays `[num_examples_in_all, ...]`, the clients' examples one
            client after the other, `{"x": ..., "y": ...}` or `(x, y)`.
        num_examples: `[num_clients]`, the number of each client's examples.
        correct_fn: Who is right, see `compose_algorithm`.
        metrics: What else is measured of each client: Keras metrics that give one number, or
            functions that make them, such as `tf.keras.metrics.MeanAbsoluteError`. They are given
            labels and predictions as `ClientMetrics` says. An empty `[]` measures the losses alone.
        batch_size: How many examples go through the model at once; bounds the memory.

    Returns:
        A function from the model's weights to the evaluation.

    Raises:
        TypeError: If one of `metrics` is no metric.
        ValueError: If `num_examples` is negative somewhere or does not sum to the number of
            examples, there are none, `batch_size` is less than 1, or two metrics have one name. If
            loss and shapes do not say who is right, and neither `correct_fn` nor `metrics` does.
    """
    counts = checked_counts(examples, num_examples, batch_size)
    local = local_model(model)
    if metrics is not None:
        clients = _Clients(local, examples, counts, correct_fn, metrics, batch_size)

        def evaluate_clients(weights: ModelWeights) -> PerClientEvaluation:
            for client in np.flatnonzero(counts):
                clients.evaluate(client, weights)
            return clients.result()

        return evaluate_clients

    client_of_example = np.repeat(np.arange(len(counts)), counts)
    is_right = correct_fn or _format_needed(local)
    batch_evaluation = functools.cache(lambda: _build_batch_evaluation(local, is_right))
    batches = list(_batches(examples, 0, int(counts.sum()), batch_size))

    def evaluate(weights: ModelWeights) -> PerClientEvaluation:
        check_weights(weights)
        weights = tf.nest.map_structure(tf.convert_to_tensor, weights)
        evaluate_batch = batch_evaluation()
        with input_named(local, examples):
            losses, divisors, _, correct, counted = zip(
                *(evaluate_batch(weights, batch) for batch in batches)
            )
        # As floats of 64 bits the sizes are exact, and so is their sum.
        batch_sizes = np.array(divisors, np.float64)
        num_correct, num_counted = (
            np.bincount(client_of_example, weights=np.concatenate(sums), minlength=len(counts))
            for sums in (correct, counted)
        )
        with np.errstate(invalid="ignore"):
            accuracies = num_correct / num_counted
            loss = np.sum(np.array(losses, np.float64) * batch_sizes) / batch_sizes.sum()
        return PerClientEvaluation(
            loss=float(loss),
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
    metrics: Sequence[Metric] | None = None,
    batch_size: int = 4096,
) -> Callable[[Callable[[int], ModelWeights], npt.ArrayLike], PerClientEvaluation]:
    """Builds the evaluation of clients that have a model each, on their own examples.

    A client is evaluated again only if its model has another version.

    Args:
        model: As for `build_per_client_evaluation`, and so are all others.
        examples: The clients' examples.
        num_examples: How many of them each client has.
        correct_fn: Who is right.
        metrics: What else is measured.
        batch_size: How many examples go through the model at once.

    Returns:
        A function from `(weights_of, versions)` to the evaluation: `weights_of` is called with a
        client's place in `0..num_clients-1`, and `versions`, `[num_clients]` integers, differ
        where a client's model does. A version of `None` leaves the client as it was. One that was
        never evaluated has NaN, and no share in the mean loss.

    Raises:
        TypeError: As `build_per_client_evaluation`.
        ValueError: As `build_per_client_evaluation`; the function, if `versions` are not one for
            each client.
    """
    counts = checked_counts(examples, num_examples, batch_size)
    local = local_model(model)
    clients = _Clients(local, examples, counts, correct_fn, metrics, batch_size)
    known_versions: list[int | None] = [None] * len(counts)

    def evaluate(
        weights_of: Callable[[int], ModelWeights], versions: npt.ArrayLike
    ) -> PerClientEvaluation:
        if np.shape(versions) != counts.shape:
            raise ValueError(
                f"versions must have one for each of {len(counts)} clients, got {versions!r}"
            )
        for client, version in enumerate(np.asarray(versions).tolist()):
            if counts[client] and version not in (None, known_versions[client]):
                clients.evaluate(client, weights_of(client))
                known_versions[client] = version
        return clients.result()

    return evaluate


class _Clients:
    """Clients that are evaluated one after the other, and their results."""

    def __init__(
        self,
        local: LocalModel,
        examples: Any,
        counts: npt.NDArray[np.int64],
        correct_fn: CorrectFn | None,
        metrics: Sequence[Metric] | None,
        batch_size: int,
    ):
        self._local, self._counts = local, counts
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self._examples = examples
        self._batch_size = batch_size
        self._metrics = ClientMetrics(local, metrics or ())
        self._is_right = correct_fn or (
            _format_needed(local) if metrics is None else _format_if_any(local)
        )
        self._for_any_size: tf.types.experimental.ConcreteFunction | None = None
        self._like: ModelWeights | None = None
        self._is_evaluated = np.zeros(len(counts), bool)
        self._loss_sums, self._loss_divisors = np.zeros(len(counts)), np.zeros(len(counts))
        self._accuracies = np.full(len(counts), np.nan)
        self._values = {name: np.full(len(counts), np.nan) for name in self._metrics.names}

    def evaluate(self, client: int, weights: ModelWeights) -> None:
        check_weights(weights)
        # As the function was traced: they may come in lists now and in tuples then.
        self._like = weights if self._like is None else self._like
        tensors = [tf.convert_to_tensor(each) for each in tf.nest.flatten(weights)]
        weights = tf.nest.pack_sequence_as(self._like, tensors)
        loss_sum = divisor_sum = num_correct = num_counted = 0.0
        self._metrics.reset()
        first, end = self._starts[client], self._starts[client + 1]
        for batch in _batches(self._examples, first, end, self._batch_size):
            with input_named(self._local, self._examples):
                self._for_any_size = self._for_any_size or self._traced(weights, batch)
                loss, divisor, predictions, correct, counted = self._for_any_size(weights, batch)
            loss_sum += float(loss) * float(divisor)
            divisor_sum += float(divisor)
            num_correct += float(np.sum(correct, dtype=np.float64))
            num_counted += float(np.sum(counted, dtype=np.float64))
            self._metrics.update(predictions, batch)
        self._is_evaluated[client] = True
        self._loss_sums[client], self._loss_divisors[client] = loss_sum, divisor_sum
        self._accuracies[client] = num_correct / num_counted if num_counted else math.nan
        for name, value in self._metrics.results().items():
            self._values[name][client] = value

    def _traced(self, *like: Any) -> tf.types.experimental.ConcreteFunction:
        """Traces the evaluation of batches of any size.

        TensorFlow's function would compare each size with all sizes before it, in Python.
        """
        weights, batch = tf.nest.map_structure(tf.TensorSpec.from_tensor, like)
        batch = tf.nest.map_structure(
            lambda spec: tf.TensorSpec([None, *spec.shape[1:]], spec.dtype), batch
        )
        # Held, since a concrete function does not keep its model's variables.
        self._evaluate_batch = _build_batch_evaluation(self._local, self._is_right)
        return self._evaluate_batch.get_concrete_function(weights, batch)

    def result(self) -> PerClientEvaluation:
        with np.errstate(invalid="ignore"):
            losses = np.where(self._is_evaluated, self._loss_sums / self._loss_divisors, np.nan)
            loss = self._loss_sums.sum() / self._loss_divisors.sum()
        return PerClientEvaluation(
            loss=float(loss),
            accuracies=self._accuracies.copy(),
            num_examples=self._counts,
            losses=losses,
            metrics={name: values.copy() for name, values in self._values.items()},
        )


def _batches(examples: Any, first: int, end: int, batch_size: int) -> Iterator[Any]:
    for start in range(first, end, batch_size):
        stop = min(start + batch_size, end)
        yield tf.nest.map_structure(
            lambda array, at=slice(start, stop): tf.constant(array[at]), examples
        )


def _format_needed(local: LocalModel) -> CorrectFn:
    try:
        return local.label_format.correct
    except NoAccuracyError as error:
        raise NoAccuracyError(f"{error}, or metrics, for other numbers of each client") from error


def _format_if_any(local: LocalModel) -> CorrectFn | None:
    try:
        return local.label_format.correct
    except NoAccuracyError:
        return None


def _build_batch_evaluation(
    local: LocalModel, is_right: CorrectFn | None
) -> tf.types.experimental.GenericFunction:
    """Builds the function from weights and a batch to its measurements.

    These are its mean loss, over how many examples or labels that is, the predictions, and for each
    example, `[batch]`, how much is right and how much it counts; zeros if that is unknown.

    Called right before the first evaluation: a process that TFF builds changes the classes of
    Keras' layers, and layers that were made before it cannot be traced.
    """
    bound = local.bind()

    @tf.function(autograph=False, reduce_retracing=True)
    def evaluate_batch(
        weights: ModelWeights, batch: Any
    ) -> tuple[tf.Tensor, tf.Tensor, Any, tf.Tensor, tf.Tensor]:
        # A layer that draws in evaluation, too, gives the same numbers every time.
        bound.random_numbers.restart(0, tf.constant(0), tf.constant(0, tf.int64))
        loss, predictions = bound.evaluate(weights, batch, None)
        num_counted = bound.num_counted(labels_of(batch))
        divisor = count_rows(batch) if num_counted is None else num_counted
        if is_right is None:
            zeros = tf.zeros(tf.shape(tf.nest.flatten(batch)[0])[:1])
            return loss, divisor, predictions, zeros, zeros
        return loss, divisor, predictions, *correct_per_example(is_right, predictions, batch)

    return evaluate_batch
