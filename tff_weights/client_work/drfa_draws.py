"""What DRFA's server draws for a round: who trains, who reports a loss, where the snapshot is."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf


class DrfaState(NamedTuple):
    """What DRFA's server keeps, and what it has drawn for the next round.

    Attributes:
        mixture: `λ`, `[num_clients]` float32; `()` where it is sent.
        trained: The clients that train, `[clients_per_round]` int32; one may be there twice.
        evaluated: The clients that report a loss, `[clients_per_round]` int32, all different.
        place: How far into training the snapshot is, a float32 scalar in [0, 1).
    """

    mixture: Any
    trained: tf.Tensor
    evaluated: tf.Tensor
    place: tf.Tensor


def draw(mixture: tf.Tensor, clients_per_round: int, key: tf.Tensor) -> DrfaState:
    """Draws `m` clients by their shares `λ`, `m` others uniformly, and the snapshot's place.

    Args:
        mixture: `λ`, `[num_clients]` float32.
        clients_per_round: `m`.
        key: `[2]` integers that seed the draws, see `round_key`.
    """
    m, n = clients_per_round, mixture.shape[0]
    drawn = tf.random.stateless_uniform([m + n + 1], seed=key, alg="philox")
    ends = tf.cumsum(mixture)
    return DrfaState(
        mixture,
        # The last end is above every number drawn, so a client without a share is never found.
        trained=tf.searchsorted(ends / ends[-1], drawn[:m], side="right"),
        evaluated=tf.argsort(drawn[m:-1])[:m],
        place=drawn[-1],
    )


def num_draws(received: DrfaState, client_index: tf.Tensor) -> tf.Tensor:
    """Returns how often a client was drawn to train in this round, an int32 scalar."""
    return tf.math.count_nonzero(is_among(received.trained, client_index), dtype=tf.int32)


def is_among(drawn: tf.Tensor, client_index: tf.Tensor) -> tf.Tensor:
    """Returns where a client stands among those drawn, bools shaped like `drawn`."""
    return tf.equal(tf.cast(drawn, tf.int64), client_index)
