"""FedNova's weights: updates count per local step, not by the number of steps."""

from __future__ import annotations

import tensorflow as tf

from tff_weights.checks import BELOW_ONE, NOT_NEGATIVE, check_number
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized


def fed_nova_weighting(*, momentum: float = 0.0, proximal_strength: float = 0.0) -> Weighting:
    """Weighs by `τ_eff p_i / ‖a_i‖₁` (Wang et al., NeurIPS 2020, eq. 6–8).

    The normalised update is `d_i = (w_t − w_i) / (η ‖a_i‖₁)` and the server steps by
    `τ_eff η Σ p_i d_i`. With `τ_i` local steps, `‖a_i‖₁` is

    * plain SGD: `τ_i`;
    * momentum `ρ`: `(τ_i − ρ (1 − ρ^{τ_i}) / (1 − ρ)) / (1 − ρ)`;
    * proximal `μ`: `(1 − (1 − η μ)^{τ_i}) / (η μ)`; above `η μ = 1`, `Σ_{k<τ_i} |1 − η μ|^k`;

    and `τ_eff = Σ p_i ‖a_i‖₁`, with a proximal term `Σ p_i τ_i` as in the authors' code. The
    weights sum to 1 only where all clients take equally many steps.

    Args:
        momentum: The clients' `ρ` in [0, 1).
        proximal_strength: The clients' `μ ≥ 0`.

    Raises:
        ValueError: If an argument is outside its documented range, or both are positive: the
            paper gives no `‖a_i‖₁` for that.
    """
    check_number("momentum", momentum, BELOW_ONE)
    check_number("proximal_strength", proximal_strength, NOT_NEGATIVE)
    if momentum and proximal_strength:
        raise ValueError(
            "FedNova normalises either momentum or a proximal term, not both; got momentum="
            f"{momentum!r} and proximal_strength={proximal_strength!r}"
        )

    def norm_of_a(steps: tf.Tensor, learning_rate: tf.Tensor) -> tf.Tensor:
        if momentum:
            return (steps - momentum * (1.0 - momentum**steps) / (1.0 - momentum)) / (
                1.0 - momentum
            )
        if proximal_strength:
            # `Σ |1 − η μ|^k`, the paper's form up to η μ = 1; `τ_i` if η μ is 0 or 2, or so near
            # to it that the differences would cancel.
            decay = learning_rate * proximal_strength
            ratio = tf.abs(1.0 - decay)
            gap = tf.where(decay <= 1.0, decay, 1.0 - ratio)
            return tf.where(tf.abs(gap) < 1e-8, steps, (1.0 - ratio**steps) / gap)
        return steps

    def weigh(history: History, reports: Reports) -> Weighed:
        shares = normalized(reports["num_examples"])
        steps = reports["num_steps"]
        # In float64: the sums of geometric series cancel in their leading digits.
        norm = tf.cast(
            norm_of_a(tf.cast(steps, tf.float64), tf.cast(reports["learning_rate"], tf.float64)),
            tf.float32,
        )
        effective_steps = tf.reduce_sum(shares * (steps if proximal_strength else norm))
        # A client without steps has a zero update, whatever its weight.
        return Weighed(effective_steps * tf.math.divide_no_nan(shares, norm), history)

    return Weighting(
        name="fed_nova",
        report_fields=("num_examples", "num_steps", "learning_rate"),
        weigh=weigh,
        non_negative=("num_examples",),
        divides_by_rate=True,
        expected_training={"momentum": momentum, "proximal_strength": proximal_strength},
    )
