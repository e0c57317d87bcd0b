"""The report: the scalars a client sends besides its update, measured only when asked for.

A new field is one function and one entry of `REPORT_FIELDS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf

from tff_weights.client_work.training_loop import Evaluation


@dataclasses.dataclass(frozen=True)
class LocalRun:
    """What a client knows when its local training has ended.

    Attributes:
        client_index: int64 scalar, the client's position in `0..num_clients−1`.
        num_examples: int32 scalar `n_i`.
        num_steps: int32 scalar `τ_i`.
        learning_rate: float32 scalar `η_t`.
        evaluate_before: Measures the received model `w_t` on the client's whole training set.
        evaluate_after: The same of the client's own model `w_i`.
    """

    client_index: tf.Tensor
    num_examples: tf.Tensor
    num_steps: tf.Tensor
    learning_rate: tf.Tensor
    evaluate_before: Callable[[], Evaluation]
    evaluate_after: Callable[[], Evaluation]


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
    "client_index": ReportField(np.int64, lambda run: run.client_index),
    "num_examples": _float_field(lambda run: run.num_examples),
    "num_steps": _float_field(lambda run: run.num_steps),
    "learning_rate": _float_field(lambda run: run.learning_rate),
    "loss_before": _float_field(lambda run: run.evaluate_before().loss),
    "loss_after": _float_field(lambda run: run.evaluate_after().loss),
    "accuracy_before": _float_field(lambda run: run.evaluate_before().accuracy),
    "accuracy_after": _float_field(lambda run: run.evaluate_after().accuracy),
}


def check_report_fields(fields: tuple[str, ...]) -> None:
    """Checks that every field can be measured.

    Raises:
        ValueError: If one cannot; the message names it and those that can.
    """
    for field in fields:
        if field not in REPORT_FIELDS:
            raise ValueError(f"report field must be one of {sorted(REPORT_FIELDS)}, got {field!r}")
