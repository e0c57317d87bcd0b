"""AFL's weights: the mixture of clients that is worst for the model."""

from __future__ import annotations

import collections

import tensorflow as tf

from tff_weights.checks import NOT_NEGATIVE, check_integer, check_number
from tff_weights.weightings.simplex import nearest_mixture
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized


def afl_weighting(*, num_clients: int, mixture_rate: float = 0.1) -> Weighting:
    """Weighs by AFL's mixture `λ` (Mohri, Sivek and Suresh, ICML 2019, Algorithm 1).

    The objective is `min_w max_λ Σ λ_i F_i(w)`. A round weighs by `λ_t` and then ascends:

    1. `λ̃_i = λ_i + γ F_i`, with `F_i` the loss of the received model on the client's training
       data;
    2. `λ_{t+1}` is the point nearest to `λ̃` whose entries are `≥ 0` and sum to 1.

    The first `λ` is `1/N`.

    Decisions, since all clients of the paper take part: the participants' entries of `λ` are made
    to sum to 1, or are equal if all of them are 0. The others' entries do not ascend, but the
    projection is on the simplex of all clients. The final model is the last one, not the mean over
    the rounds.

    Args:
        num_clients: The number of clients in all, `N`; indices are `0..N−1`.
        mixture_rate: `γ ≥ 0`, how fast `λ` follows the losses; 0 gives the simple mean.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_integer("num_clients", num_clients, least=1)
    check_number("mixture_rate", mixture_rate, NOT_NEGATIVE)

    def initial_history() -> History:
        return collections.OrderedDict(mixture=tf.ones([num_clients]) / num_clients)

    def weigh(history: History, reports: Reports) -> Weighed:
        index = reports["client_index"]
        weights = normalized(tf.gather(history["mixture"], index))
        ascended = tf.tensor_scatter_nd_add(
            history["mixture"], index[:, tf.newaxis], mixture_rate * reports["loss_before"]
        )
        return Weighed(weights, collections.OrderedDict(mixture=nearest_mixture(ascended)))

    return Weighting(
        name="afl",
        report_fields=("client_index", "loss_before"),
        weigh=weigh,
        initial_history=initial_history,
        num_clients=num_clients,
    )
