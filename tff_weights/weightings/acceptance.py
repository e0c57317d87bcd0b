"""Makes a weighting reject rounds that raise the loss."""

from __future__ import annotations

import collections
import dataclasses
import math

import tensorflow as tf

from tff_weights.weightings.weighting import (
    History,
    Reports,
    Verdict,
    Weighed,
    Weighting,
    normalized,
)


def accept_if_loss_falls(weighting: Weighting) -> Weighting:
    """Adds FedVeca's acceptance test to a weighting (Algorithm 1, lines 5–12).

    The new model's loss is estimated by `F = Σ p_i F_i(w_i)`, the clients' losses after local
    training (eq. 4). If it is at most the smallest estimate accepted so far, `F_m`, the update is
    applied and `F_m ← F`; otherwise the model stays as it was.

    Args:
        weighting: Without a verdict of its own.

    Raises:
        ValueError: If it gives one.
    """
    if weighting.gives_verdict:
        raise ValueError(f"weighting {weighting.name!r} gives a verdict of its own already")

    def initial_history() -> History:
        return collections.OrderedDict(
            weighting=weighting.initial_history(), smallest_loss=tf.constant(math.inf)
        )

    def weigh(history: History, reports: Reports) -> Weighed:
        weighed = weighting.weigh(history["weighting"], reports)
        shares = normalized(reports["num_examples"])
        loss = tf.reduce_sum(shares * reports["loss_after"])
        # An empty cohort has no loss; a sum of 0 would be accepted.
        loss = tf.where(tf.size(shares) > 0, loss, math.nan)
        is_accepted = loss <= history["smallest_loss"]
        return Weighed(
            weighed.weights,
            collections.OrderedDict(
                weighting=weighed.history,
                smallest_loss=tf.where(is_accepted, loss, history["smallest_loss"]),
            ),
            measurements=collections.OrderedDict(
                weighting=weighed.measurements,
                estimated_loss=loss,
                accepted=tf.cast(is_accepted, tf.int32),
            ),
            verdict=tf.where(is_accepted, Verdict.APPLY.value, Verdict.KEEP_MODEL.value),
        )

    return dataclasses.replace(
        weighting,
        name=f"{weighting.name}, accepted if the loss falls",
        report_fields=tuple(
            dict.fromkeys((*weighting.report_fields, "num_examples", "loss_after"))
        ),
        weigh=weigh,
        initial_history=initial_history,
        gives_verdict=True,
        non_negative=tuple(dict.fromkeys((*weighting.non_negative, "num_examples"))),
    )
