"""Smaller federated data sets: whole clients at random, as FedProx samples, or less of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer, check_seed
from leaf_data.random_streams import random_stream

_MAX_ATTEMPTS = 1000


def sample_clients(
    sizes: Sequence[int] | npt.NDArray[np.int64],
    *,
    num_samples: int,
    seed: int,
    num_clients: int | None = None,
) -> list[npt.NDArray[np.int64]]:
    """Takes clients in random order until they have `num_samples` samples.

    That is LEAF's and FedProx's `utils/sample.py -s niid`, for which the number of samples is
    `⌊fraction · all⌋`. The client that crosses the number keeps only its first samples.

    The number of clients is random. If a paper documents both numbers, the order is drawn again
    until both agree.

    Args:
        sizes: The number of samples of each client, [num_all_clients].
        num_samples: How many samples to take, at least 1; all if there are no more.
        seed: The seed, a non-negative integer.
        num_clients: The number of clients that they must come from; None for any number. If none of
            1,000 orders gives it, the closest one is taken.

    Returns:
        For each client of the whole its chosen samples, the first of `0..size-1`, [·] int64: for
        most clients none.

    Raises:
        ValueError: If an argument is out of range.
    """
    check_integer("num_samples", num_samples, least=1)
    if num_clients is not None:
        check_integer("num_clients", num_clients, least=1)
    given, sizes = sizes, np.asarray(sizes)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or np.any(sizes < 0):
        raise ValueError(f"sizes is {given!r}; it must be [·] integers of at least 0.")
    sizes = sizes.astype(np.int64)
    generator = random_stream(seed, "sample of clients")
    best_taken, smallest_difference = np.zeros_like(sizes), np.inf
    for _ in range(_MAX_ATTEMPTS):
        order = generator.permutation(len(sizes))
        taken_before = np.cumsum(sizes[order]) - sizes[order]
        taken = np.zeros_like(sizes)
        taken[order] = np.clip(num_samples - taken_before, 0, sizes[order])
        difference = 0 if num_clients is None else abs(np.count_nonzero(taken) - num_clients)
        if difference < smallest_difference:
            best_taken, smallest_difference = taken, difference
        if difference == 0:
            break
    return [np.arange(size) for size in best_taken]


def draw_at_most(
    partitions: Sequence[npt.NDArray[np.int64]], *, num_samples: int, seed: int
) -> list[npt.NDArray[np.int64]]:
    """Draws `num_samples` from each client that has more.

    Args:
        partitions: The rows of each client, [·] int64 each.
        num_samples: How many a client keeps at most, at least 1.
        seed: The seed, a non-negative integer; a client's draw also depends on its place.

    Returns:
        For each client its rows, [·] int64, in their order. If a client has more than
        `num_samples`, that many are drawn without replacement.

    Raises:
        ValueError: If an argument is out of range.
    """
    check_integer("num_samples", num_samples, least=1)
    check_seed("seed", seed)
    return [
        rows
        if len(rows) <= num_samples
        else rows[
            np.sort(
                random_stream(seed, "samples of a client", index).choice(
                    len(rows), num_samples, replace=False
                )
            )
        ]
        for index, rows in enumerate(partitions)
    ]
