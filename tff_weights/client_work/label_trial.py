"""Finds out from a model's loss and shapes what its labels are.

The loss distinguishes a classifier from a regression. A classifier's loss never grows when the
right class gets a larger output. A regression's loss grows beyond the right number.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_weights.client_work.labels import (
    LOGIT,
    PROBABILITY,
    LabelFormat,
    LabelKind,
    Loss,
    NoAccuracyError,
)

# Class indices that losses commonly ignore, besides those that they name.
_OFTEN_IGNORED = (-100, -1, 0, 1, 255)
# Smaller shares of the gain from a right prediction are rounding.
_ROUNDING = 0.01


@tf.autograph.experimental.do_not_convert
def format_of_mean(loss: Loss | None, predictions: Any, labels: Any) -> LabelFormat | None:
    """Returns the labels' format if the mean loss of a batch is over those that count, else `None`.

    It may be called inside a graph.

    Args:
        loss: The model's, where it is known.
        predictions: The tensor of a batch, `[batch, ...]`, or a structure, which is `None`'s case.
        labels: The same of the labels.

    Raises:
        ValueError: If the loss of a batch is a sum over its examples.
    """
    if loss is None or not (tf.is_tensor(predictions) and tf.is_tensor(labels)):
        return None
    if None in (predictions.shape.rank, labels.shape.rank):
        return None
    # A batch that is known to be large would be a large trial.
    specs = [tf.TensorSpec([None, *x.shape[1:]], x.dtype) for x in (predictions, labels)]

    def tried() -> LabelFormat | None:
        trial = _Trial(loss, *specs)
        if trial.adds_up_examples():
            raise ValueError(
                "the model's loss must be a mean over the examples, but an example that stands "
                "twice in a batch costs twice as much: take tf.reduce_mean, not tf.reduce_sum"
            )
        return trial.indices() if _are_indices(*specs) else None

    # The trial needs numbers, which a new thread computes, as it is outside of every graph.
    with concurrent.futures.ThreadPoolExecutor(1) as outside:
        found = outside.submit(tried).result()
    return found if found is not None and found.of_counted else None


def label_format(*, loss: Loss | None, predictions: Any, labels: Any) -> LabelFormat:
    """Decides what the labels are.

    Decisions: shapes tell whether a label is an index or has an entry for each output. An index is
        one number for several outputs, also as a column. Then the loss is computed for made-up
        predictions. Labels that it ignores, such as Keras' `ignore_class`, do not count. If the
        loss is unknown or fails, integers for several outputs are still indices.

    Args:
        loss: The model's, where it is known.
        predictions: Structure of `tf.TensorSpec`, `[batch, ...]`.
        labels: The same of the labels, or `None` where there are none.

    Raises:
        NoAccuracyError: If loss and shapes do not say which predictions are right: for a
            regression, for several outputs, or without labels.
    """
    found = None
    if isinstance(predictions, tf.TensorSpec) and isinstance(labels, tf.TensorSpec):
        trial = _Trial(loss, predictions, labels)
        if _are_indices(predictions, labels):
            found = trial.indices()
        elif _are_alike(predictions, labels):
            found = trial.binary() or trial.one_hot()
    if found is None:
        shown, of_labels = (tf.nest.map_structure(_shown, x) for x in (predictions, labels))
        raise NoAccuracyError(
            f"loss and shapes do not say which predictions {shown} are right for the labels "
            f"{of_labels}: a model of numbers has no accuracy; where one is needed give correct_fn,"
            " (predictions, labels) -> 1.0 where right"
        )
    return found


def _shown(spec: Any) -> str | None:
    return spec and f"{spec.shape} {spec.dtype.name}"


def _num_outputs(predictions: tf.TensorSpec) -> int | None:
    """Returns how many classes the outputs have; `None` if only the data tell."""
    return predictions.shape[-1] if predictions.shape.rank != 1 else 1


def _are_indices(predictions: tf.TensorSpec, labels: tf.TensorSpec) -> bool:
    rank = labels.shape.rank
    if None in (rank, predictions.shape.rank) or _num_outputs(predictions) == 1:
        return False
    is_column = rank == predictions.shape.rank and labels.shape[-1] == 1
    return bool(rank == predictions.shape.rank - 1 or is_column)


def _are_alike(predictions: tf.TensorSpec, labels: tf.TensorSpec) -> bool:
    """Returns whether each output has a label, apart from dimensions of size 1 at the end."""
    if None in (labels.shape.rank, predictions.shape.rank):
        return False
    sizes = [spec.shape.as_list() for spec in (predictions, labels)]
    for shape in sizes:
        if len(shape) > 1 and shape[-1] == 1:
            shape.pop()
    return len(sizes[0]) == len(sizes[1]) and all(
        one == other or None in (one, other) for one, other in zip(*sizes)
    )


class _Trial:
    """A loss that is tried on one example of made-up predictions and labels."""

    def __init__(self, loss: Loss | None, predictions: tf.TensorSpec, labels: tf.TensorSpec):
        self._loss = loss
        self._predictions = predictions
        self._labels = labels
        self._shape = [size or 1 for size in predictions.shape]
        self._shape[-1] = _num_outputs(predictions) or 3
        self._label_shape = [size or 1 for size in labels.shape]

    def indices(self) -> LabelFormat | None:
        def loss_at(surest: int, scale: float, label: int) -> float:
            return self._at(self._surest(surest, scale), np.full(self._label_shape, label))

        # The loss may ignore one of two classes.
        pairs = [pair for pair in ((0, 1), (1, 2), (0, 2)) if max(pair) < self._shape[-1]]
        is_right = self._loss is not None and any(
            _is_surer_never_worse(loss_at, pair) for pair in pairs
        )
        if not is_right and (self._is_known() or not self._labels.dtype.is_integer):
            return None
        ignored = tuple(value for value in self._may_be_ignored() if self._is_ignored(value))
        of_counted = bool(ignored) and self._is_mean_of_counted(ignored[0])
        return LabelFormat(LabelKind.INDEX, ignored=ignored, of_counted=of_counted)

    def one_hot(self) -> LabelFormat | None:
        if _num_outputs(self._predictions) == 1 or self._label_shape[-1:] != self._shape[-1:]:
            return None

        def loss_at(surest: int, scale: float, label: int) -> float:
            one_hot = np.zeros(self._label_shape)
            one_hot[..., label] = 1.0
            return self._at(self._surest(surest, scale), one_hot)

        return LabelFormat(LabelKind.ONE_HOT) if _is_surer_never_worse(loss_at) else None

    def binary(self) -> LabelFormat | None:
        for no in (0, -1):
            threshold = _threshold(
                lambda output: self._of_all(output, 1),
                lambda output, no=no: self._of_all(output, no),  # type: ignore[misc]
            )
            if threshold is not None and self._adds_up(no):
                return LabelFormat(LabelKind.BINARY, threshold=threshold)
        return None

    def adds_up_examples(self) -> bool:
        """Whether the loss of an example that stands there twice is twice as large."""
        for label in (0, 1):  # The loss may ignore one of them.
            example = self._surest(0, 0.5), np.full(self._label_shape, label)
            once, twice = (self._at(*(np.repeat(x, n, axis=0) for x in example)) for n in (1, 2))
            is_told = once != 0 and np.isfinite(once)
            if is_told and np.isclose(twice, 2 * once, rtol=self._tolerance):
                return True
        return False

    def _of_all(self, output: float, label: int) -> float:
        return self._at(np.full(self._shape, output), np.full(self._label_shape, label))

    def _adds_up(self, no: int) -> bool:
        """Whether each output has its own loss; outputs of classes share one."""
        num_outputs = self._shape[-1]
        if num_outputs == 1 or self._label_shape[-1] != num_outputs:
            return True
        output, label = np.full(self._shape, 0.3), np.full(self._label_shape, no)
        output[..., 0], label[..., 0] = 0.9, 1
        apart = self._of_all(0.9, 1) + (num_outputs - 1) * self._of_all(0.3, no)
        mean = apart / num_outputs
        return bool(np.isclose(self._at(output, label), mean, rtol=self._tolerance))

    @property
    def _tolerance(self) -> float:
        # In half precision only the first two digits of a loss are not rounding.
        return 1e-3 if self._predictions.dtype.size > 2 else 3e-2

    def _surest(self, surest: int, scale: float) -> Any:
        output = np.full(self._shape, 0.25)
        output[..., surest] = scale
        return output

    def _may_be_ignored(self) -> list[int]:
        said = getattr(self._loss, "ignore_class", None)
        values = {*_OFTEN_IGNORED, *([] if said is None else [said])}
        dtype = self._labels.dtype
        if dtype == tf.bool:
            return []
        return sorted(value for value in values if dtype.min <= value <= dtype.max)

    def _is_ignored(self, value: int) -> bool:
        """Whether the loss is the same, beside another label, for right and wrong predictions.

        Many are tried, as a loss may be flat in one place, such as a hinge beyond its margin.
        """
        num_classes, other = self._shape[-1], self._surest(1, 1.0)
        labels = np.concatenate(
            [np.full(self._label_shape, value), np.full(self._label_shape, 1 if value != 1 else 0)]
        )
        classes = {0, 1, num_classes - 1, value} & {*range(num_classes)}
        losses: set[float] = set()
        for scale, surest in itertools.product((0.5, 1.0, 20.0), classes):
            loss = self._at(np.concatenate([self._surest(surest, scale), other]), labels)
            # A loss of probabilities may have no number at 20.
            losses |= {loss} if np.isfinite(loss) else set()
            if len(losses) > 1:
                break
        return len(losses) == 1

    def _is_mean_of_counted(self, ignored: int) -> bool:
        """Whether an example whose labels are ignored leaves another one's loss as it is."""
        output, label = self._surest(0, 1.0), np.full(self._label_shape, 1 if ignored != 1 else 0)
        beside = np.concatenate([label, np.full(self._label_shape, ignored)])
        losses = self._at(output, label), self._at(np.concatenate([output, output]), beside)
        return losses[0] > 0 and bool(np.isclose(*losses, rtol=self._tolerance))

    def _is_known(self) -> bool:
        """Whether the loss can be computed at all."""
        zeros = np.zeros(self._shape), np.zeros(self._label_shape)
        return self._loss is not None and not np.isnan(self._at(*zeros))

    def _at(self, output: Any, label: Any) -> float:
        """Returns the loss; NaN if there is none."""
        if self._loss is None:
            return np.nan
        tensors = (
            tf.constant(output, self._predictions.dtype),
            tf.cast(tf.constant(label), self._labels.dtype),
        )
        with contextlib.suppress(Exception):  # A loss that raises any error tells nothing.
            return float(tf.reduce_mean(tf.cast(self._loss(*tensors), tf.float32)))
        return np.nan


def _is_surer_never_worse(
    loss_at: Callable[[int, float, int], float], pair: tuple[int, int] = (0, 1)
) -> bool:
    """Whether the right one of two classes costs less, and not more with a larger output.

    Args:
        loss_at: `(class with the largest output, this output, label) → loss`.
        pair: The classes.
    """
    for label, other in (pair, pair[::-1]):
        unsure, right, surer = (loss_at(label, output, label) for output in (0.5, 1.0, 2.0))
        wrong = loss_at(other, 1.0, label)
        if not (wrong > right and surer - right <= _ROUNDING * (unsure - right)):
            return False
    return True


def _threshold(yes: Callable[[float], float], no: Callable[[float], float]) -> float | None:
    """Returns the output above which the answer is yes; `None` for other losses.

    Args:
        yes: From the output to the loss if yes is right.
        no: From the output to the loss if no is right.
    """
    # A probability near 0 costs far more than the next larger one; no logit does.
    is_steep_at_zero = yes(1e-6) - yes(0.25) > 2.0 * (yes(0.25) - yes(0.75))
    # A logit far below 0 is a sure no; a loss of overlaps, such as Dice, is out of its range there.
    is_logit = yes(-2.0) > yes(-1.0) and not is_steep_at_zero and no(-4.0) <= no(0.0)
    low, high = (-1.0, 1.0) if is_logit else (0.25, 0.75)
    for loss, right, wrong, surer in ((yes, high, low, 2.0), (no, low, high, -2.0)):
        difference = loss(wrong) - loss(right)
        if not difference > 0 or loss(surer) - loss(right) > _ROUNDING * difference:
            return None
    return LOGIT if is_logit else PROBABILITY
