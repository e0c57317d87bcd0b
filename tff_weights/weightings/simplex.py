"""Weights that are not negative and sum to 1: projections on them, and minima over them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_MOST_STEPS = 2_000
_CLOSE = 1e-9
_HUGE = 1e6  # Up to here float64 has ten digits after the point.


def project(
    values: tf.Tensor, lower: tf.Tensor | float = 0.0, upper: tf.Tensor | float = 1.0
) -> tf.Tensor:
    """Returns the point nearest to `values` whose entries are within bounds and sum to 1.

    It is `clip(values − θ, lower, upper)` for the one `θ` at which they sum to 1. The sum is
    piecewise linear in `θ` and bends where an entry leaves a bound, so its values at the bends
    determine it.

    Args:
        values: `[n]` floats.
        lower: The smallest entries, `[n]` or one number, whose sum is at most 1.
        upper: The largest ones, whose sum is at least 1.

    Returns:
        `[n]`, of the type of `values`.
    """
    exact = tf.cast(values, tf.float64)  # In float64, since sums of many entries may nearly cancel.
    low, high = (tf.cast(bound, tf.float64) + tf.zeros_like(exact) for bound in (lower, upper))
    # Between its two bends an entry falls. The bend at 0 is added for the case without entries.
    bends = tf.concat([exact - high, exact - low, [0.0]], 0)
    change = tf.concat([-tf.ones_like(exact), tf.ones_like(exact), [0.0]], 0)
    order = tf.argsort(bends)
    bends = tf.gather(bends, order)
    slopes = tf.cumsum(tf.gather(change, order))
    falls = tf.cumsum(slopes[:-1] * (bends[1:] - bends[:-1]))
    sums = tf.reduce_sum(high) + tf.concat([tf.zeros([1], tf.float64), falls], 0)
    # The last bend at which the sum is not below 1; `θ` lies between it and the next one.
    last = tf.maximum(tf.reduce_sum(tf.cast(sums >= 1.0, tf.int32)) - 1, 0)
    theta = bends[last] + tf.math.divide_no_nan(sums[last] - 1.0, -slopes[last])
    return tf.cast(tf.clip_by_value(exact - theta, low, high), values.dtype)


def nearest_mixture(values: tf.Tensor) -> tf.Tensor:
    """Returns the point nearest to `values` whose entries are not negative and sum to 1.

    This is `project`, which from 1e16 on has no digits left for differences of 1, for values of
    any size.

    Args:
        values: `[n]` floats, at least one; infinite ones count as the largest finite ones.

    Returns:
        `[n]`, of the type of `values`.
    """
    finite = tf.clip_by_value(values, values.dtype.min, values.dtype.max)
    # A number subtracted from all entries changes nothing, and what is 1 below the largest gets 0.
    # Values that are not huge stay the same to the last digit.
    relative = tf.maximum(finite - tf.reduce_max(finite), -2.0)
    return project(tf.where(tf.reduce_any(tf.abs(finite) > _HUGE), relative, values))


def least_quadratic(
    matrix: tf.Tensor,
    linear: tf.Tensor,
    start: tf.Tensor,
    *,
    lower: tf.Tensor | float = 0.0,
    upper: tf.Tensor | float = 1.0,
) -> tf.Tensor:
    """Returns where `½ xᵀ A x + bᵀ x` is least, over `x` as for `project`.

    Accelerated projected gradient descent, which starts again whenever its momentum points uphill
    (O'Donoghue and Candès, Foundations of Computational Mathematics 2015). It ends when a step
    changes no entry by more than 1e-9, after 2,000 steps at most.

    Args:
        matrix: `A`, `[n, n]` float64, positive semidefinite.
        linear: `b`, `[n]` float64.
        start: `[n]` float64, where it begins.
        lower: As for `project`.
        upper: As for `project`.
    """
    # No eigenvalue is above the largest sum of a row's magnitudes.
    rate = tf.math.divide_no_nan(
        tf.constant(1.0, tf.float64), tf.reduce_max(tf.reduce_sum(tf.abs(matrix), axis=1))
    )

    def step(number: tf.Tensor, _: Any, x: tf.Tensor, point: tf.Tensor, t: tf.Tensor) -> Any:
        gradient = tf.linalg.matvec(matrix, point) + linear
        new = project(point - rate * gradient, lower, upper)
        is_uphill = tf.reduce_sum(gradient * (new - x)) > 0
        next_t = tf.where(is_uphill, tf.ones_like(t), (1.0 + tf.sqrt(1.0 + 4.0 * t**2)) / 2.0)
        momentum = tf.where(is_uphill, tf.zeros_like(t), (t - 1.0) / next_t)
        moved = tf.reduce_max(tf.abs(new - x))
        # Momentum may push against the bounds: then `x` stays, although it is not the least.
        change = tf.where(moved > 0, moved, tf.reduce_max(tf.abs(new - point)))
        return number + 1, change, new, new + momentum * (new - x), next_t

    one = tf.constant(1.0, tf.float64)
    first = project(start, lower, upper)
    _, _, found, _, _ = tf.while_loop(
        lambda number, change, *_: (number < _MOST_STEPS) & (change > _CLOSE),
        step,
        (tf.constant(0), one, first, first, one),
        shape_invariants=(
            tf.TensorShape([]),
            tf.TensorShape([]),
            tf.TensorShape([None]),
            tf.TensorShape([None]),
            tf.TensorShape([]),
        ),
    )
    return tf.ensure_shape(found, start.shape)
