"""Turns any weighting into a TFF aggregation factory around an inner sum."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.aggregators.client_offer import check_weight_type, entering, mean_process
from tff_weights.checks import check_type
from tff_weights.cohort import cohort_table
from tff_weights.cohort.gram_matrix import check_shows_updates, gather_gram_matrix
from tff_weights.cohort.inner_sum import create_inner_sum, inner_sum
from tff_weights.float_types import is_structure_of_floats
from tff_weights.structures import chosen, is_all_finite
from tff_weights.weightings.weighting import Verdict, Weighting, check_weighed


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
    finalizers refuse to apply it. The history and the states of the inner factories stay as they
    were. For an adaptive clip, a client that is left out has an update of length 0.

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
            TypeError: If `weighting` is no `Weighting`, or `inner_factory` not an unweighted
                aggregation factory.
        """
        check_type("weighting", weighting, Weighting)
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
        check_weight_type(weighting, weight_type)
        inner = create_inner_sum(self._inner_factory, value_type)
        if weighting.gram_matrix:
            check_shows_updates(weighting.name, inner)
        mean = mean_process(weighting, self._inner_factory, value_type, weight_type)
        enter = entering(weighting, value_type, weight_type, mean)
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

        state_type = initialize.type_signature.result.member

        @tff.tensorflow.computation(state_type, state_type, np.bool_)
        def advance(state: Any, advanced: Any, counts: tf.Tensor) -> Any:
            # An adaptive inner factory would adapt to a round that is not applied.
            return chosen(counts, advanced, state)

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
            advanced = tff.federated_zip(
                collections.OrderedDict(
                    history=weighed["history"], mean=formed.state, inner=total.state
                )
            )
            return tff.templates.MeasuredProcessOutput(
                tff.federated_map(advance, (state, advanced, weighed["counts"])),
                finished["judged"] if weighting.gives_verdict else finished["judged"]["update"],
                tff.federated_zip(
                    collections.OrderedDict(
                        cohort=finished["measurements"], inner=total.measurements
                    )
                ),
            )

        return tff.templates.AggregationProcess(initialize, next_fn)


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
        given = cohort_table.in_single_precision(reports)
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
        # Nothing was wrong in a round in which nobody trained.
        left_out = participation["left_out"]
        lost = left_out["update_not_finite"] + left_out["report_not_finite"]
        is_idle = tf.equal(num_participants + lost, 0) & tf.equal(
            weighed.verdict, Verdict.RESTORE_PREVIOUS.value
        )
        return collections.OrderedDict(
            history=weighed.history,
            # NaN would destroy the state of an adaptive inner factory.
            addressed=cohort_table.address_weights(table, tf.where(is_finite, weights, 0.0)),
            counts=counts,
            verdict=tf.where(is_idle, Verdict.APPLY.value, tf.cast(weighed.verdict, tf.int32)),
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


def _finishing(value_type: tff.Type, weighed_type: tff.Type) -> tff.Computation:
    """At the server: the sum with its verdict, and whether it adds anything."""

    @tff.tensorflow.computation(value_type, weighed_type)
    def finish(total: Any, weighed: Any) -> Any:
        update = tf.nest.map_structure(
            lambda x: tf.where(weighed["counts"], x, tf.constant(np.nan, x.dtype)), total
        )
        is_zero = tf.reduce_all([tf.reduce_all(tf.equal(x, 0)) for x in tf.nest.flatten(update)])
        adds_nothing = is_zero | ~is_all_finite(update)
        return collections.OrderedDict(
            judged=collections.OrderedDict(update=update, verdict=weighed["verdict"]),
            measurements=collections.OrderedDict(
                **weighed["measurements"], adds_nothing=tf.cast(adds_nothing, tf.int32)
            ),
        )

    return finish
