"""WeiAvg's weights: clients with diverse labels, or updates along the mean, count more."""

from __future__ import annotations

import tensorflow as tf

from tff_weights.checks import NOT_NEGATIVE, POSITIVE, check_number, check_one_of, check_truth_value
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized

# From the spread `max(v) − min(v)` to what `ε` is multiplied by.
_TRANSFORMS = {"range": lambda spread: spread, "constant": tf.ones_like}

# A smaller spread, relative to the values, is rounding, which a range would stretch.
_ROUNDING = 1e-6

_DIVERSITIES = {
    "entropy": (("label_entropy",), ()),
    "projection": ((), ("projection_on_mean",)),
}


def wei_avg_weighting(
    *,
    by: str = "projection",
    exponent: float = 1.0,
    shift: float = 0.1,
    transform: str = "range",
    multiply_by_num_examples: bool = False,
) -> Weighting:
    """Weighs by `z_i^λ / Σ_j z_j^λ` (WeiAvg, Algorithms 1 and 2).

    `z` is the diversity `v` after the paper's LinearTransform, "a small shift", which makes it
    positive. Decisions where the paper is silent or contradicts itself:

    * Shift: the paper does not define it; `transform` does. If all `v` are equal up to rounding,
      as entropies of the same labels in another order are, `z` is all ones.
    * Exponent: `λ` is 1e−4 in the text but goes up to 10 in the figures; the default is 1.

    Args:
        by: `"entropy"` of the client's training labels, with the natural logarithm, which the
            client must report (Algorithm 1). Or `"projection"`, `<Δ_i, Δ̄>/‖Δ̄‖` on the simple mean
            of the cohort's updates (Algorithm 2, eq. 3), which needs no report.
        exponent: `λ ≥ 0`; 0 gives the simple mean.
        shift: `ε > 0`, how far from 0 the least diverse client stays.
        transform: `"range"` for `z = v − min(v) + ε (max(v) − min(v))`, whatever the scale of `v`;
            `"constant"` for `z = v − min(v) + ε`. Projections become shorter over the rounds,
            while a constant `ε` makes the weights more equal.
        multiply_by_num_examples: Whether each weight is multiplied by `n_i` before they are made
            to sum to 1. The paper's clients all have as many examples.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_one_of("by", by, _DIVERSITIES)
    check_one_of("transform", transform, _TRANSFORMS)
    check_number("exponent", exponent, NOT_NEGATIVE)
    check_truth_value("multiply_by_num_examples", multiply_by_num_examples)
    check_number("shift", shift, POSITIVE)
    report_fields, update_fields = _DIVERSITIES[by]
    (diversity_field,) = (*report_fields, *update_fields)

    def weigh(history: History, reports: Reports) -> Weighed:
        diversity = reports[diversity_field]
        least, most = tf.reduce_min(diversity), tf.reduce_max(diversity)
        # Divided by a scale and then by the largest, which the normalisation cancels: whatever the
        # scale of v and the exponent, the largest power is 1.
        scale = _TRANSFORMS[transform](most - least)
        positive = tf.math.divide_no_nan(diversity - least, scale) + shift
        relative = positive / tf.reduce_max(positive)
        differ = most - least > _ROUNDING * tf.maximum(tf.abs(most), tf.abs(least))
        score = tf.where(differ, relative, tf.ones_like(diversity)) ** exponent
        if multiply_by_num_examples:
            score *= reports["num_examples"]
        return Weighed(normalized(score), history)

    return Weighting(
        name=f"wei_avg_{by}",
        report_fields=(*report_fields, *(("num_examples",) if multiply_by_num_examples else ())),
        update_fields=update_fields,
        weigh=weigh,
        non_negative=("num_examples",) if multiply_by_num_examples else (),
        drop_in='wei_avg_weighting(by="projection")',
    )
