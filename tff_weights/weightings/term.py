"""TERM's weights: a tilt makes clients with a larger loss count more, or less."""

from __future__ import annotations

import math

import tensorflow as tf

from tff_weights.checks import check_number
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting


def term_weighting(*, tilt: float = 0.1) -> Weighting:
    """Weighs by the gradient of a tilted risk (TERM; Li et al., ICLR 2021).

    1. The hierarchical objective, with the examples of a client untilted, `τ = 0`:
       `1/t log(Σ_i n_i/n e^{t F_i})`.
    2. The clients' weights in its gradient: `n_i e^{t F_i} / Σ_j n_j e^{t F_j}`.

    `F_i` is the loss of the received model on the client's training data, before it trains.

    Decision: each round's weights sum to 1. The authors' code divides `e^{t F_i}` by a moving
    average over the rounds instead, and has no `n_i`, since it samples clients in proportion to
    it. An example-level tilt would need the loss of each example, which no model of TFF shows.

    Args:
        tilt: `t`; above 0 the largest losses count more, and in the limit the largest alone;
            below 0 they count less; 0 gives FedAvg's weights.

    Raises:
        ValueError: If `tilt` is not finite.
    """
    check_number("tilt", tilt, math.isfinite, "a finite number")

    def weigh(history: History, reports: Reports) -> Weighed:
        scores = tilt * reports["loss_before"] + tf.math.log(reports["num_examples"])
        return Weighed(tf.nn.softmax(scores), history)

    return Weighting(
        name="term",
        report_fields=("loss_before", "num_examples"),
        weigh=weigh,
        non_negative=("num_examples",),
    )
