"""FedCav's data set: 100 clients with two digits each, much of one and little of the other."""

from __future__ import annotations

from leaf_data import partitioners
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.image_datasets.pooling import divide_training_set
from leaf_data.sources import read_images

_TEST_SIZE = 10_000


def mnist_major_minor(
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_clients: int = 100,
    samples_per_client: int = 600,
    sigma: int = 150,
) -> FederatedDataset:
    """Loads MNIST in clients of one major and one minor digit.

    Source: Zeng et al., "FedCav", ICPP 2021, and the authors' code; see `partitioners.major_minor`.
    The model is judged on the official test set.

    Args:
      seed: The seed of the partition, a non-negative integer.
      data_dir: The folder of raw and cached data; see `sources.read_images`.
      num_clients: How many clients to make.
      samples_per_client: How many training images each client has, an even number.
      sigma: σ: half of them and σ more are of the major digit.

    Returns:
      The data set `mnist_major_minor`; see `divide_training_set`.

    Raises:
      ValueError: If an argument is out of range.
      DataError: If the images cannot be read.
    """
    pool = read_images("mnist", data_dir=data_dir, dataset="mnist_major_minor")
    partitions = partitioners.major_minor(
        pool.train_y,
        num_clients=num_clients,
        samples_per_client=samples_per_client,
        sigma=sigma,
        seed=seed,
    )
    return divide_training_set(
        "mnist_major_minor",
        pool,
        partitions,
        seed=seed,
        documented=DocumentedStatistics(num_clients, num_clients * samples_per_client + _TEST_SIZE),
    )
