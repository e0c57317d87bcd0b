"""The inner sum of every aggregation in this library."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_federated as tff

from tff_weights.float_types import computed_in, widened
from tff_weights.runtime.program.context import ProgramContext
from tff_weights.runtime.program.options import ProgramOptions

# The first length of the trial; each next one is twice as long. They begin below the first clips
# and bounds of TFF's factories, and end above all plausible ones.
_SHORTEST = 1e-3
_MOST_LENGTHS = 24
# Noise that hides the sum of two values seldom hides the sum of many. Their number is bounded.
_FEW_CLIENTS, _MANY_CLIENTS, _MOST_NUMBERS = 2, 64, 2**26
# Noise shows in how much the coordinates differ. Smaller models are aggregated several times.
_FEWEST_NUMBERS = 16
# The largest relative error of a factor that counts as certain.
_NOISE = 0.07
# From one length to the next, the factor halves if values are clipped, and stays if they are not.
_PROPORTIONAL = 0.7
# If a factory that rounds passes as proportional, its factor is off by at most a quarter.
_SUM = 0.75


def inner_sum(
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None,
) -> tff.aggregators.UnweightedAggregationFactory:
    """Returns the inner factory that was chosen, or a plain sum if none was.

    Args:
        inner_factory: A plain, secure, clipped, trimmed, compressed or noisy sum, or None.

    Raises:
        TypeError: If it is not an unweighted aggregation factory; its values are weighted already.
    """
    if inner_factory is None:
        return tff.aggregators.SumFactory()
    if not isinstance(inner_factory, tff.aggregators.UnweightedAggregationFactory):
        raise TypeError(
            "inner_factory must be a tff.aggregators.UnweightedAggregationFactory, got "
            f"{type(inner_factory).__name__}"
        )
    return inner_factory


def create_sum(
    inner_factory: tff.aggregators.UnweightedAggregationFactory, value_type: tff.Type
) -> tff.templates.AggregationProcess:
    """Creates the inner process for values that are `widened`; its results have `value_type`.

    Args:
        inner_factory: What `inner_sum` returned. It is given float32 for half precision.
        value_type: A structure of floats.
    """
    if _is_wide(value_type):
        return inner_factory.create(value_type)
    wide_type = tff.tensorflow.computation(widened, value_type).type_signature.result
    inner = inner_factory.create(wide_type)
    specs = tff.types.type_to_tf_tensor_specs(value_type)

    @tff.tensorflow.computation(wide_type)
    def narrow(total: Any) -> Any:
        return tf.nest.map_structure(lambda x, spec: tf.cast(x, spec.dtype), total, specs)

    @tff.federated_computation(
        inner.initialize.type_signature.result, tff.FederatedType(wide_type, tff.CLIENTS)
    )
    def next_fn(state: tff.Value, values: tff.Value) -> tff.templates.MeasuredProcessOutput:
        output = inner.next(state, values)
        return tff.templates.MeasuredProcessOutput(
            output.state, tff.federated_map(narrow, output.result), output.measurements
        )

    return tff.templates.AggregationProcess(inner.initialize, next_fn)


def widen_at_clients(values: tff.Value) -> tff.Value:
    """Returns the clients' values as `create_sum` takes them, inside a federated computation."""
    value_type = values.type_signature.member
    if _is_wide(value_type):
        return values
    return tff.federated_map(tff.tensorflow.computation(widened, value_type), values)


def _is_wide(value_type: tff.Type) -> bool:
    specs = tf.nest.flatten(tff.types.type_to_tf_tensor_specs(value_type))
    return all(spec.dtype == computed_in(spec) for spec in specs)


def create_inner_sum(
    inner_factory: tff.aggregators.UnweightedAggregationFactory, value_type: tff.Type
) -> tff.templates.AggregationProcess:
    """Creates the process of `create_sum`, and refuses one that does not add up its values.

    A mean, or a sum divided by an expected number of clients, would silently shorten every step.
    The check aggregates a few equal values, so it does not depend on how the factory is composed.
    If twice the length gives twice the result, nothing is clipped, zeroed or rounded off, and the
    result must be the sum.

    The trial runs inside the program, with any context of TFF. Secure sums are in the clear, and it
    begins with the process' first state. A plain sum needs no trial, others need two rounds of two
    clients, noisy ones a few rounds of 64.

    A factory is accepted if nothing can be decided: if the trial fails, if the result is not
    proportional at any length from 1e-3 to 1e4, or if noise hides it. Noise hides the sum of 64
    unclipped values if its standard deviation is more than twice the clip.

    Args:
        inner_factory: What `inner_sum` returned.
        value_type: A structure of floats.

    Raises:
        ValueError: If it gives less than a sum.
    """
    process = create_sum(inner_factory, value_type)
    if type(inner_factory) is tff.aggregators.SumFactory:
        return process
    try:
        factor = _factor_in_trial(process)
    except Exception:  # In its own runtime it may still work, or raise its own error.
        return process
    if factor is not None and factor < _SUM:
        raise ValueError(
            "inner_factory must add up what it is given, whose weights sum to 1 already, but "
            f"{type(inner_factory).__name__} gave {factor:.3g} times the sum of equal values: in "
            "place of a mean take tff.aggregators.SumFactory() or SecureSumFactory, also inside "
            "clipping_factory, zeroing_factory and the like; build a DifferentiallyPrivateFactory "
            "with clients_per_round=1, or, where the clip adapts, around a "
            "tensorflow_privacy.QuantileAdaptiveClipSumQuery, whose expected_num_records is the "
            "number of clients"
        )
    return process


class _Measured(NamedTuple):
    """By how much a result differs from the sum.

    Attributes:
        factor: The result, along the sum, as a multiple of it.
        error: The standard error of the factor, estimated from the coordinates' differences.
    """

    factor: float
    error: float

    @property
    def is_certain(self) -> bool:
        """Whether it is certain in spite of noise."""
        return self.error <= _NOISE * abs(self.factor)


def _factor_in_trial(process: tff.templates.AggregationProcess) -> float | None:
    """Returns the result as a multiple of the sum; None if that cannot be decided."""
    value_type = process.next.type_signature.parameter[1].member
    specs = tff.types.type_to_tf_tensor_specs(value_type)
    size = sum(spec.shape.num_elements() for spec in tf.nest.flatten(specs))
    context = ProgramContext(ProgramOptions(device="cpu", simulate_secure_aggregation=True))

    def measure(num_clients: int, length: float) -> _Measured:
        # The length is spread over all coordinates; their differences show the noise.
        coordinate = length / math.sqrt(size)
        value = tf.nest.map_structure(
            lambda spec: np.full(spec.shape, coordinate, spec.dtype.as_numpy_dtype), specs
        )
        with tff.framework.get_context_stack().install(context):
            results = [
                process.next(process.initialize(), [value] * num_clients).result
                for _ in range(math.ceil(_FEWEST_NUMBERS / size))
            ]
        factors = _as_vector(results) / (num_clients * coordinate)
        return _Measured(float(np.mean(factors)), float(np.std(factors) / math.sqrt(factors.size)))

    try:
        return _factor(measure, most_clients=_MOST_NUMBERS // size)
    finally:
        context.close()


def _factor(measure: Callable[[int, float], _Measured], *, most_clients: int) -> float | None:
    num_clients, length = _FEW_CLIENTS, _SHORTEST
    measured = measure(num_clients, length)
    if measured.error > _NOISE:
        num_clients = max(_FEW_CLIENTS, min(_MANY_CLIENTS, most_clients))
        # Below this length noise hides a sum. If the sum is divided, so is the noise.
        length *= max(1.0, measured.error * _FEW_CLIENTS / (_NOISE * num_clients))
        measured = measure(num_clients, length)
    for _ in range(_MOST_LENGTHS):
        shorter, length = measured, 2 * length
        measured = measure(num_clients, length)
        if shorter.is_certain and measured.is_certain and shorter.factor and measured.factor:
            change = measured.factor / shorter.factor
            if _PROPORTIONAL < change < 1 / _PROPORTIONAL:
                return measured.factor
    return None


def _as_vector(result: Any) -> npt.NDArray[np.float64]:
    return np.concatenate([np.ravel(x).astype(np.float64) for x in tf.nest.flatten(result)])
