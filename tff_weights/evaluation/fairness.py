"""How evenly a model serves its clients: statistics of accuracies, or of any metric, per client."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

_TAIL_FRACTION = 0.2


@dataclasses.dataclass(frozen=True)
class FairnessStatistics:
    """Statistics over clients: of accuracies in percent, of another metric in its own unit.

    Attributes:
        average: The simple mean over clients.
        worst_20: The mean of the `⌊0.2·N⌋` worst values, of at least one client: the lowest
            accuracies, or the highest errors.
        best_20: The mean of the `⌊0.2·N⌋` best.
        variance: Population variance, in the unit squared (percentage points).
        standard_deviation: Its square root, in the unit.
        weighted_average: The mean weighted by the clients' numbers of examples. For accuracies it
            is the accuracy on the pooled examples.
        percentile_10: LEAF's 10th percentile, interpolated linearly.
        percentile_50: The median.
        percentile_90: The 90th percentile.
        jain_index: `(Σ a)² / (N Σ a²)`, between `1/N` and 1; 1 if all values are equal, also if all
            are 0; NaN if a value is negative.
        num_clients: The number of clients that have examples and a value.
    """

    average: float
    worst_20: float
    best_20: float
    variance: float
    standard_deviation: float
    weighted_average: float
    percentile_10: float
    percentile_50: float
    percentile_90: float
    jain_index: float
    num_clients: int


def fairness_statistics(
    accuracies: npt.ArrayLike, num_examples: npt.ArrayLike | None = None
) -> FairnessStatistics:
    """Summarises per-client accuracies as FedFa's Tables 2 and 3 do, and as LEAF does.

    Args:
        accuracies: `[N]` fractions in [0, 1]. Values of clients without examples are ignored, and
            so is NaN, as for a client whose labels do not count.
        num_examples: `[N]` non-negative integers; by default all are equal.

    Raises:
        ValueError: If the shapes differ, no client has examples and a number, or an accuracy lies
            outside [0, 1].
    """
    values, counts = _numbers_of_clients("accuracies", accuracies, num_examples)
    outside = values[~((values >= 0) & (values <= 1))]
    if outside.size:
        raise ValueError(f"accuracies must be fractions in [0, 1], got {outside[0]!r}")
    return _statistics(values, counts, scale=100.0, smaller_is_better=False)


def client_statistics(
    values: npt.ArrayLike,
    num_examples: npt.ArrayLike | None = None,
    *,
    smaller_is_better: bool = False,
) -> FairnessStatistics:
    """Summarises any metric of each client in the same way, in its own unit.

    Args:
        values: `[N]` numbers. Values of clients without examples are ignored, and so is NaN, such
            as the R² of one example.
        num_examples: As for `fairness_statistics`.
        smaller_is_better: Whether the highest values are the worst, as for losses and errors.

    Raises:
        ValueError: If the shapes differ, or no client has examples and a number.
    """
    values, counts = _numbers_of_clients("values", values, num_examples)
    return _statistics(values, counts, scale=1.0, smaller_is_better=smaller_is_better)


def _numbers_of_clients(
    name: str, values: npt.ArrayLike, num_examples: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Returns the values and counts of the clients that have examples and a number."""
    array = np.asarray(values, np.float64)
    counts = np.ones(array.shape) if num_examples is None else np.asarray(num_examples)
    if array.ndim != 1 or counts.shape != array.shape:
        raise ValueError(
            f"{name} and num_examples must be vectors of one length, got the shapes "
            f"{array.shape} and {counts.shape}"
        )
    if not np.all(np.isfinite(counts) & (counts >= 0)) or not np.any(counts > 0):
        raise ValueError(
            "num_examples must be finite, >= 0 and positive for at least one client, got "
            f"{counts.tolist()}"
        )
    has_number = (counts > 0) & ~np.isnan(array)
    if not has_number.any():
        raise ValueError(f"{name} must hold a number for at least one client with examples")
    return array[has_number], counts[has_number]


def _statistics(
    values: npt.NDArray[np.float64],
    counts: npt.NDArray[Any],
    *,
    scale: float,
    smaller_is_better: bool,
) -> FairnessStatistics:
    scaled = scale * np.sort(values)
    tail = max(1, int(_TAIL_FRACTION * scaled.size))
    low, high = float(np.mean(scaled[:tail])), float(np.mean(scaled[-tail:]))
    sum_of_squares = np.sum(scaled**2)
    jain_index = (
        float(np.sum(scaled) ** 2 / (scaled.size * sum_of_squares)) if sum_of_squares > 0 else 1.0
    )
    return FairnessStatistics(
        average=float(np.mean(scaled)),
        worst_20=high if smaller_is_better else low,
        best_20=low if smaller_is_better else high,
        variance=float(np.var(scaled)),
        standard_deviation=float(np.std(scaled)),
        weighted_average=float(scale * np.average(values, weights=counts)),
        percentile_10=float(np.percentile(scaled, 10)),
        percentile_50=float(np.percentile(scaled, 50)),
        percentile_90=float(np.percentile(scaled, 90)),
        jain_index=jain_index if scaled[0] >= 0 else math.nan,
        num_clients=int(scaled.size),
    )
