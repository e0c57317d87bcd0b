"""Model replacement: one client sends what turns the average into a model of its choice."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff


def with_model_replacement(
    client_work: tff.learning.templates.ClientWorkProcess,
    *,
    attack_round: int,
    attacker_index: int,
    boost: float,
    target_scale: float = -5.0,
) -> tff.learning.templates.ClientWorkProcess:
    """Wraps any client work so that one client attacks in one round.

    In round `attack_round` the client with index `attacker_index` sends
    `Δ = boost · (target_scale · w_t − w_t)` instead of its update, and an honest report
    (Bagdasaryan et al., AISTATS 2020, eq. 3, with the mirrored and enlarged model as the target).
    A client of weight `1 / boost` thereby replaces the global model by `target_scale · w_t`, up to
    the others' updates.

    Args:
        client_work: The honest client work.
        attack_round: Counted from 0.
        attacker_index: The client's index.
        boost: How much the client enlarges its update, the inverse of the weight it expects.
        target_scale: By what the current weights are multiplied to give the attacker's target.

    Raises:
        ValueError: If `attack_round` or `attacker_index` is negative.
    """
    for name, value in (("attack_round", attack_round), ("attacker_index", attacker_index)):
        if value < 0:
            raise ValueError(f"{name} must be an integer >= 0, got {value!r}")
    _, weights_type, data_type = client_work.next.type_signature.parameter
    result_type = client_work.next.type_signature.result.result.member

    @tff.tensorflow.computation(np.int32, weights_type.member, data_type.member, result_type)
    def attack(round_number: tf.Tensor, weights: Any, data: Any, honest: Any) -> Any:
        @tf.function(autograph=False)
        def read_index(sequence: tf.data.Dataset) -> tf.Tensor:
            return sequence.reduce(np.int64(-1), lambda _, index: index)

        is_attack = tf.equal(round_number, attack_round) & tf.equal(
            read_index(data["client_index"]), attacker_index
        )
        # TFF's update is w_t − w_i.
        malicious = tf.nest.map_structure(
            lambda weight: boost * (1.0 - target_scale) * weight, weights.trainable
        )
        return tff.learning.templates.ClientResult(
            update=tf.nest.map_structure(
                lambda bad, good: tf.where(is_attack, bad, good), malicious, honest.update
            ),
            update_weight=honest.update_weight,
        )

    @tff.tensorflow.computation(np.int32)
    def increment(round_number: tf.Tensor) -> tf.Tensor:
        return round_number + 1

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_zip(
            collections.OrderedDict(
                honest=client_work.initialize(),
                round_number=tff.federated_value(np.int32(0), tff.SERVER),
            )
        )

    @tff.federated_computation(initialize.type_signature.result, weights_type, data_type)
    def next_fn(
        state: tff.Value, weights: tff.Value, clients: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
        honest = client_work.next(state["honest"], weights, clients)
        round_at_clients = tff.federated_broadcast(state["round_number"])
        result = tff.federated_map(attack, (round_at_clients, weights, clients, honest.result))
        return tff.templates.MeasuredProcessOutput(
            tff.federated_zip(
                collections.OrderedDict(
                    honest=honest.state,
                    round_number=tff.federated_map(increment, state["round_number"]),
                )
            ),
            result,
            honest.measurements,
        )

    return tff.learning.templates.ClientWorkProcess(initialize, next_fn)
