"""Label skew by a Dirichlet distribution: Flower's `dirichlet`, NIID-Bench's `noniid-labeldir`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer, check_number
from leaf_data.partitioners.checks import as_labels
from leaf_data.random_streams import random_stream

_MAX_ATTEMPTS = 1000


def dirichlet(
    labels: npt.NDArray[Any],
    *,
    num_partitions: int,
    alpha: float,
    min_partition_size: int = 10,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Gives each class's examples to the partitions in shares drawn from Dir(alpha).

    For each class c, `shares ~ Dir(alpha, ..., alpha)` over the partitions, and the class's
    shuffled examples are cut at `⌊cumsum(shares) · n_c⌋` (Yurochkin et al., arXiv:1905.12022; Li et
    al., NIID-Bench, arXiv:2102.02079). The smaller alpha, the less balanced. As there, if a draw
    leaves a partition with fewer than `min_partition_size` examples, all shares are drawn again.

    The names are Flower's. Flower (by default) and NIID-Bench give no further classes to a
    partition with more than the average, which evens out the sizes. The papers do not mention this,
    and it is not done here: this is Flower's `self_balancing=False`.

    Args:
        labels: The pool's labels, [num_examples].
        num_partitions: How many partitions to make, at least 1.
        alpha: The concentration, in [1e-4, 1e6].
        min_partition_size: The fewest examples of any partition, at least 0.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [n_i] int64 per partition, in random order; together each index exactly
        once.

    Raises:
        ValueError: If an argument is out of range, or the pool is too small, or if 1,000 draws in a
            row left a partition too small.
    """
    labels = as_labels(labels)
    check_integer("num_partitions", num_partitions, least=1)
    # Beyond these, NumPy draws no shares, or takes forever.
    check_number("alpha", alpha, lambda x: 1e-4 <= x <= 1e6, "in [1e-4, 1e6]")
    check_integer("min_partition_size", min_partition_size, least=0)
    if num_partitions * min_partition_size > len(labels):
        raise ValueError(
            f"min_partition_size is {min_partition_size}; it must be at most {len(labels)}"
            f" examples / {num_partitions} partitions."
        )
    generator = random_stream(seed, "dirichlet")
    classes = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    for _ in range(_MAX_ATTEMPTS):
        pieces: list[list[npt.NDArray[np.int64]]] = []
        for members in classes:
            shares = generator.dirichlet(np.full(num_partitions, alpha))
            cuts = (np.cumsum(shares)[:-1] * len(members)).astype(np.int64)
            pieces.append(np.split(generator.permutation(members), cuts))
        partitions = [np.concatenate(of_partition) for of_partition in zip(*pieces)]
        if min(map(len, partitions)) >= min_partition_size:
            return [generator.permutation(partition) for partition in partitions]
    raise ValueError(
        f"alpha is {alpha}: {_MAX_ATTEMPTS} draws each left one of {num_partitions} partitions"
        f" with fewer than min_partition_size {min_partition_size} of {len(labels)} examples; take"
        " fewer partitions, a larger alpha or a smaller min_partition_size."
    )
