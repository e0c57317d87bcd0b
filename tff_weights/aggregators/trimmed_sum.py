"""A sum without the largest and the smallest values of the cohort."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.checks import Range, check_number
from tff_weights.cohort.gathered_rows import gather_rows
from tff_weights.float_types import is_structure_of_floats


class TrimmedSumFactory(tff.aggregators.UnweightedAggregationFactory):
    """Aggregates `n` times the coordinate-wise trimmed mean of `n` values.

    In every coordinate the `⌊fraction · n⌋` smallest and largest numbers are left out. The mean of
    the others is taken `n` times, so that equal values have their sum (Yin et al., ICML 2018,
    Definition 2).

    As `inner_factory` with uniform weights this is the trimmed mean of the updates. That many
    clients at one end cannot move it beyond the values of the others. With other weights this does
    not hold: the scaled updates are trimmed, and a client with a large weight is an outlier, too. A
    client that the weighting leaves out counts as a value of 0.

    The server sees each update of the cohort, so this does not work with secure sums. TFF's
    `clipping_factory` and `zeroing_factory` can be put around it: they only need a sum inside.

    The created process' `next` has the type
    `(<S@SERVER, V@CLIENTS> → <state=S@SERVER, result=V@SERVER, measurements=M@SERVER>)`, `S` being
    empty and `M` a structure with `trimmed_at_each_end`, int32.
    """

    def __init__(self, fraction: float = 0.1):
        """Initializes the factory.

        Args:
            fraction: The share of the values that is left out at each end, in [0, 0.5).

        Raises:
            ValueError: If it is out of range.
        """
        check_number("fraction", fraction, Range("a number in [0, 0.5)", lambda x: 0 <= x < 0.5))
        self._fraction = fraction

    def create(self, value_type: tff.Type) -> tff.templates.AggregationProcess:
        """Creates the process, see the class.

        Raises:
            TypeError: If `value_type` has leaves that are not floats.
        """
        if not is_structure_of_floats(value_type):
            raise TypeError(f"value_type must hold floats only, got {value_type}")
        fraction = self._fraction

        def trim_and_sum(rows: Any) -> Any:
            num_rows = tf.shape(tf.nest.flatten(rows)[0])[0]
            # A whole number may come out slightly smaller in floating point. A row or two stay.
            share = tf.cast(num_rows, tf.float64) * fraction
            trimmed = tf.cast(tf.floor(share + 1e-6), tf.int32)
            trimmed = tf.minimum(trimmed, tf.maximum(num_rows - 1, 0) // 2)

            def total(x: tf.Tensor) -> tf.Tensor:
                kept = tf.sort(x, axis=0)[trimmed : num_rows - trimmed]
                scale = tf.math.divide_no_nan(
                    tf.cast(num_rows, x.dtype), tf.cast(num_rows - 2 * trimmed, x.dtype)
                )
                return scale * tf.reduce_sum(kept, axis=0)

            return collections.OrderedDict(
                result=tf.nest.map_structure(total, rows),
                measurements=collections.OrderedDict(trimmed_at_each_end=trimmed),
            )

        @tff.federated_computation
        def initialize() -> tff.Value:
            return tff.federated_value((), tff.SERVER)

        @tff.federated_computation(
            initialize.type_signature.result, tff.FederatedType(value_type, tff.CLIENTS)
        )
        def next_fn(state: tff.Value, values: tff.Value) -> tff.templates.MeasuredProcessOutput:
            rows = gather_rows(values)
            trim = tff.tensorflow.computation(trim_and_sum, rows.type_signature.member)
            trimmed = tff.federated_map(trim, rows)
            return tff.templates.MeasuredProcessOutput(
                state, trimmed["result"], trimmed["measurements"]
            )

        return tff.templates.AggregationProcess(initialize, next_fn)
