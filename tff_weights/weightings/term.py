"""TERM: a tilt makes clients, and examples, with a larger loss count more, or less."""

from __future__ import annotations

import functools
import math
from typing import Any

import tensorflow as tf

from tff_weights.checks import FINITE, check_number
from tff_weights.client_work.local_loss import OverExamples
from tff_weights.client_work.reports import LocalRun, ReportField
from tff_weights.client_work.training_loop import over_large_batches
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting

# Above it, float32 lacks the digits for `t F + log n`.
_LARGE = 1e3


def term_weighting(*, tilt: float = 0.1, example_tilt: float = 0.0) -> Weighting:
    """Weighs by the gradient of a tilted risk (TERM; Li et al., ICLR 2021, eq. 4).

    1. The hierarchical objective: `1/t log(Σ_i n_i/n e^{t F_i})`.
    2. The clients' weights in its gradient: `n_i e^{t F_i} / Σ_j n_j e^{t F_j}`.

    `F_i` is the loss of the received model on the client's training data, before it trains: the
    mean over its examples, or with an `example_tilt` their `tilted_loss`.

    Decision: each round's weights sum to 1. The authors' code divides `e^{t F_i}` by a moving
    average over the rounds instead, and has no `n_i`, since it samples clients in proportion to
    it.

    Args:
        tilt: `t`; above 0 the largest losses count more, and in the limit the largest alone;
            below 0 they count less; 0 gives FedAvg's weights.
        example_tilt: `τ`, the same for the examples of a client; 0 is the mean.

    Raises:
        ValueError: If an argument is not finite.
    """
    check_number("tilt", tilt, FINITE)
    check_number("example_tilt", example_tilt, FINITE)
    loss: str | ReportField = "loss_before"
    if example_tilt:
        measure = functools.partial(_tilted_loss_before, tilt=example_tilt)
        loss = ReportField("tilted_loss_before", measure)
    name_of_loss = loss if isinstance(loss, str) else loss.name

    def weigh(history: History, reports: Reports) -> Weighed:
        loss = reports[name_of_loss]
        tilted = tilt * loss
        # Where a `t F` is large or no float32, the loss of the largest is subtracted first. The
        # weights stay the same, since all are divided by one number.
        relative = tilt * (loss - (tf.reduce_max(loss) if tilt > 0 else tf.reduce_min(loss)))
        tilted = tf.where(tf.reduce_all(tf.abs(tilted) <= _LARGE), tilted, relative)
        return Weighed(tf.nn.softmax(tilted + tf.math.log(reports["num_examples"])), history)

    return Weighting(
        name="term",
        report_fields=(loss, "num_examples"),
        weigh=weigh,
        non_negative=("num_examples",),
    )


def tilted_loss(losses: tf.Tensor, counts: tf.Tensor, *, tilt: float) -> tf.Tensor:
    """Returns TERM's loss of examples, `1/τ log(Σ_j c_j e^{τ l_j} / Σ_j c_j)` (eq. 2).

    Its gradient is `Σ_j s_j ∇l_j`, where `s` is the softmax of `τ l` (Lemma 1).

    Args:
        losses: `l`, `[batch]`.
        counts: `c`, `[batch]`, 1 for an example and 0 for padding.
        tilt: `τ`, not 0.
    """
    scores = tilt * losses + tf.math.log(counts)
    return (tf.reduce_logsumexp(scores) - tf.math.log(tf.reduce_sum(counts))) / tilt


def tilted_local_loss(tilt: float) -> OverExamples:
    """Returns what clients minimise: `tilted_loss` of every mini-batch."""
    return OverExamples(functools.partial(tilted_loss, tilt=tilt))


def _tilted_loss_before(run: LocalRun, *, tilt: float) -> tf.Tensor:
    """Measures the received model on all of a client's examples; NaN without any.

    A small tilt needs float64: the logarithm is divided by it.
    """

    def add_batch(batch: Any, log_sum: tf.Tensor) -> tf.Tensor:
        losses = tf.cast(run.model.example_losses(run.weights_before, batch), tf.float64)
        return tf.reduce_logsumexp(tf.concat([[log_sum], tilt * losses], axis=0))

    log_sum = over_large_batches(run.data, add_batch, tf.constant(-math.inf, tf.float64))
    return (log_sum - tf.math.log(tf.cast(run.data.num_examples, tf.float64))) / tilt
