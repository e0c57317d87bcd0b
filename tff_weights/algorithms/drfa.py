"""DRFA: clients train as often as they are drawn from the mixture that is worst for the model."""

from __future__ import annotations

from typing import Any

import tensorflow_federated as tff

from tff_weights.algorithms.composition import compose_algorithm
from tff_weights.client_work.drfa import DrfaWork
from tff_weights.client_work.drfa_draws import num_draws
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining
from tff_weights.client_work.reports import ReportField
from tff_weights.weightings.weighting import History, Reports, Weighed, Weighting, normalized

_DRAWS = ReportField("num_draws", lambda run: num_draws(run.received, run.data.client_index))


def build_drfa(
    model: Model,
    *,
    local_training: LocalTraining,
    num_clients: int,
    clients_per_round: int,
    mixture_rate: float = 0.01,
    sampling_seed: int = 0,
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds DRFA (Deng, Kamani and Mahdavi, NeurIPS 2020, Algorithm 1).

    The objective is AFL's, `min_w max_λ Σ λ_i F_i(w)`. In each round `m` clients are drawn from `λ`
    with replacement. They train, and each counts in the mean as often as it was drawn. `DrfaWork`
    then ascends on `λ` at a snapshot of their training.

    The process itself draws. It must be given the clients that `clients_of_round` names. Others may
    be given, and do nothing; one that is missing is left out.

    Decisions: a client's loss is over all of its training examples, where the paper takes one
    mini-batch. Where the clients' steps differ, `t'` is as far into each one's training, and `τ` is
    the mean over those drawn. The final model is the last one, not the mean over all steps.

    Args:
        model: See `compose_algorithm`.
        local_training: What a client does with its data in one round.
        num_clients: The number of clients in all, `N`.
        clients_per_round: `m`, from 1 to `num_clients`: how many train, and how many report a
            loss.
        mixture_rate: `γ ≥ 0`, how fast the mixture follows the losses; with 0 clients are drawn
            uniformly.
        sampling_seed: Seeds the draws, together with the round.
        inner_factory: Adds up the weighted updates, and the snapshots; by default plain sums.

    Raises:
        ValueError: If an argument is outside its documented range.
    """

    def weigh(history: History, reports: Reports) -> Weighed:
        return Weighed(normalized(reports["num_draws"]), history)

    return compose_algorithm(
        model,
        local_training=local_training,
        work=DrfaWork(
            num_clients,
            clients_per_round=clients_per_round,
            mixture_rate=mixture_rate,
            sampling_seed=sampling_seed,
        ),
        weighting=Weighting("drfa", (_DRAWS,), weigh, num_clients=num_clients),
        inner_factory=inner_factory,
    )


def clients_of_round(state: Any) -> list[int]:
    """Returns the indices of the clients of the next round of DRFA, sorted.

    Args:
        state: That of a process of `build_drfa` before the round.
    """
    drawn = state.client_work.server.own
    return sorted({*map(int, drawn.trained), *map(int, drawn.evaluated)})
