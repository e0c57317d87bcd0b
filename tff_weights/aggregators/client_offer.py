"""What a client offers to the round: its report, its value in the mean, its row of the table."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.aggregators.share_mean import ShareMeanFactory
from tff_weights.cohort import cohort_table
from tff_weights.cohort.update_geometry import (
    UPDATE_FIELDS,
    measure_update,
    needs_mean,
    squared_norm,
)
from tff_weights.structures import is_all_finite
from tff_weights.weightings.weighting import Weighting

# TFF's own factories use the same name for what the client scales its value by.
_NUM_EXAMPLES = "num_examples"
_IDENTITY_FIELD = "client_index"


def check_weight_type(weighting: Weighting, weight_type: tff.Type) -> None:
    """Checks that clients send what a weighting needs.

    Raises:
        ValueError: If a field is missing, is no scalar, or has the name of a column of the table.
    """
    if isinstance(weight_type, tff.StructType):
        available = tff.structure.name_list(weight_type)
    else:
        available = [_NUM_EXAMPLES]
    identity = () if weighting.num_clients is None else (_IDENTITY_FIELD,)
    needed = dict.fromkeys((*identity, *weighting.report_names))
    missing = [name for name in needed if name not in available]
    if missing:
        instead = "" if weighting.drop_in is None else f"{weighting.drop_in} or "
        raise ValueError(
            f"weighting {weighting.name!r} needs the report fields {missing}, the clients send "
            f"{available}: TFF's own builders report nothing else; take {instead}"
            "tff_weights.compose_algorithm, whose clients report what is needed"
        )
    for needs in needed:
        field = weight_type[needs] if isinstance(weight_type, tff.StructType) else weight_type
        if not isinstance(field, tff.TensorType) or len(field.shape):
            raise ValueError(
                f"weighting {weighting.name!r} needs a scalar {needs!r}, the clients send {field}"
            )
    if not set(weighting.update_fields) <= UPDATE_FIELDS.keys():
        raise ValueError(
            f"update_fields of weighting {weighting.name!r} must be names of {[*UPDATE_FIELDS]}, "
            f"got {weighting.update_fields!r}"
        )
    cohort_table.check_names(f"report_fields of weighting {weighting.name!r}", needed)
    divisors = (UPDATE_FIELDS[name].divisor for name in weighting.update_fields)
    for name in (weighting.mean_weight, *weighting.non_negative, *divisors):
        if name not in (None, *needed):
            raise ValueError(
                f"report_fields of weighting {weighting.name!r} must have {name!r}, which its "
                f"mean_weight, non_negative or update_fields need; got {[*needed]}"
            )


def mean_process(
    weighting: Weighting,
    inner_factory: tff.aggregators.UnweightedAggregationFactory,
    value_type: tff.Type,
    weight_type: tff.Type,
) -> tff.templates.AggregationProcess:
    """Returns a process that forms the mean update.

    Its result is nothing, an empty structure, if no field is measured against the mean.
    """
    if not needs_mean(weighting.update_fields):
        return _nothing_process(value_type, weight_type)
    # The inner factory also adds up the mean, as shares of at most 1. So its guarantees and bounds
    # for the weighted updates hold for the mean as well.
    mean = ShareMeanFactory(inner_factory).create(value_type, tff.TensorType(np.float32))

    @tff.tensorflow.computation(value_type, weight_type)
    def offer(value: Any, weight: Any) -> Any:
        prepared = _prepare(weighting, value, weight)
        return prepared["value"], prepared["weight_in_mean"]

    @tff.federated_computation(
        mean.initialize.type_signature.result,
        tff.FederatedType(value_type, tff.CLIENTS),
        tff.FederatedType(weight_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, value: tff.Value, weight: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        offered = tff.federated_map(offer, (value, weight))
        return mean.next(state, offered[0], offered[1])

    return tff.templates.AggregationProcess(mean.initialize, next_fn)


def _nothing_process(
    value_type: tff.Type, weight_type: tff.Type
) -> tff.templates.AggregationProcess:
    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_value((), tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result,
        tff.FederatedType(value_type, tff.CLIENTS),
        tff.FederatedType(weight_type, tff.CLIENTS),
    )
    def next_fn(
        state: tff.Value, value: tff.Value, weight: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        nothing = tff.federated_value((), tff.SERVER)
        return tff.templates.MeasuredProcessOutput(state, nothing, nothing)

    return tff.templates.AggregationProcess(initialize, next_fn)


def entering(
    weighting: Weighting,
    value_type: tff.Type,
    weight_type: tff.Type,
    mean: tff.templates.AggregationProcess,
) -> tff.Computation:
    """Returns what a client computes: its value, without NaN, and its row of the table."""
    mean_type = mean.next.type_signature.result.result.member

    @tff.tensorflow.computation(value_type, weight_type, mean_type)
    def enter(value: Any, weight: Any, mean_update: Any) -> Any:
        prepared = _prepare(weighting, value, weight)
        geometry = measure_update(
            weighting.update_fields, prepared["value"], mean_update, prepared["report"]
        )
        # The value of a client that is already left out is zeros.
        too_long = cohort_table.reason_to_leave_out(update_not_finite=~is_all_finite(geometry))
        reason = tf.maximum(prepared["reason"], too_long)
        return collections.OrderedDict(
            value=prepared["value"],
            entry=cohort_table.new_entry({**prepared["report"], **geometry}, reason),
        )

    return enter


def _prepare(weighting: Weighting, value: Any, weight: Any) -> Any:
    """At a client: the reason to leave it out, if any, its value without NaN, and its report."""
    sent = weight if isinstance(weight, Mapping) else {_NUM_EXAMPLES: weight}
    # The metrics of every weighting hold the client's index, where it is known.
    names = dict.fromkeys((_IDENTITY_FIELD, *weighting.report_names))
    report = collections.OrderedDict((name, sent[name]) for name in names if name in sent)
    for name, dtype in ((_IDENTITY_FIELD, tf.int64), (_NUM_EXAMPLES, tf.float32)):
        if name in report and report[name].dtype.is_integer:  # Also as TFF's own builders count.
            report[name] = tf.cast(report[name], dtype)
    # Also where it is not gathered: it tells who has nothing to train on.
    num_examples = sent.get(_NUM_EXAMPLES)
    reason = _reason_to_leave_out(weighting, value, report, num_examples)
    takes_part = cohort_table.takes_part(reason)
    weight_in_mean = (
        tf.cast(report[weighting.mean_weight], tf.float32) if weighting.mean_weight else 1.0
    )
    return collections.OrderedDict(
        # 0 · NaN is NaN: a client that is left out must add zeros.
        value=tf.nest.map_structure(lambda x: tf.where(takes_part, x, tf.zeros_like(x)), value),
        report=report,
        reason=reason,
        weight_in_mean=tf.where(takes_part, weight_in_mean, 0.0),
    )


def _reason_to_leave_out(
    weighting: Weighting,
    value: Any,
    report: Mapping[str, tf.Tensor],
    num_examples: tf.Tensor | None,
) -> tf.Tensor:
    is_sound = is_all_finite(value)
    if needs_mean(weighting.update_fields) or weighting.gram_matrix:
        # An update that is too long to be measured must be neither in the mean nor in the matrix.
        is_sound &= tf.math.is_finite(squared_norm(value))
    applies = {
        "update_not_finite": ~is_sound,
        "report_not_finite": ~is_all_finite(cohort_table.in_single_precision(report)),
    }
    if num_examples is not None:
        applies["no_examples"] = tf.equal(num_examples, 0)
    if weighting.non_negative:
        applies["report_negative"] = tf.reduce_any(
            [report[name] < 0 for name in weighting.non_negative]
        )
    if weighting.num_clients is not None:
        index = report[_IDENTITY_FIELD]
        applies["unknown_client"] = (index < 0) | (index >= weighting.num_clients)
    return cohort_table.reason_to_leave_out(**applies)
