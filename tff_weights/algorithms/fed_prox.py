"""FedProx: FedAvg with a proximal term that keeps clients near the received model."""

from __future__ import annotations

import warnings

import tensorflow_federated as tff

from tff_weights.algorithms.composition import ClientWorkWrapper, compose_algorithm
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.plain import plain_weighting


def build_fed_prox(
    model: Model,
    *,
    local_training: LocalTraining,
    proximal_strength: float,
    weighting: str = "num_examples",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    wrap_client_work: ClientWorkWrapper | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds FedProx (Li et al., MLSys 2020, Algorithm 2).

    Clients minimise `F_i(w) + μ/2 ‖w − w_t‖²`; the server averages by `p_i`.
    TFF 0.87's own `build_weighted_fed_prox` adds the gradient of the proximal term with the
    opposite sign, away from the received model, so its numbers differ.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round; its own proximal strength
            must be 0.
        proximal_strength: `μ ≥ 0`. With 0 this is FedAvg, and a warning says so.
        weighting: `"num_examples"`, `p_i = n_i / Σ_j n_j`; or `"uniform"`, `p_i = 1/K`, as the
            paper's own Algorithm 2 and FedCav's authors average.
        inner_factory: Adds up the weighted updates; by default a plain sum.
        wrap_client_work: See `compose_algorithm`.

    Raises:
        ValueError: If `proximal_strength` is negative or not finite, or given twice, or
            `weighting` is unknown.
    """
    if proximal_strength == 0:
        warnings.warn("proximal_strength=0 makes FedProx FedAvg.", stacklevel=2)
    return compose_algorithm(
        model,
        local_training=local_training.with_proximal_strength(proximal_strength),
        weighting=plain_weighting(weighting),
        inner_factory=inner_factory,
        wrap_client_work=wrap_client_work,
    )
