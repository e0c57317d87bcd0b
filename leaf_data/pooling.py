"""From a pool of examples and a partition to a federated data set."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data import partitioners
from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.pixels import UNIT, PixelScaling
from leaf_data.random_streams import random_stream
from leaf_data.sources import LabelledImages

Partitions = Sequence[npt.NDArray[np.int64]]


def divide_training_set(
    name: str,
    images: LabelledImages,
    partitions: Partitions,
    *,
    seed: int,
    documented: DocumentedStatistics | None = None,
    pixels: PixelScaling = UNIT,
) -> FederatedDataset:
    """Gives clients parts of the training set, and the whole test set in equal parts.

    For the papers that judge the global model by its accuracy on the official test set. Decision:
    each test image goes to one client, at random, whatever the client's own classes. So the mean
    over all clients' test images is exactly that accuracy. The accuracies of single clients say
    nothing about the clients.

    Args:
        name: The data set's name.
        images: The pool.
        partitions: For each client its indices into the training set.
        seed: The seed, a non-negative integer.
        documented: What the source says.
        pixels: What models make of the bytes.

    Returns:
        The data set, its clients named `f_00000`, ...; `x`: [height, width] or [height, width,
        channels] uint8, `y`: scalar int32. With fewer test images than clients, some have none.
    """
    shuffled = random_stream(seed, "shares of the test set").permutation(len(images.test_y))
    client_ids = _client_ids(partitions)
    return FederatedDataset(
        name=name,
        train=ArrayClientData.from_partitions(
            client_ids, collections.OrderedDict(x=images.train_x, y=images.train_y), partitions
        ),
        test=ArrayClientData.from_partitions(
            client_ids,
            collections.OrderedDict(x=images.test_x, y=images.test_y),
            np.array_split(shuffled, len(partitions)),
        ),
        seed=seed,
        num_classes=images.num_classes,
        documented=documented,
        origin=images.origin,
        pixels=pixels,
    )


def split_each_client(
    name: str,
    pool: collections.OrderedDict[str, npt.NDArray[Any]],
    partitions: Partitions,
    *,
    train_fraction: float,
    seed: int,
    num_classes: int,
    documented: DocumentedStatistics | None = None,
    origin: str | None = None,
    pixels: PixelScaling = UNIT,
) -> FederatedDataset:
    """Gives clients parts of one pool, and divides each client's part into train and test.

    Args:
        name: The data set's name.
        pool: `x` [num_examples, ...] and `y` [num_examples] int32.
        partitions: For each client its indices into the pool.
        train_fraction: The share of each client's examples used for training, in (0, 1].
        seed: The seed, a non-negative integer.
        num_classes: The number of classes.
        documented: What the source says.
        origin: Where the pool came from.
        pixels: What models make of the bytes.

    Returns:
        The data set, its clients named `f_00000`, ....

    Raises:
        ValueError: If `train_fraction` is out of range.
    """
    train, test = partitioners.train_test_split(
        partitions, train_fraction=train_fraction, seed=seed
    )
    client_ids = _client_ids(partitions)
    return FederatedDataset(
        name=name,
        train=ArrayClientData.from_partitions(client_ids, pool, train),
        test=ArrayClientData.from_partitions(client_ids, pool, test),
        seed=seed,
        num_classes=num_classes,
        documented=documented,
        origin=origin,
        pixels=pixels,
    )


def _client_ids(partitions: Partitions) -> list[str]:
    return [f"f_{client:05d}" for client in range(len(partitions))]
