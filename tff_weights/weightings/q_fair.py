"""q-FedAvg's weights: clients with a larger loss count more."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tff_weights.checks import NOT_NEGATIVE, POSITIVE, check_number
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting

_SMALLEST = float(np.finfo(np.float32).tiny)


def q_fair_weighting(*, q: float = 1.0, epsilon: float = 1e-10) -> Weighting:
    """Weighs by q-FFL's rule (Li et al., ICLR 2020, Algorithm 2).

    `F_i` is the client's mean training loss at the received model, `L = 1/η_t` and
    `Δw_i = L (w_t − w_i)`. The server steps by `Σ F_i^q Δw_i / Σ h_i` with
    `h_i = q F_i^{q−1} ‖Δw_i‖² + L F_i^q`, so the weight of the update `w_t − w_i` is
    `L F_i^q / Σ h_i`. `q = 0` gives the unweighted mean.

    Powers of a negative loss, such as a log-density, are not defined: with `q > 0` such a client is
    left out.

    Args:
        q: `≥ 0`; the larger, the fairer. FedFa's comparison uses 1.
        epsilon: Added to `F_i` under the powers, as in the authors' code.

    Raises:
        ValueError: If `q` is negative or not finite, or `epsilon` is not positive.
    """
    check_number("q", q, NOT_NEGATIVE)
    check_number("epsilon", epsilon, POSITIVE)

    def weigh(history: History, reports: Reports) -> Weighed:
        loss = reports["loss_before"] + epsilon
        # The weights stay the same when F is divided by F_max and ‖Δw‖² likewise, since F_max^q
        # cancels; then no power of it leaves float32.
        largest = tf.reduce_max(loss)
        # It may not fall to 0 beside a huge one either: a power below 0 would be infinite.
        loss = tf.maximum(loss / largest, _SMALLEST)
        # At a rate of 0 updates have no length, and any `L` gives the same weights.
        rate = reports["learning_rate"]
        lipschitz = 1.0 / tf.where(rate > 0, rate, 1.0)
        squared_norm = lipschitz**2 * reports["squared_norm"] / largest
        h = lipschitz * loss**q
        if q > 0:  # Otherwise it would be 0 times a power that may not be finite.
            h += q * loss ** (q - 1.0) * squared_norm
        return Weighed(lipschitz * loss**q / tf.reduce_sum(h), history)

    return Weighting(
        name="q_fair",
        report_fields=("loss_before", "learning_rate"),
        update_fields=("squared_norm",),
        weigh=weigh,
        non_negative=("loss_before",) if q > 0 else (),
        divides_by_rate=True,
    )
