"""The report: the scalars a client sends besides its update, measured only when asked for.

A weighting names built-in fields, those of `REPORT_FIELDS`, and brings `ReportField`s of its own.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np
import tensorflow as tf
from typing_extensions import TypeAlias

from tff_weights.checks import check_one_of
from tff_weights.client_work.labels import CorrectFn, LabelFormat, LabelKind, NoAccuracyError
from tff_weights.client_work.local_data import LocalData, RoundPlan
from tff_weights.client_work.local_model import (
    BoundModel,
    LocalModel,
    ModelWeights,
    labels_of,
)


@dataclasses.dataclass(frozen=True)
class LocalRun:
    """What a client knows when its local training has ended.

    Attributes:
        data: The client's data.
        plan: What it did with them.
        model: The model; `model.evaluate(weights, batch, None)` gives a mean loss and predictions.
        weights_before: The received weights `w_t`.
        weights_after: The client's own weights `w_i`.
        evaluate_before: Measures `w_t` on the client's whole training set: the loss and the
            accuracy by name, if a reported field needs them.
        evaluate_after: The same of `w_i`.
        batch_loss_sum_before: Returns the sum of the received model's mean losses on one epoch's
            mini-batches.
        label_format: What the labels are, if a reported field is about classes and values alone do
            not tell.
        received: What the server sent for the client's work, see `LocalWork.to_clients`.
    """

    data: LocalData
    plan: RoundPlan
    model: BoundModel
    weights_before: ModelWeights
    weights_after: ModelWeights
    evaluate_before: Callable[[], Mapping[str, tf.Tensor]]
    evaluate_after: Callable[[], Mapping[str, tf.Tensor]]
    batch_loss_sum_before: Callable[[], tf.Tensor]
    label_format: LabelFormat | None
    received: Any

    @property
    def examples(self) -> Any:
        """The client's examples, a structure of tensors `[n_i, ...]`, without padding."""
        return tf.nest.map_structure(lambda x: x[: self.data.num_examples], self.data.examples)

    @property
    def label_shares(self) -> tf.Tensor:
        """The share of each class that the client has, for fields with `uses=("label_entropy",)`.

        `[k]` float32 for `k` classes, in no order; empty without examples.
        """
        return label_shares(self.data, self.label_format)


@dataclasses.dataclass(frozen=True)
class ReportField:
    """One scalar of the report.

    Attributes:
        name: The field's name in the weighting's reports.
        measure: From the finished local run to the scalar, a TensorFlow function of the client's
            data and of the model before and after training. A client whose scalar is not finite is
            left out.
        dtype: int64 for indices; `None` for other numbers, which have the type of `computed_in`:
            float64 for a model of float64, else float32.
        uses: Names of built-in fields whose measurements `measure` needs: loss and accuracy of
            `evaluate_before` and `evaluate_after`, and the label format of `label_entropy`.
    """

    name: str
    measure: Callable[[LocalRun], tf.Tensor]
    dtype: type[np.generic] | None = None
    uses: tuple[str, ...] = ()


# A field that a weighting needs: the name of a built-in one, or one of its own.
AskedField: TypeAlias = Union[str, ReportField]

_ENTROPY = "label_entropy"

# The built-in fields, by name.
REPORT_FIELDS: Mapping[str, ReportField] = {
    field.name: field
    for field in (
        ReportField("client_index", lambda run: run.data.client_index, np.int64),
        ReportField("num_examples", lambda run: run.data.num_examples),
        ReportField("num_steps", lambda run: run.plan.num_steps),
        ReportField("learning_rate", lambda run: run.plan.learning_rate),
        ReportField("loss_before", lambda run: run.evaluate_before()["loss"]),
        ReportField("loss_after", lambda run: run.evaluate_after()["loss"]),
        ReportField("accuracy_before", lambda run: run.evaluate_before()["accuracy"]),
        ReportField("accuracy_after", lambda run: run.evaluate_after()["accuracy"]),
        ReportField("batch_loss_sum_before", lambda run: run.batch_loss_sum_before()),
        ReportField(_ENTROPY, lambda run: label_entropy(run.data, run.label_format)),
    )
}


def label_shares(data: LocalData, label_format: LabelFormat | None) -> tf.Tensor:
    """Returns the share of each class among a client's labels, `[k]` float32; empty without any.

    Each class of an example, or of a token of it, is counted once.

    Args:
        data: The client's data.
        label_format: What the labels are; `None` if each different value is a class.
    """
    labels = labels_of(data.examples)[: data.num_examples]
    classes = labels if label_format is None else label_format.classes(labels)
    if label_format is not None and label_format.ignored:
        classes = tf.boolean_mask(classes, label_format.counts(classes) > 0)
    _, _, counts = tf.unique_with_counts(tf.reshape(classes, [-1]))
    return tf.cast(counts, tf.float32) / tf.cast(tf.reduce_sum(counts), tf.float32)


def label_entropy(data: LocalData, label_format: LabelFormat | None) -> tf.Tensor:
    """Returns the entropy of a client's labels in nats, a float32 scalar; NaN without examples.

    Args:
        data: The client's data.
        label_format: As for `label_shares`.
    """
    shares = label_shares(data, label_format)
    entropy = -tf.reduce_sum(shares * tf.math.log(shares))
    # NaN, as for losses and accuracies without examples: the client must not pass for the least
    # diverse.
    return tf.where(tf.size(shares) > 0, entropy, math.nan)


@dataclasses.dataclass(frozen=True)
class Report:
    """The fields that a client reports, and what is needed to measure them.

    Attributes:
        fields: What to measure.
        correct_fn: Which predictions are right, if an accuracy is among the fields.
        label_format: What the labels are, if their entropy is among the fields and values alone do
            not tell.
    """

    fields: tuple[ReportField, ...]
    correct_fn: CorrectFn | None
    label_format: LabelFormat | None

    def evaluated(self, when: str) -> tuple[str, ...]:
        """Returns which of loss and accuracy are reported for the model `"before"` or `"after"`."""
        used = _used(self.fields)
        return tuple(name for name in ("loss", "accuracy") if f"{name}_{when}" in used)


def _used(fields: Sequence[ReportField]) -> set[str]:
    return {name for field in fields for name in (field.name, *field.uses)}


def plan_report(
    model: LocalModel, fields: tuple[AskedField, ...], correct_fn: CorrectFn | None = None
) -> Report:
    """Decides how the fields of a report are measured; only what they need is asked of the model.

    Args:
        model: The model.
        fields: Names from `REPORT_FIELDS`, and fields of the weighting's own.
        correct_fn: Which predictions are right, see `correct_per_example`; by default loss and
            shapes decide.

    Raises:
        ValueError: If a field cannot be measured: if its name is unknown, if loss and shapes do not
            decide about an accuracy, or if it is the entropy of labels without classes. If two
            fields have one name.
    """
    found = tuple(map(_found, fields))
    names = [field.name for field in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"report fields must have different names, got {name!r} twice")
    used = _used(found)
    if correct_fn is None and {"accuracy_before", "accuracy_after"} & used:
        correct_fn = model.label_format.correct
    return Report(found, correct_fn, _format_of_classes(model) if _ENTROPY in used else None)


def _found(field: AskedField) -> ReportField:
    if not isinstance(field, ReportField):
        check_one_of("report field", field, REPORT_FIELDS)
        return REPORT_FIELDS[field]
    if field.name in REPORT_FIELDS:
        raise ValueError(
            f"report field {field.name!r} is built in: a field of your own needs another name"
        )
    for used in field.uses:
        check_one_of(f"uses of report field {field.name!r}", used, REPORT_FIELDS)
    return field


def _format_of_classes(model: LocalModel) -> LabelFormat | None:
    labels = labels_of(model.input_spec)
    if isinstance(labels, tf.TensorSpec):
        is_number = labels.shape.rank == 1 or labels.shape[1:] == [1]
        if is_number and labels.dtype in (tf.bool, tf.string):
            return None
        is_class = is_number and labels.dtype.is_integer
        with contextlib.suppress(NoAccuracyError):
            found = model.label_format
            if is_class and not found.ignored:
                return None
            if is_number or found.kind is not LabelKind.BINARY:
                return found
        if is_class and model.loss is None:  # Hidden in a `VariableModel`.
            return None
    raise ValueError(
        f"label_entropy needs labels that are classes, got {labels}: real numbers, several labels "
        "of an example and no labels have no entropy"
    )


def measure_report(
    fields: Sequence[ReportField], run: LocalRun, dtype: tf.DType = tf.float32
) -> dict[str, tf.Tensor]:
    """Returns the fields of a finished local run by name, and measures nothing else.

    Args:
        fields: What to measure.
        run: The local run.
        dtype: The dtype of fields without their own.

    Raises:
        ValueError: If a field is no scalar.
    """
    report = collections.OrderedDict(
        (field.name, tf.cast(field.measure(run), field.dtype or dtype)) for field in fields
    )
    for name, value in report.items():
        if value.shape.rank not in (None, 0):
            raise ValueError(f"report field {name!r} must be a scalar, got shape {value.shape}")
    return report
