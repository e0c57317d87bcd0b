"""FedProx's and FedFa's MNIST: 1,000 clients with two digits each; and Fashion-MNIST alike."""

from __future__ import annotations

import collections

import numpy as np

from leaf_data import partitioners
from leaf_data.checks import check_fraction, check_integer, check_number, check_one_of, check_seed
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.pixels import CONVENTIONS, pixel_scaling
from leaf_data.pooling import split_each_client
from leaf_data.sources import read_images

_DOCUMENTED = DocumentedStatistics(
    num_clients=1000,
    num_samples=69_035,
    mean_samples_per_client=69,
    stdev_samples_per_client=106,
)

_SOURCES = ("mnist", "fashion_mnist")


def mnist(
    source: str = "mnist",
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_clients: int = 1000,
    sigma: float = 2.0,
    train_fraction: float = 0.8,
    pixels: str = "standardized",
) -> FederatedDataset:
    """Loads MNIST, or Fashion-MNIST, in clients of two digits, their sizes following a power law.

    Sources: FedProx (arXiv:1812.06127), section 5.1, and FedFa, section 4.1 and table 1. As in
    FedProx's script, the pool is MNIST's training and test set together, and each client's own
    examples are split. Each pixel is standardized over the pool; FedFa's learning rates need this.

    Args:
        source: "mnist" or "fashion_mnist".
        seed: The seed of partition and split, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        num_clients: A multiple of 10.
        sigma: As in `partitioners.power_law_two_class`, which says how FedFa's table differs.
        train_fraction: The share of each client's examples used for training, in (0, 1]. FedFa uses
            0.8, FedProx's authors 0.9.
        pixels: As in `pixels.pixel_scaling`: "standardized", as FedProx's script has them,
            "unit" or "normalized".

    Returns:
        The data set `mnist` or `fashion_mnist`. `x`: [28, 28] uint8, ink 255; `y`: the class,
        scalar int32.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    # Arguments that need no images are checked before reading.
    check_one_of("source", source, _SOURCES)
    check_seed("seed", seed)
    check_integer("num_clients", num_clients, least=1)
    check_number("sigma", sigma, lambda x: x >= 0.0, "finite and at least 0")
    check_fraction("train_fraction", train_fraction)
    check_one_of("pixels", pixels, CONVENTIONS)
    images = read_images(source, data_dir=data_dir)
    pool = collections.OrderedDict(
        x=np.concatenate([images.train_x, images.test_x]),
        y=np.concatenate([images.train_y, images.test_y]),
    )
    partitions = partitioners.power_law_two_class(
        pool["y"], num_clients=num_clients, sigma=sigma, seed=seed
    )
    return split_each_client(
        source,
        pool,
        partitions,
        train_fraction=train_fraction,
        seed=seed,
        num_classes=images.num_classes,
        documented=_DOCUMENTED if source == "mnist" else None,
        origin=images.origin,
        pixels=pixel_scaling(pixels, pool["x"]),
    )
