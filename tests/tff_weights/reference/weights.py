"""The papers' weights in NumPy, one client after the other, as the equations stand there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

C = 1e-10


def fed_fa(
    accuracies: Sequence[float], frequencies: Sequence[int], *, alpha: float, beta: float
) -> np.ndarray:
    """FedFa, eq. 9–15."""

    def information(probability: float) -> float:
        return -math.log2(probability if probability > 0 else probability + C)

    def shares(values: Sequence[float]) -> list[float]:
        total = sum(values)
        if total == 0:
            return [1 / len(values)] * len(values)
        return [value / total for value in values]

    total_accuracy, total_frequency = sum(accuracies), sum(frequencies)
    a = [acc / total_accuracy if total_accuracy else 0.0 for acc in accuracies]  # eq. 9
    phi = [f / total_frequency for f in frequencies]  # eq. 10
    a_inf = shares([information(a_i) for a_i in a])  # eq. 11, 13
    phi_inf = shares([information(1 - phi_i) for phi_i in phi])  # eq. 12, 14
    return np.array([alpha * x + beta * y for x, y in zip(a_inf, phi_inf)])  # eq. 15


def q_fair(
    losses: Sequence[float], squared_norms: Sequence[float], *, q: float, learning_rate: float
) -> np.ndarray:
    """What q-FedAvg's step makes of each `w_t − w_i`: `L F_i^q / Σ h_j`."""
    lipschitz = 1 / learning_rate
    h = 0.0
    for loss, squared_norm in zip(losses, squared_norms):
        of_delta = lipschitz**2 * squared_norm  # ‖Δw_i‖², Δw_i = L (w_t − w_i)
        h += q * (loss + C) ** (q - 1) * of_delta + lipschitz * (loss + C) ** q
    return np.array([lipschitz * (loss + C) ** q / h for loss in losses])
