"""Turns any weighting into a TFF aggregation factory around an inner sum."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.aggregators.update_geometry import UPDATE_FIELDS
from tff_weights.weightings.weighting import Weighting

# TFF's own factories use the same name for what the client scales its value by.
_DROP_IN_FIELD = "num_examples"


class WeightingFactory(tff.aggregators.WeightedAggregationFactory):
    """Aggregates `Σ_i weight_i · value_i`, the weights being those of a `Weighting`.

    The created process' `next` has the type
    `(<S@SERVER, V@CLIENTS, R@CLIENTS> → <state=S@SERVER, result=V@SERVER, measurements=M@SERVER>)`.
    `R` is a structure of scalars with at least the weighting's report fields, as
    `build_client_work` sends it; or one float scalar, which is taken for `num_examples`, so that a
    weighting that needs nothing else works as `model_aggregator=` of any TFF builder.

    One round is:

    1. the clients' reports are gathered at the server, never their values;
    2. the server computes the weights from the history and the reports;
    3. the weights are broadcast, each client scales its value by its own;
    4. the inner factory adds the scaled values up.

    A client whose value or report is not finite, or whose index the weighting's history does not
    know, is left out: its weight is 0, the weighting does not see it, and it is counted. If no
    client is left the result is not a number throughout, which TFF's finalizers refuse to apply,
    and the history stays as it was.

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
            inner_factory: Adds up the scaled values: a plain, secure, clipped, compressed or
                differentially private sum. By default `tff.aggregators.SumFactory()`.

        Raises:
            TypeError: If `inner_factory` is not an unweighted aggregation factory.
        """
        inner_factory = inner_factory or tff.aggregators.SumFactory()
        if not isinstance(inner_factory, tff.aggregators.UnweightedAggregationFactory):
            raise TypeError(
                "inner_factory must be a tff.aggregators.UnweightedAggregationFactory, got "
                f"{type(inner_factory).__name__}"
            )
        self._weighting = weighting
        self._inner_factory = inner_factory

    def create(
        self, value_type: tff.Type, weight_type: tff.Type
    ) -> tff.templates.AggregationProcess:
        """Creates the aggregation process, see the class.

        Raises:
            TypeError: If `value_type` has leaves that are not floats.
            ValueError: If `weight_type` lacks a field that the weighting needs.
        """
        if not tff.types.is_structure_of_floats(value_type):
            raise TypeError(f"value_type must hold floats only, got {value_type}")
        weighting = self._weighting
        self._check_weight_type(weight_type)
        inner = self._inner_factory.create(value_type)

        @tff.tensorflow.computation
        def initial_history() -> Any:
            return weighting.initial_history()

        history_type = initial_history.type_signature.result

        @tff.tensorflow.computation(value_type, weight_type)
        def prepare(value: Any, weight: Any) -> Any:
            return _prepare(weighting, value, weight)

        entry_type = prepare.type_signature.result["entry"]

        @tff.tensorflow.computation
        def empty_cohort() -> Any:
            # `boolean_mask` leaves the length open, as the accumulator's type demands.
            return collections.OrderedDict(
                (name, tf.boolean_mask(tf.zeros([1], scalar_type.dtype), [False]))
                for name, scalar_type in tff.structure.iter_elements(entry_type)
            )

        cohort_type = tff.to_type(
            collections.OrderedDict(
                (name, tff.TensorType(scalar_type.dtype, [None]))
                for name, scalar_type in tff.structure.iter_elements(entry_type)
            )
        )

        @tff.tensorflow.computation(cohort_type, entry_type)
        def append(cohort: Any, entry: Any) -> Any:
            return collections.OrderedDict(
                (name, tf.concat([cohort[name], [entry[name]]], axis=0)) for name in entry
            )

        @tff.tensorflow.computation(cohort_type, cohort_type)
        def concatenate(first: Any, second: Any) -> Any:
            return tf.nest.map_structure(lambda a, b: tf.concat([a, b], axis=0), first, second)

        @tff.tensorflow.computation(cohort_type)
        def finish(cohort: Any) -> Any:
            return cohort

        @tff.tensorflow.computation(history_type, cohort_type)
        def weigh(history: Any, cohort: Any) -> Any:
            return _weigh(weighting, history, cohort)

        @tff.tensorflow.computation(
            value_type, entry_type["token"], weigh.type_signature.result["allotment"]
        )
        def scale(value: Any, token: tf.Tensor, allotment: Any) -> Any:
            weight = tf.reduce_sum(
                tf.where(tf.equal(allotment["tokens"], token), allotment["weights"], 0.0)
            )
            return tf.nest.map_structure(lambda x: x * tf.cast(weight, x.dtype), value)

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
            prepared = tff.federated_map(prepare, (value, weight))
            cohort = tff.federated_aggregate(
                prepared["entry"],
                empty_cohort(),
                append,
                concatenate,
                finish,
            )
            weighed = tff.federated_map(weigh, (state["history"], cohort))
            scaled = tff.federated_map(
                scale,
                (
                    prepared["value"],
                    prepared["entry"]["token"],
                    tff.federated_broadcast(weighed["allotment"]),
                ),
            )
            inner_output = inner.next(state["inner"], scaled)
            result = tff.federated_map(
                nan_without_participants,
                (inner_output.result, weighed["measurements"]["num_participants"]),
            )
            return tff.templates.MeasuredProcessOutput(
                tff.federated_zip(
                    collections.OrderedDict(history=weighed["history"], inner=inner_output.state)
                ),
                result,
                tff.federated_zip(
                    collections.OrderedDict(
                        cohort=weighed["measurements"], inner=inner_output.measurements
                    )
                ),
            )

        return tff.templates.AggregationProcess(initialize, next_fn)

    def _check_weight_type(self, weight_type: tff.Type) -> None:
        if isinstance(weight_type, tff.StructType):
            available = tff.structure.name_list(weight_type)
        else:
            available = [_DROP_IN_FIELD]
        missing = [name for name in self._weighting.report_fields if name not in available]
        if missing:
            raise ValueError(
                f"weighting {self._weighting.name!r} needs the report fields {missing}, the "
                f"clients send {available}"
            )


def _prepare(weighting: Weighting, value: Any, weight: Any) -> Any:
    """At a client: its value with NaN-free entries, and its entry for the server's table."""
    report = weight if isinstance(weight, Mapping) else {_DROP_IN_FIELD: weight}
    fields = collections.OrderedDict((name, report[name]) for name in weighting.report_fields)
    for name in weighting.update_fields:
        fields[name] = UPDATE_FIELDS[name](value)
    is_finite = tf.reduce_all(
        [
            tf.reduce_all(tf.math.is_finite(x))
            for x in tf.nest.flatten([value, fields])
            if x.dtype.is_floating
        ]
    )
    if weighting.num_clients is not None:
        index = fields["client_index"]
        is_finite &= (index >= 0) & (index < weighting.num_clients)
    return collections.OrderedDict(
        # 0 · NaN is NaN: a client that is left out must add zeros.
        value=tf.nest.map_structure(lambda x: tf.where(is_finite, x, tf.zeros_like(x)), value),
        entry=collections.OrderedDict(
            # Lets the client find its own weight; an index may be absent, or twice in a cohort.
            token=tf.random.uniform([], maxval=2**62, dtype=tf.int64),
            takes_part=is_finite,
            **fields,
        ),
    )


def _weigh(weighting: Weighting, history: Any, cohort: Any) -> Any:
    """At the server: the weights of those who take part, and the round's measurements."""
    takes_part = cohort["takes_part"]
    reports = collections.OrderedDict(
        (name, tf.boolean_mask(values, takes_part))
        for name, values in cohort.items()
        if name not in ("token", "takes_part")
    )
    weighed = weighting.weigh(history, reports)
    num_participants = tf.size(weighed.weights)
    kept_history = tf.nest.map_structure(
        lambda old, new: tf.where(num_participants > 0, new, old), history, weighed.history
    )
    return collections.OrderedDict(
        history=kept_history,
        allotment=collections.OrderedDict(
            tokens=tf.boolean_mask(cohort["token"], takes_part), weights=weighed.weights
        ),
        measurements=collections.OrderedDict(
            weights=weighed.weights,
            reports=reports,
            num_participants=num_participants,
            num_left_out=tf.size(takes_part) - num_participants,
            effective_participants=tf.math.divide_no_nan(
                tf.reduce_sum(weighed.weights) ** 2, tf.reduce_sum(weighed.weights**2)
            ),
            weighting=weighed.measurements,
        ),
    )
