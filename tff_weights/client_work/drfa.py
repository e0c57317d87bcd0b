"""DRFA's client work: a server that draws who trains, and a snapshot of training that ascends."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import tensorflow as tf

from tff_weights.checks import NOT_NEGATIVE, check_integer, check_number
from tff_weights.client_work import training_loop
from tff_weights.client_work.client_work import compiled_loss
from tff_weights.client_work.drfa_draws import DrfaState, draw, is_among, num_draws
from tff_weights.client_work.local_model import BoundModel, ModelWeights
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import Client, LocalWork, Trained
from tff_weights.client_work.random_numbers import round_key
from tff_weights.structures import chosen
from tff_weights.weightings.simplex import nearest_mixture
from tff_weights.weightings.weighting import normalized

# Such an entry takes the whole mixture in any case, and sums stay finite.
_LARGEST = 1e30


@dataclasses.dataclass(frozen=True)
class DrfaWork(LocalWork):
    """DRFA's client work (Deng, Kamani and Mahdavi, NeurIPS 2020, Algorithm 1).

    1. A client that is drawn trains; `w_i^{(t')}` are its weights after `t'` of its `τ` steps, with
       `t'` uniform in `1..τ` and the same for all.
    2. The snapshot is `w' = (1/m) Σ_{i∈D} w_i^{(t')}`, each client as often as it was drawn.
    3. A second sample `U` of `m` clients, drawn uniformly and without replacement, reports its
       losses: `v_i = (N/m) F_i(w')` for `i ∈ U`, else 0.
    4. `λ ← Π(λ + τ γ v)`, with `Π` the projection on the simplex; the first `λ` is `1/N`.

    A client that was not drawn takes no step.

    Attributes:
        clients_per_round: `m`, from 1 to `num_clients`.
        mixture_rate: `γ ≥ 0`.
        sampling_seed: Seeds all draws, together with the round.
    """

    num_clients: int = 1
    clients_per_round: int = 1
    mixture_rate: float = 0.01
    sampling_seed: int = 0
    asks: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If one is out of range; the message names it.
        """
        check_integer("num_clients", self.num_clients, least=1)
        check_integer(
            "clients_per_round", self.clients_per_round, least=1, below=self.num_clients + 1
        )
        check_number("mixture_rate", self.mixture_rate, NOT_NEGATIVE)
        check_integer("sampling_seed", self.sampling_seed, least=0)

    def initial_state(self, local_training: LocalTraining, specs: Any) -> DrfaState:
        """Returns `λ = 1/N`, and what the first round has drawn."""
        return self._draw(normalized(tf.ones([self.num_clients])), tf.constant(0))

    def to_clients(self, state: DrfaState) -> DrfaState:
        """Returns what was drawn."""
        return state._replace(mixture=())

    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        """Trains if the client was drawn, and keeps the weights after `t'` steps."""
        draws = num_draws(client.received, client.data.client_index)
        num_steps = tf.where(draws > 0, client.plan.num_steps, 0)
        place = tf.cast(client.received.place * tf.cast(num_steps, tf.float32), tf.int32)
        last = tf.minimum(1 + place, num_steps)  # `t'`.

        def observe(snapshot: Any, step: tf.Tensor, trainable: Any, _: Any) -> Any:
            return chosen(tf.equal(step, last), trainable, snapshot)

        trainable, snapshot = training_loop.train(
            model,
            local_training,
            weights=client.weights,
            data=client.data,
            plan=client.plan._replace(num_steps=num_steps),
            observe=observe,
            first_observation=client.weights.trainable,
        )
        # No step begins at the weights after the last one.
        snapshot = chosen(tf.equal(last, num_steps), trainable, snapshot)
        return Trained(
            trainable,
            added=tf.nest.map_structure(tf.subtract, snapshot, client.weights.trainable),
            row=collections.OrderedDict(draws=draws, num_steps=num_steps),
        )

    def shares(self, reports: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Returns `1/m` times how often each was drawn."""
        return normalized(tf.cast(reports["draws"], tf.float32))

    def answer(
        self, model: BoundModel, local_training: LocalTraining, client: Client, total: Any
    ) -> Mapping[str, tf.Tensor]:
        """Returns the loss at the snapshot, which is not a number for who is not in `U`."""
        index = client.data.client_index
        is_asked = tf.reduce_any(is_among(client.received.evaluated, index))
        evaluate = compiled_loss(local_training, model)
        snapshot = tf.nest.map_structure(tf.add, client.weights.trainable, total)
        loss = evaluate(
            weights=ModelWeights(snapshot, client.weights.non_trainable),
            # Of no examples there is no loss, and no pass over the data.
            data=client.data._replace(num_examples=tf.where(is_asked, client.data.num_examples, 0)),
        )["loss"]
        return collections.OrderedDict(client_index=index, loss=tf.cast(loss, tf.float32))

    def next_state(
        self,
        local_training: LocalTraining,
        state: DrfaState,
        *,
        round_number: tf.Tensor,
        reports: Mapping[str, tf.Tensor],
        answers: Mapping[str, tf.Tensor] | None = None,
        **_: Any,
    ) -> tuple[DrfaState, Any]:
        """Ascends, and draws for the next round; the inner factory's measurements are published."""
        assert answers is not None
        tau = tf.reduce_sum(self.shares(reports) * tf.cast(reports["num_steps"], tf.float32))
        scale = self.num_clients / self.clients_per_round
        v = tf.tensor_scatter_nd_update(
            tf.zeros_like(state.mixture),
            answers["client_index"][:, tf.newaxis],
            tf.minimum(scale * answers["loss"], _LARGEST),
        )
        ascended = tf.minimum(state.mixture + self.mixture_rate * tau * v, _LARGEST)
        return self._draw(nearest_mixture(ascended), round_number + 1), ()

    def _draw(self, mixture: tf.Tensor, round_number: tf.Tensor) -> DrfaState:
        key = round_key(self.sampling_seed, round_number, tf.constant(-1))
        return draw(mixture, self.clients_per_round, key)
