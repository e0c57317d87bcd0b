"""AAggFF's responses: the clients' losses, mapped to a bounded range by a distribution function."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tensorflow as tf

from tff_weights.weightings.weighting import mean_of

# By name, from a loss divided by the cohort's mean loss to [0, 1].
DISTRIBUTIONS: Mapping[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "weibull": lambda x: 1.0 - tf.exp(-(x**2)),
    "exponential": lambda x: 1.0 - tf.exp(-x),
    "frechet": lambda x: tf.exp(-1.0 / x),
    "normal": lambda x: 0.5 * (1.0 + tf.math.erf((x - 1.0) / 2.0**0.5)),
    "gumbel": lambda x: tf.exp(-tf.exp(1.0 - x)),
    "logistic": lambda x: tf.sigmoid(x - 1.0),
}


def bounded_responses(
    losses: tf.Tensor, distribution: str, *, most: float | tf.Tensor
) -> tf.Tensor:
    """Returns `most · CDF(F_i / mean_j F_j)` (AAggFF, eq. 8); CDF(1) if all losses are 0.

    Args:
        losses: `[n]` float32, not negative.
        distribution: One of `DISTRIBUTIONS`: Weibull's of shape 2, Fréchet's of shape 1, and those
            of location and scale 1.
        most: The largest possible response.
    """
    mean = mean_of(losses)
    relative = tf.where(mean > 0, tf.math.divide_no_nan(losses, mean), tf.ones_like(losses))
    return most * DISTRIBUTIONS[distribution](relative)
