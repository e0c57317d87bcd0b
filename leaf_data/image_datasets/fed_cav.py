"""FedCav's data set: 100 clients with two digits each, much of one and little of the other."""

from __future__ import annotations

from leaf_data import partitioners
from leaf_data.checks import check_seed
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.partitioners.major_minor import check_major_minor
from leaf_data.pixels import one_for_all
from leaf_data.pooling import divide_training_set
from leaf_data.sources import read_images

_TEST_SIZE = 10_000
# Of MNIST's training images, as the authors' code has them.
_PIXELS = one_for_all(mean=0.1307, deviation=0.3081)


def mnist_major_minor(
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_clients: int = 100,
    samples_per_client: int = 300,
    stdev: float = 150.0,
    major_share: float = 0.75,
) -> FederatedDataset:
    """Loads MNIST in clients of one major and one minor digit.

    Source: Zeng et al., "FedCav", ICPP 2021, and the authors' code; see `partitioners.major_minor`
    for what they say and for the Decision about the sizes. With `samples_per_client=600` and
    `stdev=0` it follows the authors' code, which made their published log. The model is evaluated
    on the official test set. As in their code all pixels are standardized by MNIST's mean 0.1307
    and deviation 0.3081.

    With the seed 0 the clients have 31,458 training images, 315 ± 137 each, from 10 to 608, and no
    image twice. The documented statistics are those of the sizes' distribution, with equal shares
    of the test images.

    Args:
        seed: The seed of the partition, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        num_clients: How many clients to make.
        samples_per_client: The mean of their numbers of training images, at least 10.
        stdev: The standard deviation of these numbers, at least 0; they are drawn from a normal
            distribution, and at least 10.
        major_share: The major digit's share of each client's training images, from 0.5 to 1.

    Returns:
        The data set `mnist_major_minor`; see `divide_training_set`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    # Arguments that need no images are checked before reading.
    check_seed("seed", seed)
    check_major_minor(num_clients, samples_per_client, stdev, major_share)
    pool = read_images("mnist", data_dir=data_dir, dataset="mnist_major_minor")
    partitions = partitioners.major_minor(
        pool.train_y,
        num_clients=num_clients,
        samples_per_client=samples_per_client,
        stdev=stdev,
        major_share=major_share,
        seed=seed,
    )
    return divide_training_set(
        "mnist_major_minor",
        pool,
        partitions,
        seed=seed,
        documented=DocumentedStatistics(
            num_clients,
            num_clients * samples_per_client + _TEST_SIZE,
            mean_samples_per_client=samples_per_client + _TEST_SIZE / num_clients,
            stdev_samples_per_client=float(stdev),
        ),
        pixels=_PIXELS,
    )
