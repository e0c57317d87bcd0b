"""Turns any weighting into a TFF aggregation factory around an inner sum."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.aggregators import cohort_table
from tff_weights.aggregators.inner_sum import create_inner_sum, inner_sum
from tff_weights.aggregators.share_mean import ShareMeanFactory
from tff_weights.aggregators.update_geometry import measure_update, needs_mean, squared_norm
from tff_weights.weightings.weighting import Weighting, check_weighed

# TFF's own factories use the same name for what the client scales its value by.
_DROP_IN_FIELD = "num_examples"
_IDENTITY_FIELD = "client_index"


class WeightingFactory(tff.aggregators.WeightedAggregationFactory):
    """Aggregates `Σ_i weight_i · value_i`, the weights being those of a `Weighting`.

    The created process' `next` has the type
    `(<S@SERVER, V@CLIENTS, R@CLIENTS> → <state=S@SERVER, result=V@SERVER, measurements=M@SERVER>)`.
    `R` is a structure of scalars with at least the weighting's report fields, as
    `build_client_work` sends it; or one float scalar, which is taken for `num_examples`, so that a
    weighting that needs nothing else works as `model_aggregator=` of any TFF builder.

    One round is:

    1. if the weighting measures updates against their mean, that mean is formed by the inner
       factory and broadcast;
    2. the clients' reports are gathered at the server, never their values;
    3. the server computes the weights from the history and the reports;
    4. the weights are broadcast, each client scales its value by its own;
    5. the inner factory adds the scaled values up.

    A client whose value or report is not finite, or whose index the weighting's history does not
    know, is left out: its weight is 0, the weighting does not see it, and it is counted. If no
    client is left the result is not a number throughout, which TFF's finalizers refuse to apply,
    and the history stays as it was.

    If the weighting gives a verdict, the result is `<update=V, verdict=int32>`, for a finalizer of
    `build_judged_finalizer`.

    What this protects, and what it does not:

    * Reports are gathered in the clear, and weights follow from them: the server, and whoever reads
      the measurements, has every client's numbers without noise, whatever the inner factory does.
      Secure sums hide single updates, and no reports.
    * A clip inside is not the sensitivity of the sum. It bounds every scaled value; but a client
      that comes or goes changes the weights, and with them what all others add. A Gaussian inner
      factory bounds lengths and adds noise here, and gives no (ε, δ).
    * What gives a guarantee is TFF's own aggregator in the place of this factory:
      `tff.learning.dp_aggregator`, where each client counts the same whatever it sends. With
      `uniform_weighting`, cohorts of a fixed size and nobody left out, what the inner factory sums
      are such values, too: replacing one client by another moves the sum by up to twice the clip.
      The numbers of examples are reported all the same.
    * A client can lie in its report and so about its weight. `TrimmedSumFactory` and TFF's
      `clipping_factory` and `zeroing_factory`, as inner factories, bound what a single update can
      do; nothing bounds what a report can.

    The measurements are, for the `n` clients that were not left out and in one order, their
    `weights` and every report field (`[n]` each); the scalars `num_participants`,
    `num_left_out` and `effective_participants` (`(Σ weight)² / Σ weight²`, the number of equal
    weights that would average as well); and those of the `weighting` and of the `inner` process.
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
                or noisy sum; see above for what it promises here. By default
                `tff.aggregators.SumFactory()`.

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
            TypeError: If `value_type` has leaves that are not floats.
            ValueError: If `weight_type` lacks a field that the weighting needs, or the inner
                factory does not add up what it is given, see `create_inner_sum`.
        """
        if not tff.types.is_structure_of_floats(value_type):
            raise TypeError(f"value_type must hold floats only, got {value_type}")
        weighting = self._weighting
        self._check_weight_type(weight_type)
        inner = create_inner_sum(self._inner_factory, value_type)
        mean = self._create_mean(value_type)

        @tff.tensorflow.computation
        def initial_history() -> Any:
            return weighting.initial_history()

        @tff.tensorflow.computation(value_type, weight_type)
        def offer_to_mean(value: Any, weight: Any) -> Any:
            offered = _prepare(weighting, value, weight)
            return offered["value"], offered["weight_in_mean"]

        @tff.tensorflow.computation(value_type, weight_type, value_type if mean else ())
        def enter(value: Any, weight: Any, mean_update: Any) -> Any:
            prepared = _prepare(weighting, value, weight)
            geometry = measure_update(
                weighting.update_fields, prepared["value"], mean_update, prepared["report"]
            )
            takes_part = prepared["takes_part"] & cohort_table.is_all_finite(geometry)
            return collections.OrderedDict(
                value=prepared["value"],
                entry=cohort_table.new_entry({**prepared["report"], **geometry}, takes_part),
            )

        entry_type = enter.type_signature.result["entry"]

        @tff.tensorflow.computation(
            initial_history.type_signature.result, cohort_table.table_type(entry_type)
        )
        def weigh(history: Any, table: Any) -> Any:
            return _weigh(weighting, history, table)

        @tff.tensorflow.computation(value_type, np.int32)
        def nan_without_participants(value: Any, num_participants: tf.Tensor) -> Any:
            return tf.nest.map_structure(
                lambda x: tf.where(num_participants > 0, x, tf.constant(np.nan, x.dtype)), value
            )

        @tff.federated_computation
        def initialize() -> tff.Value:
            return tff.federated_zip(
                collections.OrderedDict(
                    history=tff.federated_eval(initial_history, tff.SERVER),
                    mean=mean.initialize() if mean else tff.federated_value((), tff.SERVER),
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
            if mean:
                offered = tff.federated_map(offer_to_mean, (value, weight))
                mean_output = mean.next(state["mean"], offered[0], offered[1])
                mean_state = mean_output.state
                mean_update = tff.federated_broadcast(mean_output.result)
            else:
                mean_state = state["mean"]
                mean_update = tff.federated_value((), tff.CLIENTS)
            entered = tff.federated_map(enter, (value, weight, mean_update))
            table = cohort_table.gather_table(entered["entry"])
            weighed = tff.federated_map(weigh, (state["history"], table))
            scaled = cohort_table.scale_by_allotment(
                entered["value"], entered["entry"], weighed["allotment"]
            )
            total = inner.next(state["inner"], scaled)
            result = tff.federated_map(
                nan_without_participants,
                (total.result, weighed["measurements"]["num_participants"]),
            )
            if weighting.gives_verdict:
                result = tff.federated_zip(
                    collections.OrderedDict(update=result, verdict=weighed["verdict"])
                )
            return tff.templates.MeasuredProcessOutput(
                tff.federated_zip(
                    collections.OrderedDict(
                        history=weighed["history"], mean=mean_state, inner=total.state
                    )
                ),
                result,
                tff.federated_zip(
                    collections.OrderedDict(
                        cohort=weighed["measurements"], inner=total.measurements
                    )
                ),
            )

        return tff.templates.AggregationProcess(initialize, next_fn)

    def _create_mean(self, value_type: tff.Type) -> tff.templates.AggregationProcess | None:
        """Creates the process that forms the mean update, if a field is measured against it."""
        if not needs_mean(self._weighting.update_fields):
            return None
        # The inner factory sums here too, and the same sizes, shares of at most 1: what may not
        # see single updates need not see them now, and bounds on them mean the same.
        return ShareMeanFactory(self._inner_factory).create(value_type, tff.TensorType(np.float32))

    def _check_weight_type(self, weight_type: tff.Type) -> None:
        if isinstance(weight_type, tff.StructType):
            available = tff.structure.name_list(weight_type)
        else:
            available = [_DROP_IN_FIELD]
        missing = [name for name in self._weighting.report_fields if name not in available]
        if missing:
            instead = "" if self._weighting.drop_in is None else f"{self._weighting.drop_in} or "
            raise ValueError(
                f"weighting {self._weighting.name!r} needs the report fields {missing}, the "
                f"clients send {available}: TFF's own builders report nothing else; take {instead}"
                "tff_weights.compose_algorithm, whose clients report what is needed"
            )


def _prepare(weighting: Weighting, value: Any, weight: Any) -> Any:
    """At a client: whether it takes part, its value freed from NaN, and its report."""
    sent = weight if isinstance(weight, Mapping) else {_DROP_IN_FIELD: weight}
    # Who it was belongs to the metrics of every weighting, where it is known.
    names = dict.fromkeys((_IDENTITY_FIELD, *weighting.report_fields))
    report = collections.OrderedDict((name, sent[name]) for name in names if name in sent)
    takes_part = cohort_table.is_all_finite([value, report])
    if needs_mean(weighting.update_fields):
        # Else one that is too long to be measured would be in the mean that others are measured by.
        takes_part &= tf.math.is_finite(squared_norm(value))
    if weighting.num_clients is not None:
        index = report[_IDENTITY_FIELD]
        takes_part &= (index >= 0) & (index < weighting.num_clients)
    weight_in_mean = (
        tf.cast(report[weighting.mean_weight], tf.float32) if weighting.mean_weight else 1.0
    )
    return collections.OrderedDict(
        # 0 · NaN is NaN: a client that is left out must add zeros.
        value=tf.nest.map_structure(lambda x: tf.where(takes_part, x, tf.zeros_like(x)), value),
        report=report,
        takes_part=takes_part,
        weight_in_mean=tf.where(takes_part, weight_in_mean, 0.0),
    )


def _weigh(weighting: Weighting, history: Any, table: Any) -> Any:
    """At the server: the weights of those who take part, and the round's measurements."""
    reports = cohort_table.reports_of_participants(table)
    weighed = weighting.weigh(history, reports)
    check_weighed(weighting.name, weighed)
    num_participants = tf.size(weighed.weights)
    kept_history = tf.nest.map_structure(
        lambda old, new: tf.where(num_participants > 0, new, old), history, weighed.history
    )
    return collections.OrderedDict(
        history=kept_history,
        allotment=cohort_table.allot(table, weighed.weights),
        verdict=tf.cast(weighed.verdict, tf.int32),
        measurements=collections.OrderedDict(
            weights=weighed.weights,
            reports=reports,
            num_participants=num_participants,
            num_left_out=cohort_table.num_left_out(table),
            effective_participants=tf.math.divide_no_nan(
                tf.reduce_sum(weighed.weights) ** 2, tf.reduce_sum(weighed.weights**2)
            ),
            weighting=weighed.measurements,
        ),
    )
