"""Scalars that the aggregator measures on each update, at the client.

A new field is one function and one entry of `UPDATE_FIELDS`. TFF's updates are `w_t − w_i`, the
papers' `w_i − w_t`: every field here is the same for both signs. Products and sums are in float32
for every float type of the model: they only weigh clients, and squares overflow in half precision.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class UpdateField:
    """One scalar of an update `Δ_i`.

    Attributes:
        measure: From the update and, if `needs_mean`, the mean update to a float32 scalar.
        needs_mean: Whether the cohort's mean update is formed and sent to the clients first.
        divisor: A field of the client's report by which the scalar is divided, if there is one; a
            divisor of 0, such as a rate at which no client moves, gives 0.
    """

    measure: Callable[..., tf.Tensor]
    needs_mean: bool = False
    divisor: str | None = None


def squared_norm(update: Any) -> tf.Tensor:
    """Returns `‖Δ_i‖²` over all tensors of the update as one vector."""
    # One operation for each tensor; a sum of squares takes two.
    return 2.0 * tf.add_n([tf.nn.l2_loss(tf.cast(x, tf.float32)) for x in tf.nest.flatten(update)])


def angle_to_mean(update: Any, mean_update: Any) -> tf.Tensor:
    """Returns `arccos(<Δ̄, Δ_i> / (‖Δ̄‖ ‖Δ_i‖))` in radians (FedAdp eq. 8).

    All layers form one vector, and the cosine is clipped to [−1, 1]. Decision where the paper is
    silent: an update or a mean of zero length has the angle π/2.
    """
    norms = tf.sqrt(squared_norm(update)) * tf.sqrt(squared_norm(mean_update))
    cosine = tf.clip_by_value(tf.math.divide_no_nan(_dot(update, mean_update), norms), -1.0, 1.0)
    return tf.where(norms > 0, tf.acos(cosine), math.pi / 2)


def projection_on_mean(update: Any, mean_update: Any) -> tf.Tensor:
    """Returns `<Δ_i, Δ̄> / ‖Δ̄‖` (WeiAvg eq. 3); 0 for a mean of zero length."""
    return tf.math.divide_no_nan(_dot(update, mean_update), tf.sqrt(squared_norm(mean_update)))


def distance_to_mean(update: Any, mean_update: Any) -> tf.Tensor:
    """Returns `‖Δ_i − Δ̄‖` over all tensors as one vector."""
    return tf.sqrt(squared_norm(tf.nest.map_structure(tf.subtract, update, mean_update)))


def _dot(first: Any, second: Any) -> tf.Tensor:
    return tf.add_n(
        [
            tf.reduce_sum(tf.cast(a, tf.float32) * tf.cast(b, tf.float32))
            for a, b in zip(tf.nest.flatten(first), tf.nest.flatten(second))
        ]
    )


UPDATE_FIELDS: Mapping[str, UpdateField] = {
    "squared_norm": UpdateField(squared_norm),
    "angle_to_mean": UpdateField(angle_to_mean, needs_mean=True),
    "projection_on_mean": UpdateField(projection_on_mean, needs_mean=True),
    # FedAdp's Algorithm 1 takes `∇F_i = −Δ_i / η_t`. The mean over the cohort of `‖∇F − ∇F_i‖` is
    # its divergence of local gradients (section V-C).
    "gradient_distance_to_mean": UpdateField(
        distance_to_mean, needs_mean=True, divisor="learning_rate"
    ),
}


def measure_update(
    fields: tuple[str, ...],
    update: Any,
    mean_update: Any = None,
    report: Mapping[str, tf.Tensor] = types.MappingProxyType({}),
) -> Mapping[str, tf.Tensor]:
    """Measures the named fields on one update.

    Args:
        fields: Names from `UPDATE_FIELDS`.
        update: Structure of float tensors.
        mean_update: The cohort's mean update, where a field needs it.
        report: What the client reports, where a field has a divisor.
    """
    return {name: _measure(UPDATE_FIELDS[name], update, mean_update, report) for name in fields}


def _measure(
    field: UpdateField, update: Any, mean_update: Any, report: Mapping[str, tf.Tensor]
) -> tf.Tensor:
    measured = field.measure(update, mean_update) if field.needs_mean else field.measure(update)
    if field.divisor is None:
        return measured
    return tf.math.divide_no_nan(measured, tf.cast(report[field.divisor], measured.dtype))


def needs_mean(fields: tuple[str, ...]) -> bool:
    """Returns whether one of the fields is measured against the mean update."""
    return any(UPDATE_FIELDS[name].needs_mean for name in fields)
