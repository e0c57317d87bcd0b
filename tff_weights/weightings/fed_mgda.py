"""FedMGDA+'s weights: the shortest mean of normalised updates, near a prior."""

from __future__ import annotations

import tensorflow as tf

from tff_weights.checks import POSITIVE, SHARE, check_number, check_truth_value
from tff_weights.weightings.plain import plain_weighting
from tff_weights.weightings.simplex import least_quadratic
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting


def fed_mgda_weighting(
    *,
    epsilon: float = 0.1,
    prior: str = "num_examples",
    normalize: bool = True,
    step_size: float = 1.0,
) -> Weighting:
    """Weighs by FedMGDA+'s common descent direction (Hu et al., IEEE TNSE 2022, Algorithm 1).

    1. `Δ̃_i = Δ_i / ‖Δ_i‖`;
    2. `λ* = argmin ½ ‖Σ_i λ_i Δ̃_i‖²` over `λ_i ≥ 0`, `Σ λ_i = 1`, `|λ_i − λ⁰_i| ≤ ε`;
    3. `w_{t+1} = w_t + η Σ_i λ*_i Δ̃_i`, so the weight of `Δ_i` is `η λ*_i / ‖Δ_i‖`.

    Step 2 needs the products `<Δ_i, Δ_j>` alone. The server must see every update for them; inner
    factories that sum securely or add noise are refused. Normalised updates have length 1 for every
    rate of the clients, so `η` sets the step and has to be tuned.

    Decision: an update of length 0 has the weight 0. It stays in step 2, where it takes as large a
        share as its bounds allow. So a client at its optimum can stop the round.

    Args:
        epsilon: `ε` in [0, 1], how far the weights may be from the prior; 1 allows all, 0 none.
        prior: `λ⁰`: `"num_examples"`, `n_i / Σ_j n_j`, or `"uniform"`, `1/K`.
        normalize: Whether updates are normalised; if not, and with `ε = 0`, this is FedAvg.
        step_size: `η > 0`, the server's.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_number("epsilon", epsilon, SHARE)
    check_truth_value("normalize", normalize)
    check_number("step_size", step_size, POSITIVE)
    plain = plain_weighting(prior, argument="prior")

    def weigh(history: History, reports: Reports) -> Weighed:
        given = plain.weigh(history, reports).weights
        gram = tf.cast(reports["gram_matrix"], tf.float64)
        squared = tf.linalg.diag_part(gram)
        length = tf.sqrt(squared) if normalize else tf.ones_like(squared)
        per_length = tf.math.divide_no_nan(tf.ones_like(length), length)  # 0 for none.
        center = tf.cast(given, tf.float64)
        mixture = least_quadratic(  # eq. 2
            gram * per_length * per_length[:, tf.newaxis],
            tf.zeros_like(center),
            center,
            lower=tf.maximum(center - epsilon, 0.0),
            upper=tf.minimum(center + epsilon, 1.0),
        )
        return Weighed(tf.cast(step_size * mixture * per_length, tf.float32), history)  # eq. 3

    return Weighting(
        name="fed_mgda",
        report_fields=plain.report_fields,
        gram_matrix=True,
        weigh=weigh,
        non_negative=plain.non_negative,
    )
