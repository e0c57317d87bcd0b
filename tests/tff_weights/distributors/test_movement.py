"""Tests of `tff_weights.distributors.movement`."""

import numpy as np
import tensorflow_federated as tff

from tff_weights.distributors.movement import build_movement_distributor, distributed_type

_WEIGHTS = tff.to_type(
    tff.learning.models.ModelWeights(
        (tff.TensorType(np.float32, [2]), np.float32), (tff.TensorType(np.int32, [1]),)
    )
)


def _weights(a, b, c, not_trained=7):
    return tff.learning.models.ModelWeights(
        (np.array([a, b], np.float32), np.float32(c)), (np.array([not_trained], np.int32),)
    )


def test_movements_by_hand():
    """From (1, 2, 2), of length 3, to (1, 5, −2), a way of √(9 + 16) = 5, and no further.

    Weights that do not train do not count.
    """
    process = build_movement_distributor(_WEIGHTS)

    @tff.tensorflow.computation(distributed_type(_WEIGHTS), np.int32)
    def receive(received, client):
        return received

    @tff.federated_computation(
        *process.next.type_signature.parameter, tff.FederatedType(np.int32, tff.CLIENTS)
    )
    def next_round(state, weights, clients):
        output = process.next(state, weights)
        return output.state, tff.federated_map(receive, (output.result, clients))

    state = process.initialize()
    for weights, movement in (
        (_weights(1, 2, 2), 3),
        (_weights(1, 5, -2), 5),
        (_weights(1, 5, -2, not_trained=100), 0),
    ):
        state, everyone_received = next_round(state, weights, [0, 1])
        for received in everyone_received:
            np.testing.assert_allclose(received["movement"], movement, rtol=1e-6)
            model = received["weights"]
            np.testing.assert_array_equal(model.trainable[0], weights.trainable[0])
            np.testing.assert_array_equal(model.trainable[1], weights.trainable[1])
            np.testing.assert_array_equal(model.non_trainable[0], weights.non_trainable[0])
