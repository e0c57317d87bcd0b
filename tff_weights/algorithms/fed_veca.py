"""FedVeca: the server sets the clients' local steps and rejects rounds that raise the loss."""

from __future__ import annotations

import dataclasses
import os

import tensorflow_federated as tff

from tff_weights.algorithms.acceptance import accept_if_averaged_loss_falls
from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.checks import check_one_of, check_truth_value
from tff_weights.client_work.fed_veca import FEWEST_STEPS, FedVecaWork
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.acceptance import accept_if_loss_falls
from tff_weights.weightings.fed_nova import fed_nova_weighting

ACCEPTANCE_LOSSES = ("local_models", "averaged_model")


def build_fed_veca(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    alpha: float = 0.95,
    most_steps: int = 50,
    reject_worse: bool = True,
    acceptance_loss: str = "local_models",
    beta_gradient: str = "full",
    store_dir: str | os.PathLike[str] | None = None,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedVeca (Luo et al., IEEE TPDS 2024, Algorithms 1 and 2).

    Clients take `τ_i` steps, set by `FedVecaWork` (eq. 16). The server steps by
    `w_{k+1} = w_k − η τ_k Σ p_i G_i` (eq. 6), which are FedNova's weights. It rejects the round if
    the loss rises. In the paper all clients take part in every round; here clients that do not take
    part keep their `τ_i`.

    Args:
        model: See `compose_algorithm`.
        local_training: Batch size and rate. `steps`, the first `τ_i`, must be given and be at least
            2, as in the paper. Every step draws a fresh mini-batch.
        num_clients: The number of clients in all.
        alpha: `α_k` in [0, 1).
        most_steps: The most local steps that a client takes, the largest `τ_i ≥ 2`.
        reject_worse: Whether to reject rounds that raise the loss; without it all are applied. If
            the cohort is not always the same, a round is compared with rounds of other clients,
            and few are accepted: then set it to False.
        acceptance_loss: Whose loss decides that. `"local_models"`, those that the clients have
            trained, as eq. 4 has it (`weightings.acceptance.accept_if_loss_falls`). Or
            `"averaged_model"`: the new global model, as the paper's words around eq. 4 have it
            (`accept_if_averaged_loss_falls`).
        beta_gradient: See `FedVecaWork`.
        store_dir: A directory of this run, where clients keep their full gradients. They need not
            compute them again after a rejected round then. None to compute them always; it is not
            used without rejections.
        inner_factory: Adds up updates and gradients; by default plain sums.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    if local_training.steps is None or local_training.steps < FEWEST_STEPS:
        raise ValueError(
            f"FedVeca's server sets the steps: local_training.steps must be the first, >= "
            f"{FEWEST_STEPS}, and epochs None; got steps={local_training.steps} and "
            f"epochs={local_training.epochs}"
        )
    check_one_of("acceptance_loss", acceptance_loss, ACCEPTANCE_LOSSES)
    check_truth_value("reject_worse", reject_worse)
    by_averaged_model = acceptance_loss == "averaged_model"
    if by_averaged_model and not reject_worse:
        raise ValueError(
            f"acceptance_loss={acceptance_loss!r} decides which rounds are rejected, and "
            "reject_worse=False rejects none; leave one of them out"
        )
    # The server sets no steps for an unknown client, so its update does not count either.
    weighting = dataclasses.replace(fed_nova_weighting(), num_clients=num_clients)
    if reject_worse and not by_averaged_model:
        weighting = accept_if_loss_falls(weighting)
    work = FedVecaWork(
        num_clients,
        store_dir if reject_worse else None,
        alpha=alpha,
        most_steps=most_steps,
        beta_gradient=beta_gradient,
    )
    process = compose_algorithm(
        model,
        local_training=dataclasses.replace(local_training, fresh_batches=True),
        work=work,
        weighting=weighting,
        inner_factory=inner_factory,
    )
    if by_averaged_model:
        return accept_if_averaged_loss_falls(process, model, local_training, work=work)
    return process
