"""What a federated data set looks like: the row of the papers' Table 1, and more."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.client_data import client_examples, num_examples_per_client
from leaf_data.federated_dataset import FederatedDataset


@dataclasses.dataclass(frozen=True)
class Statistics:
    """A row of the papers' Table 1. Samples are those of train and test together.

    Attributes:
        name: The data set's name.
        num_clients: The number N of clients.
        num_samples: The number of samples of all clients.
        mean_samples_per_client: Their mean over the clients.
        stdev_samples_per_client: Their population standard deviation (divided by N, not N - 1):
            `numpy.std`, as in LEAF's `data/utils/stats.py`, from which the papers have their
            numbers.
        min_samples_per_client: The fewest.
        max_samples_per_client: The most.
        mean_labels_per_client: The mean number of different labels that a client has for training;
            where a paper divides the official test set, a client's test examples have all labels.
        min_labels_per_client: The fewest.
        max_labels_per_client: The most.
    """

    name: str
    num_clients: int
    num_samples: int
    mean_samples_per_client: float
    stdev_samples_per_client: float
    min_samples_per_client: int
    max_samples_per_client: int
    mean_labels_per_client: float
    min_labels_per_client: int
    max_labels_per_client: int


def samples_per_client(dataset: FederatedDataset) -> npt.NDArray[np.int64]:
    """The number of samples of each client, train and test together: [N] int64."""
    return num_examples_per_client(dataset.train) + num_examples_per_client(dataset.test)


def labels_per_client(dataset: FederatedDataset) -> npt.NDArray[np.int64]:
    """The number of different labels that each client trains on: [N] int64."""
    labels = (client_examples(dataset.train, client_id)["y"] for client_id in dataset.client_ids)
    return np.array([len(np.unique(of_client)) for of_client in labels], np.int64)


def label_entropy_per_client(dataset: FederatedDataset) -> npt.NDArray[np.float64]:
    """The entropy of the labels that each client trains on, `−Σ p_c ln p_c`, in nats.

    Args:
        dataset: The data set.

    Returns:
        `[N]` float64; not a number for a client without training examples, and for all where the
        labels are no class indices.
    """
    if dataset.num_classes is None:
        return np.full(dataset.num_clients, np.nan)
    labels = (client_examples(dataset.train, client_id)["y"] for client_id in dataset.client_ids)
    return np.array([_entropy(of_client) for of_client in labels], np.float64)


def _entropy(labels: npt.NDArray[np.integer[Any]]) -> float:
    if not len(labels):
        return np.nan
    _, counts = np.unique(labels, return_counts=True)
    shares = counts / counts.sum()
    return float(np.sum(shares * np.log(1 / shares)))  # Of one class 0, and not minus 0.


def statistics(dataset: FederatedDataset) -> Statistics:
    """Counts samples and labels, and warns where a data set's documentation says otherwise.

    The data is never refused for that: sources have changed under their users before (LEAF issues
    13, 17 and 49). Documented means and deviations are compared to as many decimals as they are
    given with.

    Args:
        dataset: The data set.

    Returns:
        The statistics.
    """
    samples = samples_per_client(dataset)
    labels = labels_per_client(dataset)
    measured = Statistics(
        name=dataset.name,
        num_clients=len(samples),
        num_samples=int(samples.sum()),
        mean_samples_per_client=float(samples.mean()),
        stdev_samples_per_client=float(samples.std()),
        min_samples_per_client=int(samples.min()),
        max_samples_per_client=int(samples.max()),
        mean_labels_per_client=float(labels.mean()),
        min_labels_per_client=int(labels.min()),
        max_labels_per_client=int(labels.max()),
    )
    if dataset.documented is not None:
        differences = []
        for field in dataclasses.fields(dataset.documented):
            expected, found = getattr(dataset.documented, field.name), getattr(measured, field.name)
            if expected is not None and not _agrees(found, expected):
                differences.append(
                    f"{field.name} is {_as_text(found)}, documented is {_as_text(expected)}"
                )
        if differences:
            warnings.warn(
                f"data set {dataset.name!r} differs from its documentation:"
                f" {'; '.join(differences)}.",
                stacklevel=2,
            )
    return measured


def _agrees(found: float, expected: float) -> bool:
    decimals = len(str(expected).partition(".")[2]) if isinstance(expected, float) else 0
    # Half a unit in the last decimal given, and a little for the binary representation.
    return abs(found - expected) <= 0.5 * 10.0**-decimals + 1e-9


def _as_text(number: float) -> str:
    return f"{number}" if isinstance(number, int) else f"{number:g}"
