"""How evenly a model serves its clients: statistics of the accuracies per client."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

_TAIL_FRACTION = 0.2


@dataclasses.dataclass(frozen=True)
class FairnessStatistics:
    """Statistics over clients, in percent unless said otherwise.

    Attributes:
        average: The simple mean over clients.
        worst_20: The mean of the `⌊0.2·N⌋` lowest accuracies, of at least one client.
        best_20: The mean of the `⌊0.2·N⌋` highest.
        variance: Population variance, in percentage points squared.
        standard_deviation: Its square root, in percentage points.
        weighted_average: The mean weighted by the clients' numbers of examples, which is the
            accuracy on the pooled examples.
        percentile_10: LEAF's 10th percentile, interpolated linearly.
        percentile_50: The median.
        percentile_90: The 90th percentile.
        jain_index: `(Σ a)² / (N Σ a²)`, between `1/N` and 1; 1 where all are alike, all zero
            included.
        num_clients: How many clients counted: those that have examples.
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
        accuracies: `[N]` fractions in [0, 1]; what clients without examples hold is ignored.
        num_examples: `[N]` non-negative integers; by default every client has as many.

    Raises:
        ValueError: If the shapes differ, no client has examples, or an accuracy lies outside
            [0, 1].
    """
    accuracies = np.asarray(accuracies, np.float64)
    counts = np.ones(accuracies.shape) if num_examples is None else np.asarray(num_examples)
    if accuracies.ndim != 1 or counts.shape != accuracies.shape:
        raise ValueError(
            "accuracies and num_examples must be vectors of one length, got the shapes "
            f"{accuracies.shape} and {counts.shape}"
        )
    if np.any(counts < 0) or not np.any(counts > 0):
        raise ValueError(
            f"num_examples must be >= 0 and positive for at least one client, got {counts.tolist()}"
        )
    has_examples = counts > 0
    counts = counts[has_examples]
    percent = 100.0 * np.sort(accuracies[has_examples])
    outside = accuracies[has_examples & ~((accuracies >= 0) & (accuracies <= 1))]
    if outside.size:
        raise ValueError(f"accuracies must be fractions in [0, 1], got {outside[0]!r}")
    tail = max(1, int(_TAIL_FRACTION * percent.size))
    sum_of_squares = np.sum(percent**2)
    return FairnessStatistics(
        average=float(np.mean(percent)),
        worst_20=float(np.mean(percent[:tail])),
        best_20=float(np.mean(percent[-tail:])),
        variance=float(np.var(percent)),
        standard_deviation=float(np.std(percent)),
        weighted_average=float(100.0 * np.average(accuracies[has_examples], weights=counts)),
        percentile_10=float(np.percentile(percent, 10)),
        percentile_50=float(np.percentile(percent, 50)),
        percentile_90=float(np.percentile(percent, 90)),
        jain_index=(
            float(np.sum(percent) ** 2 / (percent.size * sum_of_squares))
            if sum_of_squares > 0
            else 1.0
        ),
        num_clients=int(percent.size),
    )
