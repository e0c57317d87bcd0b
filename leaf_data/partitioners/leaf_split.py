"""The clients that remain after LEAF's split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from leaf_data.errors import DataError

Client = TypeVar("Client")
Partitions = list[npt.NDArray[np.int64]]


def drop_untested(
    clients: Sequence[Client],
    train: Sequence[npt.NDArray[Any]],
    test: Sequence[npt.NDArray[Any]],
    *,
    dataset: str,
) -> tuple[list[Client], Partitions, Partitions]:
    """Leaves out the clients without test examples, as LEAF's `data/utils/split_data.py` does.

    These are clients with a single example, and speaking roles whose text ends within the 79
    windows after those for training.

    Args:
        clients: N clients.
        train: The training examples of each client, [·].
        test: The test examples of each client, [·].
        dataset: The data set, for the error.

    Returns:
        The ids, training and test examples that remain.

    Raises:
        DataError: If nothing is.
    """
    kept = [index for index, examples in enumerate(test) if len(examples)]
    if not kept:
        raise DataError(
            f"data set {dataset!r}: none of {len(clients)} clients has a test example, and"
            " leaf_split leaves such clients out."
        )
    return (
        [clients[index] for index in kept],
        [train[index] for index in kept],
        [test[index] for index in kept],
    )
