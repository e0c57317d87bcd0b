"""Ditto: every client has a model of its own, which is pulled to the global one."""

from __future__ import annotations

import dataclasses
import os

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.checks import NOT_NEGATIVE, check_number, check_path
from tff_weights.client_work import training_loop
from tff_weights.client_work.local_model import BoundModel, Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.local_work import Client, LocalWork, Trained
from tff_weights.weightings.plain import plain_weighting


def build_ditto(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    store_dir: str | os.PathLike[str],
    personal_strength: float = 1.0,
    weighting: str = "num_examples",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds Ditto (Li et al., ICML 2021, Algorithm 1).

    The global model `w` is FedAvg's. In addition, client `i` takes as many steps from its own
    model, on the same mini-batches and at the same rate,

        v_i ← v_i − η (∇F_b(v_i) + λ (v_i − w_t)),                                            (1)

    so that `v_i` solves `min F_i(v) + λ/2 ‖v − w‖²` (problem Ditto). It keeps `v_i`. The personal
    models stay on the clients' disks, see `ClientStore`, and `OwnModels` reads them;
    `get_model_weights` gives the global one.

    Decisions where the paper is silent: `v_i` begins as the first global model that the client
    receives. A personal model that is not finite is not kept. With momentum, the momentum of (1)
    begins at 0 in every round.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round, for both models; its
            proximal strength must be 0.
        num_clients: The number of clients in all; a client of any other index has no personal
            model, and its update does not count.
        store_dir: The directory of the personal models; the processes that compute for clients
            must be able to write to it. `prune_client_store` removes those that no resumed run
            needs.
        personal_strength: `λ ≥ 0`. With 0 clients train alone.
        weighting: FedAvg's: `"num_examples"`, or `"uniform"` as in the paper, whose clients are
            sampled in proportion to their examples.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_path("store_dir", store_dir)
    return compose_algorithm(
        model,
        local_training=local_training,
        work=_PersonalModel(num_clients, store_dir, personal_strength),
        weighting=dataclasses.replace(plain_weighting(weighting), num_clients=num_clients),
        inner_factory=inner_factory,
    )


@dataclasses.dataclass(frozen=True)
class _PersonalModel(LocalWork):
    strength: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("personal_strength", self.strength, NOT_NEGATIVE)

    def check(self, local_training: LocalTraining) -> None:
        if local_training.proximal_strength:
            raise ValueError(
                "Ditto pulls the personal models alone, by personal_strength: "
                f"local_training.proximal_strength must be 0, got "
                f"{local_training.proximal_strength!r}"
            )

    def train(self, model: BoundModel, local_training: LocalTraining, client: Client) -> Trained:
        global_work = super().train(model, local_training, client)
        personal, _ = training_loop.train(
            model,
            dataclasses.replace(local_training, proximal_strength=self.strength),
            weights=client.weights,
            data=client.data,
            plan=client.plan,
            start=client.own_model(),
        )
        return global_work._replace(kept=personal)
