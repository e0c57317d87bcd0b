"""Tests of `tff_weights.message_sizes`: bytes counted by hand.

The model has 15 float32 weights, 60 bytes. The weights of a cohort come back as a token of 8 bytes
and a weight of 4 for each of its clients. A row of the table of reports has a token of 8 bytes,
whether the client takes part, 1, its index, 8, and what the weighting asks for.
"""

import dataclasses
import functools
import types

import numpy as np
import pytest
import tensorflow_federated as tff
from reference.federation import CLIENTS, LOCAL_TRAINING
from reference.problem import functional_model

from tff_weights import (
    Communication,
    LocalTraining,
    Protocol,
    TrimmedSumFactory,
    build_fed_adp,
    build_fed_avg,
    build_fed_mgda,
    build_fed_veca,
    build_wei_avg,
    communication,
    communication_by_protocol,
)

_MODEL, _WEIGHT, _ROW = 60, 12, 17
_NUM_CLIENTS = len(CLIENTS)
_PLAIN = dataclasses.replace(LOCAL_TRAINING, momentum=0.0)


@functools.cache
def _built(build, **arguments):
    return build(functional_model(), **{"local_training": _PLAIN, **arguments})


def _count(build, clients_per_round=10, **arguments):
    return communication(_built(build, **arguments), clients_per_round=clients_per_round)


def test_fed_avg():
    """Down: the model, the round's number, 4, and the weights. Up: the update and n."""
    for clients_per_round in (1, 1000):
        assert _count(build_fed_avg, clients_per_round) == Communication(
            bytes_down=_MODEL + 4 + clients_per_round * _WEIGHT, bytes_up=_MODEL + _ROW + 4
        )
    for none in (0, -1):
        with pytest.raises(ValueError, match=f"clients_per_round .*{none}"):
            _count(build_fed_avg, none)


def test_a_mean_goes_up_and_down_as_well():
    """Up goes each client's weight in it and down their sum, 4 bytes each.

    FedAdp reports n and the angle, WeiAvg no more than the projection.
    """
    fed_avg = _count(build_fed_avg)
    for build, arguments, reported in (
        (build_fed_adp, {"num_clients": _NUM_CLIENTS}, 4 + 4),
        (build_wei_avg, {}, 4),
    ):
        assert _count(build, **arguments) == Communication(
            bytes_down=fed_avg.bytes_down + _MODEL + 4, bytes_up=2 * _MODEL + 4 + _ROW + reported
        )


def test_fed_veca():
    """Up: update and gradient; n, τ, β, δ and the movement; n, τ, η and the loss.

    Down also: the movement, the steps, the last gradient's norm and the gradients' shares.
    """
    fed_avg = _count(build_fed_avg)
    local_training = LocalTraining(learning_rate=0.1, batch_size=10, steps=2)
    assert _count(
        build_fed_veca, num_clients=_NUM_CLIENTS, local_training=local_training
    ) == Communication(
        bytes_down=fed_avg.bytes_down + 4 + 4 * _NUM_CLIENTS + 4 + 10 * _WEIGHT,
        bytes_up=2 * _MODEL + (_ROW + 5 * 4) + (_ROW + 4 * 4),
    )


def test_gathered_updates_go_up_once_however_many_clients_there_are():
    """FedMGDA+'s clients send them beside the sum, with a token of 8 bytes."""
    for clients_per_round in (1, 1000):
        plain = _count(build_fed_avg, clients_per_round)
        trimmed = _count(build_fed_avg, clients_per_round, inner_factory=TrimmedSumFactory(0.1))
        assert trimmed == plain
        mixed = _count(build_fed_mgda, clients_per_round)
        assert mixed.bytes_up == plain.bytes_up + _MODEL + 8


def test_every_kind_of_crossing_counts():
    """By hand: down 3 · 4 and 8; up 4 summed, 8 as the largest, and a mean's 2 and weight's 4.

    Two keys of 4 bytes go up, and two of the vector's numbers down.
    """

    @tff.federated_computation
    def initialize():
        return tff.federated_value(np.int64(0), tff.SERVER)

    @tff.tensorflow.computation(tff.TensorType(np.float32, [3]), np.int32)
    def number_at(vector, key):
        return vector[key]

    @tff.federated_computation(
        tff.FederatedType(np.int64, tff.SERVER),
        tff.FederatedType(tff.TensorType(np.float32, [3]), tff.SERVER),
        tff.FederatedType(np.int32, tff.CLIENTS),
        tff.FederatedType(np.int64, tff.CLIENTS),
        tff.FederatedType(np.float16, tff.CLIENTS),
        tff.FederatedType(np.float32, tff.CLIENTS),
        tff.FederatedType(tff.TensorType(np.int32, [2]), tff.CLIENTS),
    )
    def next_round(state, vector, summed, largest, value, weight, keys):
        return state, (
            tff.federated_broadcast(vector),
            tff.federated_broadcast(state),
            tff.federated_sum(summed),
            tff.federated_max(largest),
            tff.federated_mean(value, weight),
            tff.federated_select(keys, tff.federated_value(3, tff.SERVER), vector, number_at),
        )

    process = tff.templates.IterativeProcess(initialize, next_round)
    assert communication(process, clients_per_round=1) == Communication(
        bytes_down=12 + 8 + 2 * 4, bytes_up=4 + 8 + 2 + 4 + 2 * 4
    )


def test_weights_that_are_not_trained_go_down_once_and_never_up():
    """By hand: 3 · 4 bytes are trained and 5 · 8 are not; 3 numbers of 4 bytes go down, 1 up."""
    weights = tff.learning.models.ModelWeights(
        trainable=(np.zeros([3], np.float32),), non_trainable=(np.zeros([5], np.float64),)
    )
    process = types.SimpleNamespace(get_model_weights=tff.tensorflow.computation(lambda: weights))
    counted = communication_by_protocol(
        process, Protocol(models_down=2, models_up=2, scalars_down=3, scalars_up=1)
    )
    assert counted == Communication(bytes_down=2 * 12 + 40 + 12, bytes_up=2 * 12 + 4)
    nothing = communication_by_protocol(process, Protocol(models_down=0, models_up=0))
    assert nothing == Communication(bytes_down=0, bytes_up=0)
