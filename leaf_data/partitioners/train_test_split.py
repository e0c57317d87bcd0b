"""Each client's own examples, divided at random into a train and a test split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_fraction
from leaf_data.random_streams import random_stream


def train_test_split(
    partitions: Sequence[npt.NDArray[np.int64]], *, train_fraction: float, seed: int
) -> tuple[list[npt.NDArray[np.int64]], list[npt.NDArray[np.int64]]]:
    """Shuffles every client's examples and divides them into train and test.

    A client of n examples keeps the first ⌊train_fraction · n⌋ of its shuffled examples for
    training, as in FedProx's and FedFa's preparations. It keeps at least one, as in LEAF's
    `split_data.py`. The others are its test examples; there may be none. Every client shuffles with
    its own stream, from the seed and its index, so one client's split does not depend on another's
    size.

    Args:
        partitions: For each client its indices, [n_i] int.
        train_fraction: The share of the training examples, in (0, 1].
        seed: The seed, a non-negative integer.

    Returns:
        Two lists with one index array [·] int64 per client: train and test. Together they are the
        client's partition, in shuffled order.

    Raises:
        ValueError: If `train_fraction` is out of range.
    """
    check_fraction("train_fraction", train_fraction)
    train, test = [], []
    for client, partition in enumerate(partitions):
        generator = random_stream(seed, "train_test_split", client)
        shuffled = generator.permutation(np.asarray(partition, np.int64))
        # Without the tolerance, 0.29 · 100 = 28.999999999999996 would lose an example.
        num_train = max(1, int(train_fraction * len(shuffled) + 1e-9))
        train.append(shuffled[:num_train])
        test.append(shuffled[num_train:])
    return train, test
