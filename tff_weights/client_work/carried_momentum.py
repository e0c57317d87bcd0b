"""Client work of momentum SGD in which clients continue with the momentum of their last round."""

from __future__ import annotations

import dataclasses

from tff_weights.client_work import training_loop
from tff_weights.client_work.local_model import BoundModel
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import Client, LocalWork, Trained


@dataclasses.dataclass(frozen=True)
class CarriedMomentum(LocalWork):
    """Plain local training that begins with a client's last momentum.

    FedFa's Algorithm 2 has `m = 0` among its inputs, outside the loop over rounds. In this reading
    each client keeps its own `m`. It begins with 0 in its first round, and continues with `m` in
    its next round, however much later that is. The momenta stay with the clients, as SCAFFOLD's
    variates do. Decision: `m` is kept as the sum of gradients, without the rate that eq. 1
    multiplies by. So a falling rate applies to the whole momentum.

    A client whose momentum is not finite, or whose index is unknown, keeps none.
    """

    def check(self, local_training: LocalTraining) -> None:
        """Refuses local training without momentum, or with a rate that falls from step to step.

        Raises:
            ValueError: If there is no momentum, as with another optimizer, or such a schedule.
        """
        if not local_training.momentum:
            raise ValueError(
                "momentum that is carried on must be above 0, got local_training.momentum="
                f"{local_training.momentum!r}"
            )
        schedule = local_training.learning_rate_schedule
        if schedule is not None and schedule.by == "step":
            raise ValueError(
                "momentum that is carried on needs one rate a round, got "
                f"local_training.learning_rate_schedule={schedule!r}"
            )

    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        """Trains from the momentum that the client has kept."""
        trainable, momentum = training_loop.train(
            model,
            local_training,
            weights=client.weights,
            data=client.data,
            plan=client.plan,
            first_momentum=client.kept,
        )
        return Trained(trainable, kept=momentum)
