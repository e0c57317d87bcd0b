"""FedVeca's data sets: the whole training set, divided among five clients in three ways."""

from __future__ import annotations

from leaf_data import partitioners
from leaf_data.checks import check_integer, check_one_of, check_seed
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.pooling import divide_training_set
from leaf_data.sources import read_images

_CASES = {
    1: partitioners.iid,
    2: partitioners.single_label,
    3: partitioners.half_iid_half_single_label,
}
_NUM_SAMPLES = {"mnist": 70_000, "cifar10": 60_000}


def case(
    images: str,
    number: int,
    *,
    seed: int = 0,
    data_dir: str | None = None,
    num_clients: int = 5,
) -> FederatedDataset:
    """Loads images in one of FedVeca's three cases.

    Source: Luo et al., "FedVeca", IEEE TPDS 2024, section V-A3; the model is judged on the official
    test set. MNIST's labels are the digits, and clients are divided by digit. Only the support
    vector machine (`models.squared_svm`) asks whether digits are even.

    Args:
        images: "mnist" or "cifar10".
        number: 1 (IID), 2 (single labels, dealt out in turn) or 3 (half of both); see
            `partitioners.iid`, `single_label` and `half_iid_half_single_label`.
        seed: The seed of the partition, a non-negative integer.
        data_dir: The folder of raw and cached data; see `sources.read_images`.
        num_clients: 5; figure 10 also has 30 and 50.

    Returns:
        The data set `<images>_case_<number>`; see `divide_training_set`.

    Raises:
        ValueError: If an argument is out of range.
        DataError: If the images cannot be read.
    """
    # Arguments that need no images are checked before reading.
    check_one_of("images", images, tuple(_NUM_SAMPLES))
    check_one_of("number", number, tuple(_CASES))
    check_seed("seed", seed)
    check_integer("num_clients", num_clients, least=1)
    pool = read_images(images, data_dir=data_dir, dataset=f"{images}_case_{number}")
    partitions = _CASES[number](pool.train_y, num_clients=num_clients, seed=seed)
    return divide_training_set(
        f"{images}_case_{number}",
        pool,
        partitions,
        seed=seed,
        documented=DocumentedStatistics(num_clients, _NUM_SAMPLES[images]),
    )
