"""FedFa's weights: low accuracy and frequent participation carry more information."""

from __future__ import annotations

import collections
import math

import tensorflow as tf

from tff_weights.checks import SHARE, Range, check_integer, check_number, check_one_of
from tff_weights.weightings.weighting import (
    History,
    Reports,
    Weighed,
    Weighting,
    normalized,
)

_ACCURACY_FIELDS = {"after": "accuracy_after", "before": "accuracy_before"}


def fed_fa_weighting(
    *,
    num_clients: int,
    alpha: float = 0.5,
    beta: float = 0.5,
    accuracy_at: str = "after",
    epsilon: float = 1e-10,
) -> Weighting:
    """Weighs by the information in training accuracy and participation (FedFa eq. 9–15).

    The history counts how often each client took part, this round included.

    Args:
        num_clients: The number of clients in all, `N`; indices are `0..N−1`.
        alpha: Weight of the accuracy's information, in [0, 1].
        beta: Weight of the participation's information; `alpha + beta` must be 1.
        accuracy_at: Which model's accuracy on the client's training set counts: `"after"` local
            training or `"before"` it. The paper does not say; "the client trains the model
            locally and sends the training accuracy" is read as after.
        epsilon: The constant `c` inside the logarithms of 0 (eq. 11, 12), unnamed in the paper.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_integer("num_clients", num_clients, least=1)
    for name, value in (("alpha", alpha), ("beta", beta)):
        check_number(name, value, SHARE)
    if not math.isclose(alpha + beta, 1.0):
        raise ValueError(f"alpha and beta must sum to 1, got alpha={alpha!r}, beta={beta!r}")
    check_one_of("accuracy_at", accuracy_at, _ACCURACY_FIELDS)
    check_number("epsilon", epsilon, Range("a number in (0, 1)", lambda x: 0 < x < 1))
    accuracy_field = _ACCURACY_FIELDS[accuracy_at]

    def initial_history() -> History:
        return collections.OrderedDict(participations=tf.zeros([num_clients], tf.int64))

    def weigh(history: History, reports: Reports) -> Weighed:
        participations = tf.tensor_scatter_nd_add(
            history["participations"],
            reports["client_index"][:, tf.newaxis],
            tf.ones_like(reports["client_index"]),
        )
        frequency = tf.cast(tf.gather(participations, reports["client_index"]), tf.float32)
        accuracy_share = _shares(reports[accuracy_field])  # eq. 9
        frequency_share = _shares(frequency)  # eq. 10
        accuracy_information = normalized(_information(accuracy_share, epsilon))  # eq. 11, 13
        frequency_information = normalized(
            _information(1.0 - frequency_share, epsilon)  # eq. 12, 14
        )
        weights = alpha * accuracy_information + beta * frequency_information  # eq. 15
        return Weighed(weights, collections.OrderedDict(participations=participations))

    return Weighting(
        name="fed_fa",
        report_fields=("client_index", accuracy_field),
        weigh=weigh,
        initial_history=initial_history,
        num_clients=num_clients,
    )


def _shares(values: tf.Tensor) -> tf.Tensor:
    """Returns `values / Σ values`, zeros where all are 0."""
    return tf.math.divide_no_nan(values, tf.reduce_sum(values))


def _information(probability: tf.Tensor, epsilon: float) -> tf.Tensor:
    """Returns `−log₂ p`, of `p + epsilon` where `p` is 0, in bits."""
    positive = tf.where(probability > 0, probability, epsilon)
    return -tf.math.log(positive) / math.log(2.0)
