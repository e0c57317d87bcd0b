"""Turns any weighting into a TFF aggregation factory around an inner sum."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.aggregators.share_mean import ShareMeanFactory
from tff_weights.cohort import cohort_table
from tff_weights.cohort.gram_matrix import check_shows_updates, gather_gram_matrix
from tff_weights.cohort.inner_sum import create_inner_sum, inner_sum
from tff_weights.cohort.update_geometry import (
    UPDATE_FIELDS,
    measure_update,
    needs_mean,
    squared_norm,
)
from tff_weights.float_types import is_structure_of_floats
from tff_weights.weightings.weighting import Weighting, check_weighed

# TFF's own factories use the same name for what the client scales its value by.
_NUM_EXAMPLES = "num_examples"
_IDENTITY_FIELD = "client_index"


class WeightingFactory(tff.aggregators.WeightedAggregationFactory):
    """Aggregates `Σ_i weight_i · value_i`, the weights being those of a `Weighting`.

    The created process' `next` has the type
    `(<S@SERVER, V@CLIENTS, R@CLIENTS> → <state=S@SERVER, result=V@SERVER, measurements=M@SERVER>)`.
    `R` is a structure of scalars with at least the weighting's report fields, as
    `build_client_work` sends it. If it has `num_examples`, clients without any are left out. It may
    also be one float scalar, which is taken for `num_examples`: a weighting that needs nothing else
    works as `model_aggregator=` of any TFF builder. With a weighting that gives a verdict the
    result is `<update=V, verdict=int32>`, for a finalizer of `build_judged_finalizer`. The comments
    of `next_fn` below name a round's steps.

    A client is left out for one of the `cohort_table.REASONS`; its weight is 0 and the weighting
    does not see it. If nobody is left, or a weight is not finite, the whole result is NaN. TFF's
    finalizers refuse to apply it, and the history stays as it was.

    Where a weighting asks for the Gram matrix, the server sees every update. Inner factories that
    sum securely or add noise are then refused, and cohorts are bounded.

    docs/how_to/pipeline.md says what noise, clips and secure sums promise around a weighting:
    reports are gathered in the clear, and a clip is no sensitivity.

    The measurements are those of the `inner` process and, under `cohort`:

    * `weights` and `reports`, `[n]` each, in one order, of the `n` clients that take part;
    * `num_participants`, `num_left_out` and, by reason, `left_out`;
    * `weights_not_finite`, how many;
    * `adds_nothing`, 1 where the result is not finite or 0 throughout;
    * `effective_participants`, `(Σ weight)² / Σ weight²`: so many equal weights would average as
      well;
    * `weighting`, what the weighting itself measures.
    """

    def __init__(
        self,
        weighting: Weighting,
        inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    ):
        """Initializes the factory.

        Args:
            weighting: How the clients are weighed.
            inner_factory: Adds up the scaled values: a plain, secure, clipped, trimmed, compressed
                or noisy sum. By default `tff.aggregators.SumFactory()`.

        Raises:
            TypeError: If `inner_factory` is not an unweighted aggregation factory.
        """
        self._weighting = weighting
        self._inner_factory = inner_sum(inner_factory)

    def create(
        self, value_type: tff.Type, weight_type: tff.Type
    ) -> tff.templates.AggregationProcess:
        """Creates the aggregation process, see the class.

        Raises:
            TypeError: If `value_type` has leaves that are not floats, or the weighting returns what
                is no `Weighed` of float32 weights.
            ValueError: If `weight_type` lacks a field that the weighting needs, a field's name is
                taken, see `cohort_table.check_names`, or the weighting's results have a wrong
                shape or hold a verdict that it does not announce. If the inner factory does not
                add up its values, see `create_inner_sum`, or hides what the weighting compares,
                see `check_shows_updates`.
        """
        if not is_structure_of_floats(value_type):
            raise TypeError(f"value_type must hold floats only, got {value_type}")
        weighting = self._weighting
        _check_weight_type(weighting, weight_type)
        inner = create_inner_sum(self._inner_factory, value_type)
        if weighting.gram_matrix:
            check_shows_updates(weighting.name, inner)
        mean = _mean_process(weighting, self._inner_factory, value_type, weight_type)
        enter = _entering(weighting, value_type, weight_type, mean)
        # A function of its own: `initial_history` may be a class.
        initial_history = tff.tensorflow.computation(lambda: weighting.initial_history())
        entry_type = enter.type_signature.result["entry"]
        compare = gather_gram_matrix if weighting.gram_matrix else _no_gram_matrix
        weigh = _weighing(weighting, initial_history.type_signature.result, entry_type)
        finish = _finishing(value_type, weigh.type_signature.result)

        @tff.federated_computation
        def initialize() -> tff.Value:
            return tff.federated_zip(
                collections.OrderedDict(
                    history=tff.federated_eval(initial_history, tff.SERVER),
                    mean=mean.initialize(),
                    inner=inner.initialize(),
                )
            )

        @tff.federated_computation(
            initialize.type_signature.result,
            tff.FederatedType(value_type, tff.CLIENTS),
            tff.FederatedType(weight_type, tff.CLIENTS),
        )
        def next_fn(
            state: tff.Value, value: tff.Value, weight: tff.Value
        ) -> tff.templates.MeasuredProcessOutput:
            # If a field needs the mean update, the inner factory forms it, and it is sent.
            formed = mean.next(state["mean"], value, weight)
            mean_update = tff.federated_broadcast(formed.result)
            # The clients' reports are gathered at the server; values only where they are compared.
            entered = tff.federated_map(enter, (value, weight, mean_update))
            table = cohort_table.gather_table(entered["entry"])
            # The server computes the weights from the history and the reports.
            gram_matrix = compare(entered["value"], entered["entry"], table)
            weighed = tff.federated_map(weigh, (state["history"], table, gram_matrix))
            # The weights are sent, and each client scales its value by its own.
            scaled = cohort_table.scale_by_own_weight(
                entered["value"], entered["entry"], weighed["addressed"]
            )
            # The inner factory adds the scaled values up.
            total = inner.next(state["inner"], scaled)
            finished = tff.federated_map(finish, (total.result, weighed))
            return tff.templates.MeasuredProcessOutput(
                tff.federated_zip(
                    collections.OrderedDict(
                        history=weighed["history"], mean=formed.state, inner=total.state
                    )
                ),
                finished["judged"] if weighting.gives_verdict else finished["judged"]["update"],
                tff.federated_zip(
                    collections.OrderedDict(
                        cohort=finished["measurements"], inner=total.measurements
                    )
                ),
            )

        return tff.templates.AggregationProcess(initialize, next_fn)


def _check_weight_type(weighting: Weighting, weight_type: tff.Type) -> None:
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
    cohort_table.check_names(f"report_fields of weighting {weighting.name!r}", needed)
    divisors = (UPDATE_FIELDS[name].divisor for name in weighting.update_fields)
    for name in (weighting.mean_weight, *weighting.non_negative, *divisors):
        if name not in (None, *needed):
            raise ValueError(
                f"report_fields of weighting {weighting.name!r} must have {name!r}, which its "
                f"mean_weight, non_negative or update_fields need; got {[*needed]}"
            )


def _mean_process(
    weighting: Weighting,
    inner_factory: tff.aggregators.UnweightedAggregationFactory,
    value_type: tff.Type,
    weight_type: tff.Type,
) -> tff.templates.AggregationProcess:
    """Forms the mean update; nothing, an empty structure, if no field is measured against it."""
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


def _entering(
    weighting: Weighting,
    value_type: tff.Type,
    weight_type: tff.Type,
    mean: tff.templates.AggregationProcess,
) -> tff.Computation:
    """At a client: its value, without NaN, and its row of the table."""
    mean_type = mean.next.type_signature.result.result.member

    @tff.tensorflow.computation(value_type, weight_type, mean_type)
    def enter(value: Any, weight: Any, mean_update: Any) -> Any:
        prepared = _prepare(weighting, value, weight)
        geometry = measure_update(
            weighting.update_fields, prepared["value"], mean_update, prepared["report"]
        )
        # The value of a client that is already left out is zeros.
        too_long = cohort_table.reason_to_leave_out(
            update_not_finite=~cohort_table.is_all_finite(geometry)
        )
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
    is_sound = cohort_table.is_all_finite(value)
    if needs_mean(weighting.update_fields) or weighting.gram_matrix:
        # An update that is too long to be measured must be neither in the mean nor in the matrix.
        is_sound &= tf.math.is_finite(squared_norm(value))
    applies = {
        "update_not_finite": ~is_sound,
        "report_not_finite": ~cohort_table.is_all_finite(_in_single_precision(report)),
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


def _no_gram_matrix(values: tff.Value, entries: tff.Value, table: tff.Value) -> tff.Value:
    return tff.federated_value((), tff.SERVER)


def _weighing(
    weighting: Weighting, history_type: tff.Type, entry_type: tff.StructType
) -> tff.Computation:
    """At the server: the weights of those who take part, and the round's measurements."""
    matrix_type = tff.TensorType(np.float32, [None, None]) if weighting.gram_matrix else ()

    @tff.tensorflow.computation(history_type, cohort_table.table_type(entry_type), matrix_type)
    def weigh(history: Any, table: Any, gram_matrix: Any) -> Any:
        reports = cohort_table.reports_of_participants(table)
        given = _in_single_precision(reports)
        if weighting.gram_matrix:
            given = {**given, cohort_table.GRAM_MATRIX: gram_matrix}
        participation = cohort_table.participation(table)
        num_participants = participation["num_participants"]
        weighed = check_weighed(
            weighting,
            weighting.weigh(history, given),
            history=history,
            num_participants=num_participants,
        )
        weights = weighed.weights
        is_finite = tf.reduce_all(tf.math.is_finite(weights))
        counts = is_finite & (num_participants > 0)
        return collections.OrderedDict(
            history=tf.nest.map_structure(
                lambda old, new: tf.where(counts, new, old), history, weighed.history
            ),
            # NaN would destroy the state of an adaptive inner factory.
            addressed=cohort_table.address_weights(table, tf.where(is_finite, weights, 0.0)),
            counts=counts,
            verdict=tf.cast(weighed.verdict, tf.int32),
            measurements=collections.OrderedDict(
                weights=weights,
                reports=reports,
                **participation,
                weights_not_finite=tf.reduce_sum(tf.cast(~tf.math.is_finite(weights), tf.int32)),
                effective_participants=tf.math.divide_no_nan(
                    tf.reduce_sum(weights) ** 2, tf.reduce_sum(weights**2)
                ),
                weighting=weighed.measurements,
            ),
        )

    return weigh


def _in_single_precision(reports: Mapping[str, tf.Tensor]) -> Mapping[str, tf.Tensor]:
    """Every weighting computes in float32, also where a model of float64 reports its losses."""
    return collections.OrderedDict(
        (name, tf.cast(column, tf.float32) if column.dtype == tf.float64 else column)
        for name, column in reports.items()
    )


def _finishing(value_type: tff.Type, weighed_type: tff.Type) -> tff.Computation:
    """At the server: the sum with its verdict, and whether it adds anything."""

    @tff.tensorflow.computation(value_type, weighed_type)
    def finish(total: Any, weighed: Any) -> Any:
        update = tf.nest.map_structure(
            lambda x: tf.where(weighed["counts"], x, tf.constant(np.nan, x.dtype)), total
        )
        is_zero = tf.reduce_all([tf.reduce_all(tf.equal(x, 0)) for x in tf.nest.flatten(update)])
        adds_nothing = is_zero | ~cohort_table.is_all_finite(update)
        return collections.OrderedDict(
            judged=collections.OrderedDict(update=update, verdict=weighed["verdict"]),
            measurements=collections.OrderedDict(
                **weighed["measurements"], adds_nothing=tf.cast(adds_nothing, tf.int32)
            ),
        )

    return finish
