"""The report: the scalars a client sends besides its update, measured only when asked for.

A new field is one function and one entry of `REPORT_FIELDS`.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf

from tff_weights.checks import check_one_of
from tff_weights.client_work.labels import CorrectFn, LabelFormat, LabelKind, NoAccuracyError
from tff_weights.client_work.local_data import LocalData, RoundPlan
from tff_weights.client_work.local_model import LocalModel, labels_of


@dataclasses.dataclass(frozen=True)
class LocalRun:
    """What a client knows when its local training has ended.

    Attributes:
        data: The client's data.
        plan: What it did with them.
        evaluate_before: Measures the received model `w_t` on the client's whole training set: by
            name the loss and the accuracy, where they are reported.
        evaluate_after: The same of the client's own model `w_i`.
        batch_loss_sum_before: Adds up the received model's mean losses on the mini-batches of one
            epoch.
        label_format: What the labels are, where their classes are reported.
    """

    data: LocalData
    plan: RoundPlan
    evaluate_before: Callable[[], Mapping[str, tf.Tensor]]
    evaluate_after: Callable[[], Mapping[str, tf.Tensor]]
    batch_loss_sum_before: Callable[[], tf.Tensor]
    label_format: LabelFormat | None


@dataclasses.dataclass(frozen=True)
class ReportField:
    """One scalar of the report.

    Attributes:
        dtype: int64 for indices; `None` for all that is computed with: the type of `computed_in`,
            float64 for a model of float64 and float32 for any other.
        measure: Reads it off the finished local run.
    """

    dtype: type[np.generic] | None
    measure: Callable[[LocalRun], tf.Tensor]


def _float_field(measure: Callable[[LocalRun], tf.Tensor]) -> ReportField:
    return ReportField(None, measure)


_ENTROPY = "label_entropy"

REPORT_FIELDS: Mapping[str, ReportField] = {
    "client_index": ReportField(np.int64, lambda run: run.data.client_index),
    "num_examples": _float_field(lambda run: run.data.num_examples),
    "num_steps": _float_field(lambda run: run.plan.num_steps),
    "learning_rate": _float_field(lambda run: run.plan.learning_rate),
    "loss_before": _float_field(lambda run: run.evaluate_before()["loss"]),
    "loss_after": _float_field(lambda run: run.evaluate_after()["loss"]),
    "accuracy_before": _float_field(lambda run: run.evaluate_before()["accuracy"]),
    "accuracy_after": _float_field(lambda run: run.evaluate_after()["accuracy"]),
    "batch_loss_sum_before": _float_field(lambda run: run.batch_loss_sum_before()),
    _ENTROPY: _float_field(lambda run: label_entropy(run.data, run.label_format)),
}


def label_entropy(data: LocalData, label_format: LabelFormat | None) -> tf.Tensor:
    """Returns the entropy of a client's labels in nats, a float32 scalar; NaN without examples.

    Each class of an example, or of a token of it, is counted once.

    Args:
        data: The client's data.
        label_format: What the labels are; `None` where each different value is a class.
    """
    labels = labels_of(data.examples)[: data.num_examples]
    classes = labels if label_format is None else label_format.classes(labels)
    if label_format is not None and label_format.ignored:
        classes = tf.boolean_mask(classes, label_format.counts(classes) > 0)
    _, _, counts = tf.unique_with_counts(tf.reshape(classes, [-1]))
    total = tf.reduce_sum(counts)
    shares = tf.cast(counts, tf.float32) / tf.cast(total, tf.float32)
    entropy = -tf.reduce_sum(shares * tf.math.log(shares))
    # As the losses and accuracies of nothing: a weighting must not take it for the least diverse.
    return tf.where(total > 0, entropy, math.nan)


@dataclasses.dataclass(frozen=True)
class Report:
    """What a client reports, and all that measuring it needs.

    Attributes:
        fields: Names from `REPORT_FIELDS`.
        correct_fn: Who is right, where an accuracy is among them.
        label_format: What the labels are, where their entropy is among them and values alone do
            not say it.
    """

    fields: tuple[str, ...]
    correct_fn: CorrectFn | None
    label_format: LabelFormat | None

    def evaluated(self, when: str) -> tuple[str, ...]:
        """Returns which of loss and accuracy are reported of the model `"before"` or `"after"`."""
        return tuple(name for name in ("loss", "accuracy") if f"{name}_{when}" in self.fields)


def plan_report(
    model: LocalModel, fields: tuple[str, ...], correct_fn: CorrectFn | None = None
) -> Report:
    """Decides how the fields of a report are measured, and looks at nothing else of the model.

    Args:
        model: The model.
        fields: Names from `REPORT_FIELDS`.
        correct_fn: Who is right, see `correct_per_example`; by default what loss and shapes say.

    Raises:
        ValueError: If a field cannot be measured: its name is unknown, an accuracy is asked for
            and loss and shapes do not say who is right, or an entropy of labels without classes.
    """
    for field in fields:
        check_one_of("report field", field, REPORT_FIELDS)
    if correct_fn is None and {"accuracy_before", "accuracy_after"} & {*fields}:
        correct_fn = model.label_format.correct
    return Report(fields, correct_fn, _format_of_classes(model) if _ENTROPY in fields else None)


def _format_of_classes(model: LocalModel) -> LabelFormat | None:
    labels = labels_of(model.input_spec)
    if isinstance(labels, tf.TensorSpec):
        is_number = labels.shape.rank == 1 or labels.shape[1:] == [1]
        if is_number and (labels.dtype.is_integer or labels.dtype in (tf.bool, tf.string)):
            return None
        with contextlib.suppress(NoAccuracyError):
            found = model.label_format
            if is_number or found.kind is not LabelKind.BINARY:
                return found
    raise ValueError(
        f"label_entropy needs labels that are classes, got {labels}: real numbers, several labels "
        "of an example and no labels have no entropy"
    )


def measure_report(
    fields: tuple[str, ...], run: LocalRun, dtype: tf.DType = tf.float32
) -> dict[str, tf.Tensor]:
    """Returns the named fields of a finished local run, and measures nothing else.

    Args:
        fields: Names from `REPORT_FIELDS`.
        run: The local run.
        dtype: Of the fields that are computed with.
    """
    return collections.OrderedDict(
        (name, tf.cast(REPORT_FIELDS[name].measure(run), REPORT_FIELDS[name].dtype or dtype))
        for name in fields
    )
