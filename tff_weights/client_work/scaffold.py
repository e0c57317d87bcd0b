"""SCAFFOLD's client work: SGD corrected by control variates, which stay with their clients."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import tensorflow as tf

from tff_weights.client_work import training_loop
from tff_weights.client_work.local_model import BoundModel
from tff_weights.client_work.local_training import LocalTraining, check_plain_sgd
from tff_weights.client_work.local_work import Client, LocalWork, Trained
from tff_weights.float_types import computed_in
from tff_weights.structures import zeros_like


class ScaffoldState(NamedTuple):
    """What SCAFFOLD's server keeps.

    Attributes:
        server_variate: `c`, shaped and typed like the trainable weights.
    """

    server_variate: Any


@dataclasses.dataclass(frozen=True)
class ScaffoldWork(LocalWork):
    """SCAFFOLD's client work, option II (Karimireddy et al., ICML 2020, Algorithm 1).

    A local step is `y ← y − η (g(y) − c_i + c)`; after `τ_i` steps
    `c_i⁺ = c_i − c + (w_t − y) / (τ_i η)`, and the server takes
    `c ← c + (1/N) Σ_{i∈S} (c_i⁺ − c_i)`, for the number `N` of clients in all. All variates start
    at zero and have the model's own float type: in half precision an `N`-th part may be too small
    to change `c`. The `c_i` are what clients keep.

    Momentum and proximal term must be 0: `(w_t − y) / (τ_i η)` is the mean gradient for plain SGD
    only. A client whose variate is not finite, or whose index is unknown, changes neither `c` nor
    its own variate. A client that is in a cohort twice counts twice in `c`.
    """

    def check(self, local_training: LocalTraining) -> None:
        """Refuses local training that is not plain SGD.

        Raises:
            ValueError: If there is momentum, a proximal term or another optimizer.
        """
        check_plain_sgd("SCAFFOLD", local_training)

    def initial_state(self, local_training: LocalTraining, specs: Any) -> ScaffoldState:
        """Returns `c = 0`."""
        return ScaffoldState(zeros_like(specs))

    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        """Trains with corrected gradients and estimates the new variate."""
        plan, server_variate = client.plan, client.received.server_variate
        trainable, _ = training_loop.train(
            model,
            local_training,
            weights=client.weights,
            data=client.data,
            plan=plan,
            gradient_correction=tf.nest.map_structure(tf.subtract, server_variate, client.kept),
        )
        # Option II; without steps, or at a rate of 0, the variate stays as it is.
        has_moved = (plan.num_steps > 0) & (plan.learning_rate > 0)
        dtype = computed_in(trainable)
        scale = tf.math.divide_no_nan(
            tf.ones([], dtype), tf.cast(plan.num_steps, dtype) * tf.cast(plan.learning_rate, dtype)
        )
        change = tf.nest.map_structure(
            lambda received, own, c: tf.where(
                has_moved,
                tf.cast(tf.cast(received - own, dtype) * scale, c.dtype) - c,
                tf.zeros_like(c),
            ),
            client.weights.trainable,
            trainable,
            server_variate,
        )
        return Trained(
            trainable,
            kept=tf.nest.map_structure(tf.add, client.kept, change),
            added=tf.nest.map_structure(lambda x: x / self.num_clients, change),
        )

    def next_state(
        self, local_training: LocalTraining, state: ScaffoldState, *, total: Any, **_: Any
    ) -> tuple[ScaffoldState, Any]:
        """Returns the new `c`; the inner factory's measurements are published."""
        return ScaffoldState(tf.nest.map_structure(tf.add, state.server_variate, total)), ()
