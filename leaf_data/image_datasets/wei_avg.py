"""WeiAvg's data sets: 100 small clients whose labels differ in entropy."""

from __future__ import annotations

from leaf_data import partitioners
from leaf_data.checks import check_seed
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.partitioners.entropy_skew import check_entropy_skew
from leaf_data.pooling import divide_training_set
from leaf_data.sources import read_images

_TEST_SIZE = 10_000


def entropy(
    images: str,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_samples: int,
    num_clients: int = 100,
    p: float = 0.8,
    skew: str = "geometric",
    per_client: bool = False,
) -> FederatedDataset:
    """Loads images in clients of equal size, skewed in the entropy of their labels.

    Source: Dong et al., "WeiAvg", 2023, section IV and table I. M = 3,000 samples of MNIST, and
    4,000 of Fashion-MNIST and CIFAR-10, go to N = 100 clients. So a client has 30 or 40 samples,
    and the paper's batches have 64 (MNIST) or 32. With `per_client` each client has M samples,
    and clients share images. Decision: M counts training images; the model is evaluated on the
    official test set.

    Args:
        images: "mnist", "fashion_mnist" or "cifar10".
        seed: The seed of the partition, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        num_samples: M; a multiple of N, unless `per_client`.
        num_clients: N.
        p: The skew, in [0, 1]; see `partitioners.entropy_skew`.
        skew: How it acts, "geometric" or "linear"; see there.
        per_client: Whether each client has M images; otherwise all clients together.

    Returns:
        The data set `<images>_entropy`; see `divide_training_set`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    # Arguments that need no images are checked before reading.
    check_seed("seed", seed)
    check_entropy_skew(num_clients, num_samples, p, skew, per_client)
    pool = read_images(images, data_dir=data_dir, dataset=f"{images}_entropy")
    partitions = partitioners.entropy_skew(
        pool.train_y,
        num_clients=num_clients,
        num_samples=num_samples,
        p=p,
        skew=skew,
        per_client=per_client,
        seed=seed,
    )
    num_train = num_samples * num_clients if per_client else num_samples
    return divide_training_set(
        f"{images}_entropy",
        pool,
        partitions,
        seed=seed,
        documented=DocumentedStatistics(num_clients, num_train + _TEST_SIZE),
    )
