"""Keras metrics of one client after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Union

import tensorflow as tf

from tff_weights.client_work.labels import LabelFormat, LabelKind, NoAccuracyError
from tff_weights.client_work.local_model import LocalModel, labels_of

Metric = Union[tf.keras.metrics.Metric, Callable[[], tf.keras.metrics.Metric]]


class ClientMetrics:
    """Keras metrics that are fed batches of one client, read, and reset for the next.

    Most metrics of Keras compare output by output: all whose names say neither "Sparse" nor "IoU".
    They get labels and predictions as `[n, num_outputs]`: class indices become one-hot, tokens
    become rows. Where a label is yes or no, and the metric is not one of regressions, a −1 for no
    becomes 0. No metric of Keras gets labels that the loss ignores, such as padding; without any
    other label it is NaN; so is the AUC of a ROC curve if all labels are alike. Any other metric,
    and a `MeanMetricWrapper` of any other function, gets both as they are. Predictions are the
    model's outputs. A metric must be told if they are logits, as in `AUC(from_logits=True)`.
    """

    def __init__(
        self,
        model: LocalModel,
        metrics: Sequence[Metric],
    ):
        """Makes the metrics.

        Args:
            model: The model, which says what its labels are.
            metrics: Metrics, or functions that make them.

        Raises:
            TypeError: If one is neither.
            ValueError: If two have one name.
        """
        self._metrics = [_made(metric) for metric in metrics]
        self.names = [metric.name for metric in self._metrics]
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"metrics must have different names, got {self.names}")
        self._format = _format(model) if metrics else None
        # A hinge loss takes −1 for no, whatever the labels of its trial.
        self._is_binary = self._format is not None and self._format.kind is LabelKind.BINARY
        self._fed: set[str] = set()

    def reset(self) -> None:
        """Forgets what was fed."""
        self._fed.clear()
        for metric in self._metrics:
            metric.reset_state()

    def update(self, predictions: Any, batch: Any) -> None:
        """Feeds one batch.

        Args:
            predictions: The model's.
            batch: What they were made of.
        """
        labels = labels_of(batch)
        are_tensors = tf.is_tensor(predictions) and tf.is_tensor(labels)
        for metric in self._metrics:
            given = labels, predictions
            if are_tensors and _is_of_keras(metric):
                given = self._counted(labels, predictions)
                if not tf.size(given[0]):
                    continue
                if _compares_outputs(metric):
                    given = self._alike(*given)
                    if self._is_binary and "regression" not in type(metric).__module__:
                        given = _with_no_as_zero(given[0]), given[1]
            metric.update_state(*given)
            self._fed.add(metric.name)

    def results(self) -> dict[str, float]:
        """Returns the metrics by name.

        Raises:
            ValueError: If a metric gives more than one number.
        """
        found = {
            metric.name: tf.convert_to_tensor(metric.result())
            for metric in self._metrics
            if metric.name in self._fed and not _is_undefined(metric)  # Some are not built yet.
        }
        for name, value in found.items():
            if value.shape.rank:
                raise ValueError(
                    f"metrics must give one number of a client each, {name!r} gives {value.shape}: "
                    "choose its mean, as average='macro' of F1Score does"
                )
        return {name: float(found[name]) if name in found else math.nan for name in self.names}

    def _counted(self, labels: tf.Tensor, predictions: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Leaves out the labels that the loss ignores, and what was predicted for them."""
        if self._format is None or not self._format.ignored:
            return labels, predictions
        classes = self._format.classes(labels, predictions.shape.rank - 1)
        counts = self._format.counts(classes) > 0
        return tf.boolean_mask(classes, counts), tf.boolean_mask(predictions, counts)

    def _alike(self, labels: tf.Tensor, predictions: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        width = predictions.shape[-1] if predictions.shape.rank > 1 else 1
        predictions = tf.reshape(predictions, [-1, width])
        if self._format is not None and self._format.kind is LabelKind.INDEX:
            labels = tf.one_hot(tf.cast(tf.reshape(labels, [-1]), tf.int64), width)
        return tf.reshape(labels, tf.shape(predictions)), predictions


def _with_no_as_zero(labels: tf.Tensor) -> tf.Tensor:
    return labels if labels.dtype == tf.bool else tf.maximum(labels, tf.zeros_like(labels))


def _made(metric: Any) -> tf.keras.metrics.Metric:
    made = (
        metric() if callable(metric) and not isinstance(metric, tf.keras.metrics.Metric) else metric
    )
    if not isinstance(made, tf.keras.metrics.Metric):
        raise TypeError(
            "metrics must be tf.keras.metrics.Metric, or functions without arguments that return "
            f"one, got {type(made).__name__}"
        )
    return made


def _format(model: LocalModel) -> LabelFormat | None:
    try:
        return model.label_format
    except NoAccuracyError:
        return None


def _measure(metric: tf.keras.metrics.Metric) -> Any:
    """The metric's class, or the function that it averages."""
    is_mean = type(metric) is tf.keras.metrics.MeanMetricWrapper
    return metric._fn if is_mean else type(metric)


def _is_of_keras(metric: tf.keras.metrics.Metric) -> bool:
    return getattr(_measure(metric), "__module__", "").partition(".")[0] == "keras"


def _compares_outputs(metric: tf.keras.metrics.Metric) -> bool:
    """Whether a metric of Keras compares output by output."""
    name = _measure(metric).__name__.lower()
    return "sparse" not in name and "iou" not in name


def _is_undefined(metric: tf.keras.metrics.Metric) -> bool:
    """Whether it is the area under a ROC curve, and all labels are yes, or all no."""
    if not isinstance(metric, tf.keras.metrics.AUC) or metric.curve.name != "ROC":
        return False
    yes = tf.reduce_sum(metric.true_positives + metric.false_negatives)
    no = tf.reduce_sum(metric.true_negatives + metric.false_positives)
    return not (yes > 0 and no > 0)
