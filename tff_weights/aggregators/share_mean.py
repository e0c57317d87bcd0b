"""A weighted mean whose inner factory sees shares of at most the values' own size."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.cohort.inner_sum import create_sum, inner_sum
from tff_weights.float_types import widened


class ShareMeanFactory(tff.aggregators.WeightedAggregationFactory):
    """Aggregates `Σ_i (w_i / Σ_j w_j) · value_i`.

    `tff.aggregators.MeanFactory` has the inner factory add up `w_i · value_i`, and divides after
    that. The values are then hundreds of times longer than clips, zeroing and the bounds of secure
    sums assume. Here the sum of the weights is broadcast first, and every client scales its value
    by its share. Weights that are all 0 give a mean of 0.
    """

    def __init__(self, inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None):
        """Initializes the factory.

        Args:
            inner_factory: Adds up the shares; by default a plain sum.

        Raises:
            TypeError: If `inner_factory` is not an unweighted aggregation factory.
        """
        self._inner_factory = inner_sum(inner_factory)

    def create(
        self, value_type: tff.Type, weight_type: tff.Type
    ) -> tff.templates.AggregationProcess:
        """Creates the process, which has the inner one's state and measurements.

        Args:
            value_type: A structure of floats.
            weight_type: A float32 scalar; weights are not negative.
        """
        inner = create_sum(self._inner_factory, value_type)

        @tff.tensorflow.computation(value_type, weight_type, np.float32)
        def take_share(value: Any, weight: tf.Tensor, total_weight: tf.Tensor) -> Any:
            share = tf.math.divide_no_nan(weight, total_weight)
            return tf.nest.map_structure(lambda x: x * tf.cast(share, x.dtype), widened(value))

        @tff.federated_computation(
            inner.initialize.type_signature.result,
            tff.FederatedType(value_type, tff.CLIENTS),
            tff.FederatedType(weight_type, tff.CLIENTS),
        )
        def next_fn(
            state: tff.Value, value: tff.Value, weight: tff.Value
        ) -> tff.templates.MeasuredProcessOutput:
            total_weight = tff.federated_broadcast(tff.federated_sum(weight))
            return inner.next(state, tff.federated_map(take_share, (value, weight, total_weight)))

        return tff.templates.AggregationProcess(inner.initialize, next_fn)
