"""AAggFF-D's weights: online decisions by exponentiated gradients, for many clients."""

from __future__ import annotations

import collections
import math

import tensorflow as tf

from tff_weights.checks import check_integer, check_one_of
from tff_weights.weightings.responses import DISTRIBUTIONS, bounded_responses
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized


def aagg_ff_d_weighting(*, num_clients: int, distribution: str = "weibull") -> Weighting:
    """Weighs by AAggFF-D's decisions, for sampled clients (Hahn et al., ICML 2024, Algorithm 3).

    A decision `p` is a mixture of the `N` clients. In round `t`, 1 the first, `n` of them take
    part, `C = n/N`, and `F_i` is the loss of the received model on the client's training data:

    1. `r_i = C · CDF(F_i / mean F)`, the response of a participant, and `r̄` the mean response;
    2. `r̆_i = r̄`, for a participant `r̄ + (r_i − r̄) / C`: unbiased, with a small variance;
    3. `g̃_i = −r̆_i / (1 + r̄) + r̄ <p_t, r̆ − r̄> / (1 + r̄)²`, the gradient of `−log(1 + <p, r>)`,
       linear in `r` around `r̄`;
    4. `p_{t+1,i} ∝ exp(−Σ_τ g̃_{τ,i} √(log N) / ((2 + C) √(t + 1)))`;
    5. the weights are `p_{t+1}` of the participants, made to sum to 1.

    The first `p` is `1/N`. Step 2 is the usual doubly robust estimate, since the paper's full text
    was not available. In the authors' code a participant's `r̆_i` lacks the summand `r̄`, so that
    participants lose weight.

    Decision: clients that report a negative loss are left out.

    Args:
        num_clients: The number of clients in all, `N`; indices are `0..N−1`.
        distribution: Whose distribution function bounds the responses, see `DISTRIBUTIONS`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_integer("num_clients", num_clients, least=1)
    check_one_of("distribution", distribution, DISTRIBUTIONS)

    def initial_history() -> History:
        return collections.OrderedDict(
            decision=tf.ones([num_clients]) / num_clients,
            gradients=tf.zeros([num_clients]),
            rounds=tf.constant(0, tf.int64),
        )

    def weigh(history: History, reports: Reports) -> Weighed:
        index = reports["client_index"]
        share = tf.cast(tf.size(index), tf.float32) / num_clients  # C
        response = bounded_responses(reports["loss_before"], distribution, most=share)
        mean = tf.reduce_mean(response)
        deviation = tf.scatter_nd(  # r̆ − r̄, eq. 2
            index[:, tf.newaxis], (response - mean) / share, [num_clients]
        )
        along = tf.tensordot(history["decision"], deviation, 1)
        gradient = -(mean + deviation) / (1.0 + mean) + mean * along / (1.0 + mean) ** 2  # eq. 3
        gradients, rounds = history["gradients"] + gradient, history["rounds"] + 1
        rate = math.sqrt(math.log(num_clients)) / (
            (2.0 + share) * tf.sqrt(tf.cast(rounds + 1, tf.float32))
        )
        decision = tf.nn.softmax(-rate * gradients)  # eq. 4
        return Weighed(
            normalized(tf.gather(decision, index)),
            collections.OrderedDict(decision=decision, gradients=gradients, rounds=rounds),
        )

    return Weighting(
        name="aagg_ff_d",
        report_fields=("client_index", "loss_before"),
        weigh=weigh,
        initial_history=initial_history,
        num_clients=num_clients,
        non_negative=("loss_before",),
    )
