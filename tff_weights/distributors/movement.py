"""The broadcast of the model together with how far it has moved."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.cohort.update_geometry import squared_norm
from tff_weights.structures import zeros_like


def distributed_type(weights_type: tff.Type) -> tff.Type:
    """Returns the type of what every client receives, `<weights=W, movement=float32>`."""
    return tff.to_type(collections.OrderedDict(weights=weights_type, movement=np.float32))


def build_movement_distributor(
    weights_type: tff.Type,
) -> tff.learning.templates.DistributionProcess:
    """Builds the broadcast of the model and of how far it has moved.

    The movement is `‖w_k − w_{k−1}‖`, and `‖w_0‖` in round 0: the denominators of FedVeca's
    estimate of `L` (Algorithm 1, lines 16–20). A learning process sees `w_k` before the clients
    work only here.
    """
    trainable_type = weights_type.trainable

    @tff.tensorflow.computation
    def initial_state() -> Any:
        specs = tff.types.type_to_tf_tensor_specs(trainable_type)
        return zeros_like(specs)

    @tff.tensorflow.computation(trainable_type, weights_type)
    def with_movement(previous: Any, weights: Any) -> Any:
        difference = tf.nest.map_structure(tf.subtract, weights.trainable, previous)
        return collections.OrderedDict(weights=weights, movement=tf.sqrt(squared_norm(difference)))

    @tff.federated_computation
    def initialize() -> tff.Value:
        return tff.federated_eval(initial_state, tff.SERVER)

    @tff.federated_computation(
        initialize.type_signature.result, tff.FederatedType(weights_type, tff.SERVER)
    )
    def next_fn(state: tff.Value, weights: tff.Value) -> tff.templates.MeasuredProcessOutput:
        distributed = tff.federated_broadcast(tff.federated_map(with_movement, (state, weights)))
        return tff.templates.MeasuredProcessOutput(
            weights.trainable, distributed, tff.federated_value((), tff.SERVER)
        )

    return tff.learning.templates.DistributionProcess(initialize, next_fn)
