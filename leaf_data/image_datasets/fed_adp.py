"""FedAdp's data sets: ten clients of 600 images that differ in how many classes they hold.

Source: Wu and Wang, "Fast-Convergent Federated Learning with Adaptive Weighting", IEEE TCCN 2021.
The global model is judged on the official test set.
"""

from __future__ import annotations

from leaf_data import partitioners
from leaf_data.checks import check_integer, check_one_of, check_seed
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.pixels import CONVENTIONS, pixel_scaling
from leaf_data.pooling import divide_training_set
from leaf_data.sources import read_images

_TEST_SIZE = 10_000


def x_class(
    images: str,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_iid: int = 5,
    num_non_iid: int = 5,
    x: int = 1,
    samples_per_client: int = 600,
    pixels: str = "unit",
) -> FederatedDataset:
    """Loads images in IID clients and clients of x classes (section V-A, table I).

    Decision: pixels / 255 by default, since the paper does not say. PyTorch's examples normalize
        them. FedAvg comes nearer to the paper's numbers if they are normalized.

    Args:
        images: "mnist" or "fashion_mnist".
        seed: The seed of the partition, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        num_iid: How many clients have all classes.
        num_non_iid: How many have x classes. The paper's mixes are 3 + 7, 5 + 5 and 6 + 4.
        x: How many classes each of these has; 1 and 2 in the paper.
        samples_per_client: How many training images each client has.
        pixels: As in `pixels.pixel_scaling`, over the training images: "unit"; "normalized" by the
            mean 0.1307 and deviation 0.3081, of Fashion-MNIST 0.2860 and 0.3530; or "standardized".

    Returns:
        The data set `<images>_x_class`, IID clients first; see `divide_training_set`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    # Arguments that need no images are checked before reading.
    _check_counts(num_iid=num_iid, num_non_iid=num_non_iid)
    _check(seed, samples_per_client, pixels)
    check_integer("x", x, least=1)
    pool = read_images(images, data_dir=data_dir, dataset=f"{images}_x_class")
    partitions = partitioners.x_class(
        pool.train_y,
        num_iid=num_iid,
        num_non_iid=num_non_iid,
        x=x,
        samples_per_client=samples_per_client,
        seed=seed,
    )
    num_train = (num_iid + num_non_iid) * samples_per_client
    return divide_training_set(
        f"{images}_x_class",
        pool,
        partitions,
        seed=seed,
        documented=DocumentedStatistics(num_iid + num_non_iid, num_train + _TEST_SIZE),
        pixels=pixel_scaling(pixels, pool.train_x),
    )


def mnist_mixed_classes(
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_iid: int = 5,
    num_one_class: int = 3,
    num_two_class: int = 2,
    samples_per_client: int = 600,
    pixels: str = "unit",
) -> FederatedDataset:
    """Loads MNIST as for figure 2: five IID clients, three of one class and two of two classes.

    Args:
        seed: The seed of the partition, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        num_iid: How many clients have all classes.
        num_one_class: How many have one class.
        num_two_class: How many have two classes.
        samples_per_client: How many training images each client has.
        pixels: As in `x_class`.

    Returns:
        The data set `mnist_mixed_classes`, its clients in the order of the arguments; see
        `divide_training_set`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    _check_counts(num_iid=num_iid, num_one_class=num_one_class, num_two_class=num_two_class)
    _check(seed, samples_per_client, pixels)
    pool = read_images("mnist", data_dir=data_dir, dataset="mnist_mixed_classes")
    counts = [pool.num_classes] * num_iid + [1] * num_one_class + [2] * num_two_class
    partitions = partitioners.random_classes(
        pool.train_y,
        num_classes_per_client=counts,
        samples_per_client=samples_per_client,
        seed=seed,
    )
    return divide_training_set(
        "mnist_mixed_classes",
        pool,
        partitions,
        seed=seed,
        pixels=pixel_scaling(pixels, pool.train_x),
    )


def mnist_general_case(
    case: int,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    samples_per_client: int = 600,
    pixels: str = "unit",
) -> FederatedDataset:
    """Loads MNIST in ten clients of 1 to 10 classes (section V-A, general cases, figure 5).

    Args:
        case: 1, where the numbers of classes are a permutation of 1..10, or 2, where five clients
            have 1 to 5 classes and five have 6 to 10.
        seed: The seed of the partition, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        samples_per_client: How many training images each client has.
        pixels: As in `x_class`.

    Returns:
        The data set `mnist_general_case_<case>`; see `divide_training_set`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    check_one_of("case", case, (1, 2))
    _check(seed, samples_per_client, pixels)
    pool = read_images("mnist", data_dir=data_dir, dataset=f"mnist_general_case_{case}")
    if case == 1:
        partitions = partitioners.general_case_1(
            pool.train_y, samples_per_client=samples_per_client, seed=seed
        )
    else:
        partitions = partitioners.general_case_2(
            pool.train_y, samples_per_client=samples_per_client, seed=seed
        )
    return divide_training_set(
        f"mnist_general_case_{case}",
        pool,
        partitions,
        seed=seed,
        pixels=pixel_scaling(pixels, pool.train_x),
    )


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        check_integer(name, count, least=0)
    if not any(counts.values()):
        raise ValueError(f"{' and '.join(counts)} are 0; there must be a client.")


def _check(seed: int, samples_per_client: int, pixels: str) -> None:
    check_seed("seed", seed)
    check_integer("samples_per_client", samples_per_client, least=1)
    check_one_of("pixels", pixels, CONVENTIONS)
