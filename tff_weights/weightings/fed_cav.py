"""FedCav's weights: the softmax of the clients' losses, and an audit of these losses."""

from __future__ import annotations

import collections
import math

import tensorflow as tf

from tff_weights.checks import check_integer, check_one_of, check_truth_value
from tff_weights.weightings.weighting import (
    History,
    Reports,
    Verdict,
    Weighed,
    Weighting,
    mean_of,
)

_LOSS_FIELDS = {"mean": "loss_before", "sum": "batch_loss_sum_before"}
_CLIPS = ("mean", "none")
_AUDITS = ("cohort", "client")


def fed_cav_weighting(
    *,
    loss_reduction: str = "mean",
    clip: str = "mean",
    audit: bool = False,
    audit_by: str = "cohort",
    num_clients: int | None = None,
) -> Weighting:
    """Weighs by `softmax(min(f_i, mean_j f_j))` (FedCav, ICPP 2021).

    `f_i` is the loss of the received model on the client's training data, before it trains. The
    softmax is the appendix's (section 2), and the authors' code clips. The number of examples plays
    no part.

    The audit is our reading, since the full text was not available. A client's loss is abnormal if
    it exceeds the largest loss of the round before. By another reading it is compared with the
    client's own last loss; the first one is normal. If more than half of the cohort is abnormal,
    the previous model is restored and this round's updates are dropped. After such a round losses
    are still compared with the last round that was not dropped. A round without any remaining
    client is abnormal, too: if the model makes all losses or updates infinite, it would otherwise
    stay broken.

    The audit believes the reports that it checks. One huge loss, reported falsely or measured on
    examples of 1e10, becomes the bound of the next round and disarms the audit
    (`fedcav/disarmed`). It checks honest reports, and is no defence against an attacker who knows
    it.

    Args:
        loss_reduction: `"mean"` over all examples, as in the authors' later code;
            or `"sum"` of the mini-batches' mean losses, as in their first code.
        clip: `"mean"` clips the losses at their mean; `"none"` does not.
        audit: Whether to audit; the weighting then gives a verdict, for which the finalizer must
            be `build_judged_finalizer`'s.
        audit_by: What a loss is compared with: `"cohort"`, the largest of the round before, or
            `"client"`, the client's own last one.
        num_clients: The number of clients in all, `N`, at least 1; needed by `"client"` alone.

    Raises:
        ValueError: If an argument is not one of its documented values.
    """
    check_one_of("loss_reduction", loss_reduction, _LOSS_FIELDS)
    check_one_of("clip", clip, _CLIPS)
    check_one_of("audit_by", audit_by, _AUDITS)
    check_truth_value("audit", audit)
    by_client = audit and audit_by == "client"
    if by_client or num_clients is not None:
        check_integer("num_clients", num_clients, least=1)
    loss_field = _LOSS_FIELDS[loss_reduction]

    def initial_history() -> History:
        if not audit:
            return collections.OrderedDict()
        if by_client:
            return collections.OrderedDict(last_loss=tf.fill([num_clients], math.inf))
        return collections.OrderedDict(largest_loss=tf.constant(math.inf))

    def weigh(history: History, reports: Reports) -> Weighed:
        loss = reports[loss_field]
        clipped = tf.minimum(loss, mean_of(loss)) if clip == "mean" else loss
        weights = tf.nn.softmax(clipped)
        if not audit:
            return Weighed(weights, history)
        ((name, before),) = history.items()
        if by_client:
            index = reports["client_index"]
            bound = tf.gather(before, index)
            after = tf.tensor_scatter_nd_update(before, index[:, tf.newaxis], loss)
        else:
            bound, after = before, tf.reduce_max(loss)
        is_abnormal = tf.cast(loss > bound, tf.float32)
        is_empty = tf.equal(tf.size(loss), 0)
        alarm = is_empty | (tf.reduce_mean(is_abnormal) > 0.5)
        return Weighed(
            weights,
            collections.OrderedDict([(name, tf.where(alarm, before, after))]),
            measurements=collections.OrderedDict(alarm=tf.cast(alarm, tf.int32)),
            verdict=tf.where(alarm, Verdict.RESTORE_PREVIOUS.value, Verdict.APPLY.value),
        )

    return Weighting(
        name="fed_cav",
        report_fields=("client_index", loss_field) if by_client else (loss_field,),
        weigh=weigh,
        initial_history=initial_history,
        gives_verdict=audit,
        num_clients=num_clients if by_client else None,
    )
