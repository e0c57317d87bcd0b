"""SCAFFOLD: control variates correct the clients' drift in local training."""

from __future__ import annotations

import dataclasses
import functools
import os

import tensorflow_federated as tff

from tff_weights.algorithms.composition import apply_update, compose_algorithm
from tff_weights.checks import check_path
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.scaffold import ScaffoldWork
from tff_weights.weightings.plain import uniform_weighting


def build_scaffold(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    variates_dir: str | os.PathLike[str],
    server_learning_rate: float = 1.0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds SCAFFOLD with option II (Karimireddy et al., ICML 2020, Algorithm 1).

    Clients train by `ScaffoldWork`; the server takes the plain mean,
    `w_{t+1} = w_t + η_g / K Σ Δ_i`. Every client uploads twice the model's size.

    The clients' variates lie below `variates_dir`, a file per client and round it took part in;
    `prune_client_store` removes those that no resumed run needs. One directory belongs to one
    run.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round; plain SGD.
        num_clients: The number of clients in all.
        variates_dir: The directory of the clients' variates.
        server_learning_rate: The server's rate `η_g > 0`.
        inner_factory: Adds up updates, and changes of the variates; by default plain sums.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_path("variates_dir", variates_dir)
    # An unknown client has no variate to correct it, so its update does not count either.
    weighting = dataclasses.replace(uniform_weighting(), num_clients=num_clients)
    return compose_algorithm(
        model,
        local_training=local_training,
        work=ScaffoldWork(num_clients, variates_dir),
        weighting=weighting,
        server_update=functools.partial(apply_update, learning_rate=server_learning_rate),
        inner_factory=inner_factory,
    )
