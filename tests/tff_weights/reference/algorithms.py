"""One round of each algorithm: `(weights, cohort, memory, parameters) → weights`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference import weights as reference_weights
from reference.simulation import Participant

Memory = dict[str, Any]


def fed_avg(
    w: np.ndarray, cohort: Sequence[Participant], memory: Memory, *, weighting: str = "num_examples"
) -> np.ndarray:
    return _shares(cohort, weighting) @ np.stack([client.train(w).weights for client in cohort])


def q_fed_avg(
    w: np.ndarray, cohort: Sequence[Participant], memory: Memory, *, q: float
) -> np.ndarray:
    """q-FFL, Algorithm 2."""
    numerator, denominator = np.zeros_like(w), 0.0
    for client in cohort:
        lipschitz = 1 / client.learning_rate
        loss = client.loss(w) + 1e-10
        delta = lipschitz * (w - client.train(w).weights)
        numerator += loss**q * delta
        denominator += q * loss ** (q - 1) * (delta @ delta) + lipschitz * loss**q
    return w - numerator / denominator


def fed_fa(
    w: np.ndarray,
    cohort: Sequence[Participant],
    memory: Memory,
    *,
    alpha: float,
    accuracy_at: str = "after",
    **server: Any,
) -> np.ndarray:
    """FedFa, Algorithm 2."""
    participations = memory.setdefault("participations", {})
    for client in cohort:
        participations[client.index] = participations.get(client.index, 0) + 1
    trained = [client.train(w).weights for client in cohort]
    accuracies = [
        client.accuracy(w_i if accuracy_at == "after" else w)
        for client, w_i in zip(cohort, trained)
    ]
    weights = reference_weights.fed_fa(
        accuracies,
        [participations[client.index] for client in cohort],
        alpha=alpha,
        beta=1 - alpha,
    )
    return _server_momentum(w, weights @ np.stack(trained), memory, **server)


def fed_fa_mo(
    w: np.ndarray,
    cohort: Sequence[Participant],
    memory: Memory,
    *,
    weighting: str = "num_examples",
    **server: Any,
) -> np.ndarray:
    """FedFa's Table 3: both momenta, FedAvg's weights."""
    aggregate = fed_avg(w, cohort, memory, weighting=weighting)
    return _server_momentum(w, aggregate, memory, **server)


def _server_momentum(
    w: np.ndarray,
    aggregate: np.ndarray,
    memory: Memory,
    *,
    momentum: float,
    learning_rate: float = 1.0,
    every_rounds: int = 1,
) -> np.ndarray:
    """FedFa, eq. 3–7."""
    memory["round"] = memory.get("round", 0) + 1
    anchor = memory.setdefault("anchor", w)
    if memory["round"] % every_rounds:
        return aggregate
    m = momentum * memory.get("m", 0.0) + learning_rate * (anchor - aggregate)
    memory["m"] = m
    memory["anchor"] = anchor - m
    return anchor - m


def _shares(cohort: Sequence[Participant], weighting: str) -> np.ndarray:
    counts = np.array(
        [client.num_examples if weighting == "num_examples" else 1 for client in cohort], float
    )
    return counts / counts.sum()
