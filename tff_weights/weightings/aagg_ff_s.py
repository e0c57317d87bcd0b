"""AAggFF-S's weights: decisions of a portfolio's online Newton step, for few clients."""

from __future__ import annotations

import collections

import tensorflow as tf

from tff_weights.checks import check_integer, check_one_of
from tff_weights.weightings.responses import DISTRIBUTIONS, bounded_responses
from tff_weights.weightings.simplex import least_quadratic
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized


def aagg_ff_s_weighting(*, num_clients: int, distribution: str = "weibull") -> Weighting:
    """Weighs by AAggFF-S's decisions, for few clients (Hahn et al., ICML 2024, Algorithm 2).

    A decision `p` is a mixture of the `N` clients. In round `t`, with `F_i` the loss of the
    received model on the client's training data:

    1. `r_i = CDF(F_i / mean F) / N`, the response;
    2. `g_t = −r / (1 + <p_t, r>)`, the gradient of `−log(1 + <p, r>)` at `p_t`;
    3. `p_{t+1} = argmin Σ_τ <g_τ, p> + α/2 ‖p‖² + β/2 Σ_τ <g_τ, p − p_τ>²` over the simplex, with
       `α = 4` and `β = N/4`, the online Newton step;
    4. the weights are `p_{t+1}`.

    The first `p` is `1/N`. Step 3 is Hazan, Agarwal and Kale's of 2007, since the paper's full text
    was not available. In the authors' code its last sum is of `<g_τ, p>²`, and the sum's matrix has
    an additional `α` on the diagonal.

    Decisions: all clients should take part. The response of one that is absent is 0, as in their
    code, and the participants' weights are made to sum to 1. Clients that report a negative loss
    are left out.

    Args:
        num_clients: The number of clients in all, `N`; indices are `0..N−1`. The history holds
            `N²` numbers.
        distribution: Whose distribution function bounds the responses, see `DISTRIBUTIONS`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_integer("num_clients", num_clients, least=1)
    check_one_of("distribution", distribution, DISTRIBUTIONS)
    alpha, beta = 4.0, num_clients / 4.0

    def initial_history() -> History:
        return collections.OrderedDict(
            decision=tf.ones([num_clients]) / num_clients,
            gradients=tf.zeros([num_clients]),
            squares=tf.zeros([num_clients, num_clients]),
            crosses=tf.zeros([num_clients]),
        )

    def weigh(history: History, reports: Reports) -> Weighed:
        index = reports["client_index"]
        of_cohort = bounded_responses(reports["loss_before"], distribution, most=1 / num_clients)
        response = tf.tensor_scatter_nd_add(
            tf.zeros([num_clients]), index[:, tf.newaxis], of_cohort
        )
        decision = history["decision"]
        gradient = -response / (1.0 + tf.tensordot(decision, response, 1))  # eq. 2
        gradients = history["gradients"] + gradient
        squares = history["squares"] + gradient * gradient[:, tf.newaxis]
        crosses = history["crosses"] + tf.tensordot(gradient, decision, 1) * gradient
        matrix, linear, start = (
            tf.cast(x, tf.float64)
            for x in (
                alpha * tf.eye(num_clients) + beta * squares,
                gradients - beta * crosses,
                decision,
            )
        )
        new = tf.cast(least_quadratic(matrix, linear, start), tf.float32)  # eq. 3
        return Weighed(
            normalized(tf.gather(new, index)),
            collections.OrderedDict(
                decision=new, gradients=gradients, squares=squares, crosses=crosses
            ),
        )

    return Weighting(
        name="aagg_ff_s",
        report_fields=("client_index", "loss_before"),
        weigh=weigh,
        initial_history=initial_history,
        num_clients=num_clients,
        non_negative=("loss_before",),
    )
