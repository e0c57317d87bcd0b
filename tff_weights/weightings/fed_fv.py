"""FedFV's weights: conflicting updates lose the components that point against each other."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tff_weights.checks import SHARE, check_number
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting


def fed_fv_weighting(*, alpha: float = 0.1) -> Weighting:
    """Weighs by FedFV's projections (Wang et al., IJCAI 2021, Algorithms 1 and 2).

    1. The share `α` of the `n` clients with the largest losses keep their updates, `g_i = Δ_i`.
    2. For every other client `i` and, in order of rising loss, for every `j ≠ i`:
       `g_i ← g_i − <g_i, Δ_j> Δ_j / ‖Δ_j‖²` if `<g_i, Δ_j> < 0`.
    3. `g = 1/n Σ_i g_i`, and the step is `g` at the length of the plain mean, `‖1/n Σ_i Δ_i‖`.

    Every `g_i` is a sum of multiples of updates. So the products `<Δ_i, Δ_j>` alone give the
    weights, which may be negative. The server must see every update for them; inner factories that
    sum securely or add noise are refused.

    `F_i`, the loss, is of the received model on the client's training data. Conflicts with absent
    clients are ignored, `τ = 0`: otherwise the server would have to store their updates.

    Decisions: `n − ⌈(n − 1)(1 − α)⌉` clients keep their updates, as in the authors' code, and none
        for `α = 0`. An update of length 0 conflicts with none, and a step of length 0 keeps its
        length.

    Limit: the products have the seven digits of float32, see `gather_gram_matrix`. Of nearly
    collinear updates in conflict, the projections may leave nearly nothing. Where `g` is 80 times
    shorter than the plain mean, the step's length is off by up to 1 %; from 700 times on it is that
    of rounding errors, or 0.

    Args:
        alpha: `α` in [0, 1]; 1 gives the simple mean.

    Raises:
        ValueError: If `alpha` is outside its documented range.
    """
    check_number("alpha", alpha, SHARE)

    def weigh(history: History, reports: Reports) -> Weighed:
        gram = tf.cast(reports["gram_matrix"], tf.float64)
        order = tf.argsort(reports["loss_before"], stable=True)
        count = tf.size(order)
        rank = tf.argsort(order)
        # Rounded up, but not because of a rounding error above a whole number.
        changed = tf.math.ceil(tf.cast(count - 1, tf.float64) * (1.0 - alpha) - 1e-9)
        is_changed = (tf.cast(rank, tf.float64) < changed) | tf.constant(alpha == 0)

        def project_all(place: tf.Tensor, coefficients: tf.Tensor) -> Any:
            """Removes from every `g_i` what conflicts with the next `Δ_j`."""
            j = order[place]
            products = tf.linalg.matvec(coefficients, gram[:, j])  # <g_i, Δ_j>
            conflicts = is_changed & (products < 0) & tf.not_equal(tf.range(count), j)
            share = tf.math.divide_no_nan(products, gram[j, j])
            removed = tf.where(conflicts, share, tf.zeros_like(share))
            column = tf.one_hot(j, count, dtype=tf.float64)
            return place + 1, coefficients - removed[:, tf.newaxis] * column

        _, coefficients = tf.while_loop(
            lambda place, _: place < count,
            project_all,
            (tf.constant(0), tf.eye(count, dtype=tf.float64)),
        )
        plain = tf.ones([count], tf.float64) / tf.cast(count, tf.float64)
        projected = tf.linalg.matvec(coefficients, plain, transpose_a=True)
        stretch = tf.math.divide_no_nan(_length(plain, gram), _length(projected, gram))
        return Weighed(tf.cast(stretch * projected, tf.float32), history)

    return Weighting(name="fed_fv", report_fields=("loss_before",), gram_matrix=True, weigh=weigh)


def _length(weights: tf.Tensor, gram: tf.Tensor) -> tf.Tensor:
    """Returns `‖Σ_i weight_i Δ_i‖`; 0 where rounding makes its square negative."""
    squared = tf.reduce_sum(weights * tf.linalg.matvec(gram, weights))
    return tf.sqrt(tf.maximum(squared, 0.0))
