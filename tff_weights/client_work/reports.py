"""The report: the scalars a client sends besides its update, measured only when asked for.

A new field is one function and one entry of `REPORT_FIELDS`.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf

from tff_weights.client_work.local_data import LocalData, RoundPlan
from tff_weights.client_work.local_model import features_and_labels
from tff_weights.client_work.training_loop import Evaluation


@dataclasses.dataclass(frozen=True)
class LocalRun:
    """What a client knows when its local training has ended.

    Attributes:
        data: The client's data.
        plan: What it did with them.
        evaluate_before: Measures the received model `w_t` on the client's whole training set.
        evaluate_after: The same of the client's own model `w_i`.
        batch_loss_sum_before: Adds up the received model's mean losses on the mini-batches of one
            epoch.
    """

    data: LocalData
    plan: RoundPlan
    evaluate_before: Callable[[], Evaluation]
    evaluate_after: Callable[[], Evaluation]
    batch_loss_sum_before: Callable[[], tf.Tensor]


@dataclasses.dataclass(frozen=True)
class ReportField:
    """One scalar of the report.

    Attributes:
        dtype: int64 for indices, float32 for all that is computed with.
        measure: Reads it off the finished local run.
    """

    dtype: type[np.generic]
    measure: Callable[[LocalRun], tf.Tensor]


def _float_field(measure: Callable[[LocalRun], tf.Tensor]) -> ReportField:
    return ReportField(np.float32, measure)


REPORT_FIELDS: Mapping[str, ReportField] = {
    "client_index": ReportField(np.int64, lambda run: run.data.client_index),
    "num_examples": _float_field(lambda run: run.data.num_examples),
    "num_steps": _float_field(lambda run: run.plan.num_steps),
    "learning_rate": _float_field(lambda run: run.plan.learning_rate),
    "loss_before": _float_field(lambda run: run.evaluate_before().loss),
    "loss_after": _float_field(lambda run: run.evaluate_after().loss),
    "accuracy_before": _float_field(lambda run: run.evaluate_before().accuracy),
    "accuracy_after": _float_field(lambda run: run.evaluate_after().accuracy),
    "batch_loss_sum_before": _float_field(lambda run: run.batch_loss_sum_before()),
    "label_entropy": _float_field(lambda run: label_entropy(run.data)),
}


def label_entropy(data: LocalData) -> tf.Tensor:
    """Returns the entropy of a client's labels in nats, a float32 scalar; NaN without examples.

    The labels are scalars per example; each different value is a class.
    """
    _, labels = features_and_labels(data.examples)
    _, _, counts = tf.unique_with_counts(labels[: data.num_examples])
    shares = tf.cast(counts, tf.float32) / tf.cast(data.num_examples, tf.float32)
    entropy = -tf.reduce_sum(shares * tf.math.log(shares))
    # As the losses and accuracies of nothing: a weighting must not take it for the least diverse.
    return tf.where(data.num_examples > 0, entropy, math.nan)


def check_report_fields(fields: tuple[str, ...]) -> None:
    """Checks that every field can be measured.

    Raises:
        ValueError: If one cannot; the message names it and those that can.
    """
    for field in fields:
        if field not in REPORT_FIELDS:
            raise ValueError(f"report field must be one of {sorted(REPORT_FIELDS)}, got {field!r}")


def measure_report(fields: tuple[str, ...], run: LocalRun) -> dict[str, tf.Tensor]:
    """Returns the named fields of a finished local run, and measures nothing else."""
    return collections.OrderedDict(
        (name, tf.cast(REPORT_FIELDS[name].measure(run), REPORT_FIELDS[name].dtype))
        for name in fields
    )
