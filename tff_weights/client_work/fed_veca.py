"""FedVeca's client work: the server sets each client's steps from the geometry of its gradients."""

from __future__ import annotations

import collections
import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import tensorflow as tf

from tff_weights.checks import BELOW_ONE, check_integer, check_number, check_one_of
from tff_weights.client_work import training_loop
from tff_weights.client_work.local_model import BoundModel
from tff_weights.client_work.local_training import LocalTraining, check_plain_sgd
from tff_weights.client_work.local_work import Client, LocalWork, Trained
from tff_weights.client_work.step_geometry import train_and_measure
from tff_weights.cohort.update_geometry import squared_norm
from tff_weights.structures import chosen, zeros_like
from tff_weights.weightings.weighting import normalized

FEWEST_STEPS = 2
BETA_GRADIENTS = ("full", "mini_batch")
_ROUNDING = 1e-3


class FedVecaState(NamedTuple):
    """What FedVeca's server keeps.

    Attributes:
        num_steps: `[num_clients]` int32, every client's next `τ_i`.
        gradient: `∇F(w_{k−1})`, shaped like the trainable weights; zeros before the first round.
        smoothness: float32 scalar `L`.
    """

    num_steps: Any
    gradient: Any
    smoothness: Any


class FedVecaSent(NamedTuple):
    """What FedVeca's server sends to all clients.

    Attributes:
        num_steps: As in `FedVecaState`.
        squared_gradient_norm: float32 scalar `‖∇F(w_{k−1})‖²`.
    """

    num_steps: Any
    squared_gradient_norm: Any


@dataclasses.dataclass(frozen=True)
class FedVecaWork(LocalWork):
    """FedVeca's client work (Luo et al., IEEE TPDS 2024, Algorithms 1 and 2).

    In round `k` client `i` takes `τ_i` steps of SGD on fresh mini-batches from `w_k`; `g_λ` is the
    gradient of step `λ` at `w^λ`. From round 1 on it also reports

    * `β_i = max_{λ=1..τ−1} ‖∇F_i(w_k) − g_λ‖ / ‖w_k − w^λ‖`,
    * `δ_i = max_{λ=1..τ−1} ‖Σ_{s=0..λ} g_s‖² / ((λ + 1) ‖∇F(w_{k−1})‖²)`,
    * `A_i = η β_i² δ_i`,

    and the server sets `τ_i ← ⌊A_i / (A_i − α min_j A_j)⌋`, at least 2 and at most `most_steps`
    (eq. 16). Decisions where the paper is silent: the first two rounds take `local_training.steps`.
    A client keeps its `τ_i` if its `A_i` is 0 or not finite, or if it does not take part. In `β_i`,
    Algorithm 2 prints the same `∇F_i` at both models, but section IV-D1 says that all gradients are
    of mini-batches. `beta_gradient` chooses.

    Local training has `fresh_batches` and `steps`, the first `τ_i`. As in the paper's analysis,
    momentum and proximal term must be 0, and the rate must not decay.

    With a store, clients keep `∇F_i(w_k)`. After a rejected round it is what they would compute
    again, so they take it from there. This changes no number if a client's examples stay the same
    and the model has no random layers.

    The measurements are `client_index`, `num_steps`, `beta`, `delta` and `a` of the participants
    (`[n]` each), `smoothness` and `eta_tau_smoothness`. `smoothness` is `L`, the largest
    `‖∇F(w_{k−1}) − ∇F(w_{k−2})‖ / ‖w_{k−1} − w_{k−2}‖` so far, at first `‖∇F(w_0)‖ / ‖w_0‖`.
    `eta_tau_smoothness` is `η τ_k L`, which should be at least 1 (figure 6). Unknown measurements
    of round 0 are 0.

    Attributes:
        alpha: `α_k` in [0, 1).
        most_steps: The largest `τ_i`, at least 2.
        beta_gradient: What `β_i` compares `g_λ` with. `"full"`, the gradient at `w_k` of all the
            client's examples, which includes the noise of mini-batches. Or `"mini_batch"`, the
            gradient at `w_k` of step `λ`'s own mini-batch. Both gradients are then of the same
            examples, and each step takes one more gradient.
    """

    alpha: float = 0.95
    most_steps: int = 50
    beta_gradient: str = "full"
    keeps_for_next_round: ClassVar[bool] = True
    needs_movement: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If one is out of range; the message names it.
        """
        check_integer("num_clients", self.num_clients, least=1)
        check_number("alpha", self.alpha, BELOW_ONE)
        check_integer("most_steps", self.most_steps, least=FEWEST_STEPS)
        check_one_of("beta_gradient", self.beta_gradient, BETA_GRADIENTS)

    def check(self, local_training: LocalTraining) -> None:
        """Refuses local training that is not plain SGD at one rate on fresh batches.

        Raises:
            ValueError: If a setting differs; the message names it.
        """
        check_plain_sgd("FedVeca", local_training)
        if local_training.steps is not None and local_training.steps > self.most_steps:
            raise ValueError(
                f"most_steps must be at least the first steps, local_training.steps="
                f"{local_training.steps}, got {self.most_steps}"
            )
        needed = {
            **{"fresh_batches": True, "extra_step_from": None},
            **{"learning_rate_schedule": None, "learning_rate_decay": 1.0},
        }
        for name, value in needed.items():
            if (given := getattr(local_training, name)) != value:
                raise ValueError(f"FedVeca needs local_training.{name} = {value}, got {given!r}")

    def initial_state(self, local_training: LocalTraining, specs: Any) -> FedVecaState:
        """Returns the first steps, and zeros."""
        first_steps = tf.fill([self.num_clients], tf.constant(local_training.steps, tf.int32))
        return FedVecaState(first_steps, zeros_like(specs), tf.constant(0.0))

    def to_clients(self, state: FedVecaState) -> FedVecaSent:
        """Returns all clients' steps and `‖∇F(w_{k−1})‖²`."""
        return FedVecaSent(state.num_steps, squared_norm(state.gradient))

    def num_steps(self, received: FedVecaSent, client_index: tf.Tensor) -> tf.Tensor:
        """Returns the client's `τ_i`."""
        return tf.gather(received.num_steps, client_index)

    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        """Trains and measures `β_i` and `δ_i` (Algorithm 2)."""
        gradient = self._full_gradient(model, local_training, client)
        trainable, beta, delta = train_and_measure(
            model,
            local_training,
            weights=client.weights,
            data=client.data,
            plan=client.plan,
            gradient=gradient,
            squared_gradient_norm=client.received.squared_gradient_norm,
            same_batch=self.beta_gradient == "mini_batch",
        )
        row = collections.OrderedDict(
            client_index=client.data.client_index,
            num_examples=tf.cast(client.data.num_examples, tf.float32),
            num_steps=client.plan.num_steps,
            beta=beta,
            delta=delta,
            movement=client.movement,
        )
        kept = () if self.store_dir is None else gradient
        return Trained(trainable, kept=kept, added=gradient, row=row)

    def _full_gradient(
        self, model: BoundModel, local_training: LocalTraining, client: Client
    ) -> Any:
        compute = functools.partial(
            training_loop.mean_gradient,
            model,
            weights=client.weights,
            data=client.data,
            padded=local_training.compile_with_xla,
        )
        if self.store_dir is None:
            return compute()
        is_known = client.has_kept & tf.equal(client.movement, 0.0)
        return tf.cond(is_known, lambda: client.kept, compute)

    def shares(self, reports: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Returns `p_i`, so that the sum is `∇F(w_k) = Σ p_i ∇F_i(w_k)`."""
        return normalized(reports["num_examples"])

    def next_state(
        self,
        local_training: LocalTraining,
        state: FedVecaState,
        *,
        round_number: tf.Tensor,
        reports: Mapping[str, tf.Tensor],
        total: Any,
    ) -> tuple[FedVecaState, Any]:
        """Sets the steps (eq. 16), and estimates `L` (Algorithm 1, lines 16–20)."""
        rate, index = local_training.learning_rate, reports["client_index"]
        # The first round has no earlier gradient to compare with.
        delta = tf.where(round_number > 0, reports["delta"], 0.0)
        a = rate * reports["beta"] ** 2 * delta
        # Without participants the total is 0, and no gradient is known.
        gradient = chosen(tf.size(index) > 0, total, state.gradient)
        change = tf.nest.map_structure(tf.subtract, gradient, state.gradient)
        # All clients received the same movement; without clients it is 0.
        movement = tf.reduce_sum(reports["movement"][:1])
        smoothness = tf.math.divide_no_nan(tf.sqrt(squared_norm(change)), movement)
        mean_steps = tf.reduce_sum(self.shares(reports) * tf.cast(reports["num_steps"], tf.float32))
        next_state = FedVecaState(
            num_steps=self._next_steps(state.num_steps, index, a),
            gradient=gradient,
            smoothness=tf.maximum(state.smoothness, smoothness),
        )
        return next_state, collections.OrderedDict(
            client_index=index,
            num_steps=reports["num_steps"],
            beta=reports["beta"],
            delta=delta,
            a=a,
            smoothness=state.smoothness,
            eta_tau_smoothness=rate * mean_steps * state.smoothness,
        )

    def _next_steps(self, num_steps: tf.Tensor, client_index: tf.Tensor, a: tf.Tensor) -> tf.Tensor:
        """Returns every client's next `τ_i` (eq. 16), `[num_clients]` int32."""
        usable = tf.math.is_finite(a) & (a > 0)
        least = tf.reduce_min(tf.where(usable, a, math.inf))
        # 1 / (1 − 0.95) is 20, but slightly less in floating point.
        wanted = tf.floor(a / (a - self.alpha * least) + _ROUNDING)
        limited = tf.clip_by_value(wanted, float(FEWEST_STEPS), float(self.most_steps))
        chosen = tf.where(usable, tf.cast(limited, tf.int32), tf.gather(num_steps, client_index))
        return tf.tensor_scatter_nd_update(num_steps, client_index[:, tf.newaxis], chosen)
