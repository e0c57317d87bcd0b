"""WeiAvg: clients with diverse data count more."""

from __future__ import annotations

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.algorithms.measuring import with_measurements
from tff_weights.client_work.labels import CorrectFn
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.weightings.wei_avg import wei_avg_weighting


def build_wei_avg(
    model: Model,
    *,
    local_training: LocalTraining,
    by: str = "projection",
    exponent: float = 1.0,
    shift: float = 0.1,
    transform: str = "range",
    multiply_by_num_examples: bool = False,
    proximal_strength: float = 0.0,
    measured: str = "",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
    correct_fn: CorrectFn | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds WeiAvg (Dong et al. 2023, Algorithms 1 and 2), also together with FedProx.

    The weights are those of `wei_avg_weighting`, and `w_{t+1} = w_t + Σ weight_i Δ_i`.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round; its own proximal strength
            must be 0.
        by: `"entropy"` of the labels (Algorithm 1), or `"projection"` (Algorithm 2).
        exponent: `λ ≥ 0`; 0 gives the simple mean.
        shift: The distance from 0 of the least diverse client, `> 0`.
        transform: Whether `shift` is in units of the cohort's `"range"` of diversities or a
            `"constant"`; see `wei_avg_weighting`.
        multiply_by_num_examples: Whether each weight is multiplied by `n_i`.
        proximal_strength: FedProx's `μ ≥ 0`; the paper combines both with 0.05.
        measured: What else is measured of every participant; see `with_measurements`.
        inner_factory: Forms the mean update and adds up the weighted ones; by default plain sums.
        correct_fn: See `compose_algorithm`; for accuracies that are `measured`.

    Raises:
        ValueError: If an argument is outside its documented range, or the proximal strength is
            given twice.
    """
    return compose_algorithm(
        model,
        local_training=local_training.with_proximal_strength(proximal_strength),
        weighting=with_measurements(
            wei_avg_weighting(
                by=by,
                exponent=exponent,
                shift=shift,
                transform=transform,
                multiply_by_num_examples=multiply_by_num_examples,
            ),
            measured,
        ),
        inner_factory=inner_factory,
        correct_fn=correct_fn,
    )
