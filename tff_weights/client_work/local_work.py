"""What an algorithm's clients do: plain local training, with methods for what may differ."""

from __future__ import annotations

import collections
import dataclasses
import os
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import tensorflow as tf

from tff_weights.checks import check_integer
from tff_weights.client_work import training_loop
from tff_weights.client_work.local_data import LocalData, RoundPlan
from tff_weights.client_work.local_model import BoundModel, ModelWeights
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.structures import chosen


class ServerState(NamedTuple):
    """The server's state for the clients' work.

    Attributes:
        round_number: int32 scalar, how many rounds are done.
        last_round: `[num_clients]` int32, the round in which each client last kept something, 0 the
            first; −1 for never. `()` unless `LocalWork.server_knows_who_kept`.
        own: The algorithm's own state, see `LocalWork.initial_state`.
    """

    round_number: Any
    last_round: Any
    own: Any


class ClientWorkState(NamedTuple):
    """The state of a client work.

    Attributes:
        server: What the server knows.
        inner_sum: The state of the process that adds up what clients `added`; `()` without one.
    """

    server: ServerState
    inner_sum: Any


class Client(NamedTuple):
    """What a client has when its training begins.

    Attributes:
        weights: The received model `w_t`.
        data: Its examples.
        plan: The examples that it visits in this round, and its rate.
        received: What `LocalWork.to_clients` sent.
        movement: float32 scalar `‖w_t − w_{t−1}‖` if `needs_movement`; else `()`.
        has_kept: Bool scalar, whether it kept something in an earlier round, or in the last one if
            the work `keeps_for_next_round`; `()` without a store.
        kept: What it kept last, shaped like `weights.trainable`; zeros if nothing, `()` without a
            store.
    """

    weights: ModelWeights
    data: LocalData
    plan: RoundPlan
    received: Any
    movement: Any = ()
    has_kept: Any = ()
    kept: Any = ()

    def own_model(self) -> Any:
        """Returns the trainable weights that it has kept, or else the received ones."""
        return chosen(self.has_kept, self.kept, self.weights.trainable)


class Trained(NamedTuple):
    """What a client has when its training has ended.

    Attributes:
        trainable: Its own trainable weights `w_i`.
        kept: What it keeps in its store for its next round, shaped like `trainable`; else `()`.
        added: Floats that the inner factory adds up over the clients, such as changes of control
            variates; `()` for nothing.
        row: Scalars by name, the client's row of the server's table; empty for none. Names must not
            be taken, see `cohort_table.check_names`.
    """

    trainable: Any
    kept: Any = ()
    added: Any = ()
    row: Mapping[str, tf.Tensor] = collections.OrderedDict()


@dataclasses.dataclass(frozen=True)
class LocalWork:
    """Plain local training. A subclass overrides the methods in which its algorithm differs.

    `build_client_work` calls the methods inside TensorFlow computations. Nothing of a client is
    kept, added up or gathered if its index is unknown, if it has no examples, or if its weights,
    what it reports of them, what it keeps or what it adds are not finite. Rows are not checked.
    If the weighting leaves a client out for a reason of its own, such as a negative report, what
    the client keeps and adds still counts.

    Attributes:
        num_clients: The number of clients in all, at least 1; indices from 0 to `num_clients − 1`
            are known. `None` if the index is not needed.
        store_dir: The directory where clients keep something, see `ClientStore`. All processes that
            compute for clients must be able to write to it. `None` for no store.
        keeps_for_next_round: Whether what a client keeps is of use in the next round alone. The
            server then need not know who has kept something.
        needs_movement: Whether clients also receive the model's movement, see
            `build_movement_distributor`.
        asks: Whether clients then receive the sum of what they `added`, and `answer`.
    """

    num_clients: int | None = None
    store_dir: str | os.PathLike[str] | None = None
    keeps_for_next_round: ClassVar[bool] = False
    needs_movement: ClassVar[bool] = False
    asks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Checks every argument.

        Raises:
            ValueError: If one is out of range; the message names it.
        """
        if self.num_clients is not None or self.store_dir is not None:
            check_integer("num_clients", self.num_clients, least=1)

    @property
    def server_knows_who_kept(self) -> bool:
        """Whether the server keeps the round in which each client last kept something."""
        return self.store_dir is not None and not self.keeps_for_next_round

    def check(self, local_training: LocalTraining) -> None:
        """Checks that the algorithm allows this local training.

        Raises:
            ValueError: If it does not.
        """

    def knows(self, client_index: tf.Tensor) -> tf.Tensor:
        """Returns whether a client's index is known, a bool scalar."""
        if self.num_clients is None:
            return tf.constant(True)
        return (client_index >= 0) & (client_index < self.num_clients)

    def initial_state(self, local_training: LocalTraining, specs: Any) -> Any:
        """Returns the algorithm's own state at the server, a NamedTuple of tensors.

        Args:
            local_training: The solver's parameters.
            specs: The specs of the trainable weights.
        """
        return ()

    def to_clients(self, state: Any) -> Any:
        """Returns the part of the algorithm's own state that the server sends to the clients."""
        return state

    def num_steps(self, received: Any, client_index: tf.Tensor) -> tf.Tensor | None:
        """Returns a client's steps, an int32 scalar, if the server sets them.

        Args:
            received: What `to_clients` sent.
            client_index: int64 scalar, 0 for an unknown client.
        """
        return None

    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        """Trains one client, small models as one XLA program if local training is compiled.

        Args:
            model: The model, bound to this graph.
            local_training: The solver's parameters.
            client: What it has.
        """
        trainable, _ = training_loop.train(
            model, local_training, weights=client.weights, data=client.data, plan=client.plan
        )
        return Trained(trainable)

    def shares(self, reports: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Returns the factors of the participants' `added`, if clients send rows.

        Args:
            reports: The rows of the participants, `[n]` by name.

        Returns:
            `[n]` float32.
        """
        return tf.ones_like(next(iter(reports.values())), tf.float32)

    def answer(
        self, model: BoundModel, local_training: LocalTraining, client: Client, total: Any
    ) -> Mapping[str, tf.Tensor]:
        """Returns the scalars of one client's answer by name, where the work asks.

        One that is not finite is left out.

        Args:
            model: The model, bound to this graph.
            local_training: The solver's parameters.
            client: What it had before it trained.
            total: The sum of what clients `added`.

        Raises:
            NotImplementedError: If a work that asks does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} asks, and must define answer")

    def next_state(
        self,
        local_training: LocalTraining,
        state: Any,
        *,
        round_number: tf.Tensor,
        reports: Mapping[str, tf.Tensor],
        total: Any,
    ) -> tuple[Any, Any]:
        """Returns the algorithm's next own state, and measurements or `()`.

        Without measurements, the inner factory's are published. A work that asks is also given
        `answers`, the answers by name, `[n]` each.

        Args:
            local_training: The solver's parameters.
            state: The algorithm's own state.
            round_number: int32 scalar, 0 the first.
            reports: The rows of the participants, `[n]` by name; empty without rows.
            total: The sum of what clients `added`; `()` if they add nothing.
        """
        return state, ()
