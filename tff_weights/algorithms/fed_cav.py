"""FedCav: clients on which the model fails count more, and suspicious rounds are undone."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import ClientWorkWrapper, compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.fed_cav import fed_cav_weighting


def build_fed_cav(
    model: Model,
    *,
    local_training: LocalTraining,
    loss_reduction: str = "mean",
    clip: str = "mean",
    audit: bool = False,
    audit_by: str = "cohort",
    num_clients: int | None = None,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    wrap_client_work: ClientWorkWrapper | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedCav (Zeng et al., ICPP 2021).

    Every client reports the loss of the received model on its training data; the weights are those
    of `fed_cav_weighting`, and `w_{t+1} = Σ weight_i w_i`. With `audit`, the server restores the
    previous model if more than half of the cohort report a larger loss than the largest of the
    round before. That is our reading of the paper's defence against model replacement.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        loss_reduction: `"mean"` over examples, or `"sum"` over mini-batches.
        clip: `"mean"` clips the losses at their mean; `"none"` does not.
        audit: Whether to audit, which undoes rounds with suspicious losses.
        audit_by: What a loss is compared with: `"cohort"`, the largest of the round before, or
            `"client"`, the client's own last one.
        num_clients: The number of clients in all; needed by `audit_by="client"` alone.
        inner_factory: Adds up the weighted updates; by default a plain sum.
        wrap_client_work: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is not one of its documented values.
    """
    return compose_algorithm(
        model,
        local_training=local_training,
        weighting=fed_cav_weighting(
            loss_reduction=loss_reduction,
            clip=clip,
            audit=audit,
            audit_by=audit_by,
            num_clients=num_clients,
        ),
        inner_factory=inner_factory,
        wrap_client_work=wrap_client_work,
    )
