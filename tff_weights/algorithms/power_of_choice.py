"""Power-of-Choice: the clients with the largest losses among some candidates take part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import tensorflow_federated as tff

from tff_weights.algorithms.fed_avg import build_fed_avg
from tff_weights.checks import check_integer
from tff_weights.client_work.local_model import Model
from tff_weights.client_work.local_training import LocalTraining


def build_power_of_choice(
    model: Model,
    *,
    local_training: LocalTraining,
    num_candidates: int = 20,
    weighting: str = "uniform",
    inner_factory: tff.aggregators.UnweightedAggregationFactory | None = None,
) -> tff.learning.templates.LearningProcess:
    """Builds the process of Power-of-Choice (Cho et al., AISTATS 2022), the same as FedAvg's.

    Only the choice of the cohort differs, and it is made outside the learning process. In each
    round `d` candidates are drawn in proportion to their examples, without replacement. They report
    their losses `F_k(w_t)`. The `m` with the largest ones train, see `largest_losses`. The programs
    do so.

    Args:
        model: See `compose_algorithm`.
        local_training: See `compose_algorithm`.
        num_candidates: `d`, at least the number `m` of clients of a round. With `d = m` the losses
            have no effect.
        weighting: `"uniform"`, `1/m`, as in the paper; or `"num_examples"`.
        inner_factory: See `compose_algorithm`.

    Raises:
        ValueError: If an argument is outside its documented range.
    """
    check_integer("num_candidates", num_candidates, least=1)
    return build_fed_avg(
        model, local_training=local_training, weighting=weighting, inner_factory=inner_factory
    )


def largest_losses(
    candidates: Sequence[int], losses: npt.ArrayLike, *, num_chosen: int
) -> list[int]:
    """Returns the candidates with the largest losses, sorted by their indices.

    Decisions: with equal losses the smaller index wins, while the paper draws. A candidate whose
        loss is not a number comes last.

    Args:
        candidates: Indices of clients, sorted.
        losses: The loss of each.
        num_chosen: `m`, how many are chosen.
    """
    # NumPy sorts NaN to the end.
    places = np.argsort(-np.asarray(losses, np.float64), kind="stable")[:num_chosen]
    return sorted(candidates[place] for place in places)
