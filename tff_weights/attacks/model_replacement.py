"""Model replacement: one client's update turns the average into a model of its choice."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.aggregators.weighting_factory import WeightingFactory
from tff_weights.checks import FINITE, check_integer, check_number
from tff_weights.structures import chosen, is_all_finite
from tff_weights.weightings.weighting import Weighting


def with_model_replacement(
    client_work: tff.learning.templates.ClientWorkProcess,
    *,
    weighting: Weighting,
    attack_round: int,
    attacker_index: int,
    target_scale: float = -5.0,
    false_report: Mapping[str, float] = MappingProxyType({}),
) -> tff.learning.templates.ClientWorkProcess:
    """Wraps any client work so that one client attacks in one round.

    In round `attack_round` the client with index `attacker_index` sends
    `Δ = (target_scale · w_t − w_t) / weight` instead of its update (Bagdasaryan et al., AISTATS
    2020, eq. 3, with the mirrored and enlarged model as the target). Its report is honest unless
    there is a `false_report`. It thereby replaces the global model by `target_scale · w_t`, up to
    the others' updates.

    `weight` is the weight that the server will give it in this round. The attacker of the paper
    estimates it; this one knows all reports of the cohort and the weighting, and rehearses the
    round. A second `WeightingFactory`, with the same reports and a history of its own, adds up 1
    for the attacker and 0 for the others; its sum is the weight. So the attack is equally strong in
    each round, for each seed and with each weighting. `tff_weights.communication` counts what the
    rehearsal sends as well. An attacker of weight 0 can replace nothing and sends zeros.

    Args:
        client_work: The honest client work.
        weighting: How the server weighs the clients.
        attack_round: Counted from 0.
        attacker_index: The client's index.
        target_scale: The attacker's target is the current weights times this.
        false_report: What the attacker reports in that round instead of the truth, by the names of
            the report's fields.

    Raises:
        ValueError: If an argument is out of range, or clients do not report a field of
            `false_report`, or the weighting measures the updates: the attack itself would change
            the weight.
    """
    for name, value in (("attack_round", attack_round), ("attacker_index", attacker_index)):
        check_integer(name, value, least=0)
    check_number("target_scale", target_scale, FINITE)
    measured = [*weighting.update_fields, *(["gram_matrix"] if weighting.gram_matrix else [])]
    if measured:
        raise ValueError(
            f"weighting {weighting.name!r} measures {measured} on updates, which the attack "
            "changes; it must weigh by reports alone"
        )
    _, weights_type, data_type = client_work.next.type_signature.parameter
    result_type = client_work.next.type_signature.result.result.member
    _check_false_report(false_report, result_type.update_weight)
    rehearsal = WeightingFactory(weighting).create(
        tff.TensorType(np.float32), result_type.update_weight
    )

    @tff.tensorflow.computation(np.int32, data_type.member)
    def is_attack(round_number: tf.Tensor, data: Any) -> tf.Tensor:
        @tf.function(autograph=False)
        def read_index(sequence: tf.data.Dataset) -> tf.Tensor:
            return sequence.reduce(np.int64(-1), lambda _, index: index)

        return tf.equal(round_number, attack_round) & tf.equal(
            read_index(data["client_index"]), attacker_index
        )

    @tff.tensorflow.computation(np.bool_, result_type)
    def share_in_rehearsal(attacks: tf.Tensor, honest: Any) -> tf.Tensor:
        # A client that the server leaves out must be left out here as well.
        is_left_out = ~attacks & ~is_all_finite(honest.update)
        return tf.where(is_left_out, np.nan, tf.cast(attacks, tf.float32))

    @tff.tensorflow.computation(np.float32, weights_type.member)
    def replacement(weight: tf.Tensor, weights: Any) -> Any:
        # TFF's update is w_t − w_i.
        return tf.nest.map_structure(
            lambda x: tf.math.divide_no_nan((1.0 - target_scale) * x, tf.cast(weight, x.dtype)),
            weights.trainable,
        )

    @tff.tensorflow.computation(np.bool_, result_type)
    def report_of(attacks: tf.Tensor, honest: Any) -> Any:
        if not false_report:
            return honest.update_weight
        return collections.OrderedDict(
            (name, tf.where(attacks, tf.cast(false_report.get(name, value), value.dtype), value))
            for name, value in honest.update_weight.items()
        )

    @tff.tensorflow.computation(
        np.bool_,
        replacement.type_signature.result,
        result_type.update,
        result_type.update_weight,
    )
    def choose(attacks: tf.Tensor, malicious: Any, honest: Any, report: Any) -> Any:
        return tff.learning.templates.ClientResult(
            update=chosen(attacks, malicious, honest), update_weight=report
        )

    @tff.tensorflow.computation(np.int32)
    def increment(round_number: tf.Tensor) -> tf.Tensor:
        return round_number + 1

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_zip(
            collections.OrderedDict(
                honest=client_work.initialize(),
                rehearsal=rehearsal.initialize(),
                round_number=tff.federated_value(np.int32(0), tff.SERVER),
            )
        )

    @tff.federated_computation(initialize.type_signature.result, weights_type, data_type)
    def next_fn(
        state: tff.Value, weights: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        honest = client_work.next(state["honest"], weights, clients)
        round_at_clients = tff.federated_broadcast(state["round_number"])
        attacks = tff.federated_map(is_attack, (round_at_clients, clients))
        reports = tff.federated_map(report_of, (attacks, honest.result))
        rehearsed = rehearsal.next(
            state["rehearsal"],
            tff.federated_map(share_in_rehearsal, (attacks, honest.result)),
            reports,
        )
        total = rehearsed.result["update"] if weighting.gives_verdict else rehearsed.result
        malicious = tff.federated_map(replacement, (tff.federated_broadcast(total), weights))
        return tff.templates.MeasuredProcessOutput(
            tff.federated_zip(
                collections.OrderedDict(
                    honest=honest.state,
                    rehearsal=rehearsed.state,
                    round_number=tff.federated_map(increment, state["round_number"]),
                )
            ),
            tff.federated_map(choose, (attacks, malicious, honest.result.update, reports)),
            honest.measurements,
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)


def _check_false_report(false_report: Mapping[str, float], report_type: tff.Type) -> None:
    fields = tff.structure.name_list(report_type) if isinstance(report_type, tff.StructType) else []
    for name, value in false_report.items():
        if name not in fields:
            raise ValueError(f"false_report has {name!r}, the clients report {fields}")
        check_number(f"false_report[{name!r}]", value, FINITE)
        if np.issubdtype(report_type[name].dtype, np.integer):
            check_integer(f"false_report[{name!r}]", value, least=0)
