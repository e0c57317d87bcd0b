"""FedProx's and FedFa's FEMNIST: neighbouring classes, and lognormal sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer, check_truth_value
from leaf_data.partitioners.checks import check_at_most
from leaf_data.partitioners.class_pool import ClassPool
from leaf_data.random_streams import random_stream

_MIN_SAMPLES_PER_CLASS = 2


def classes_per_client(
    labels: npt.NDArray[Any],
    *,
    num_clients: int = 200,
    classes_per_client: int = 5,
    hand_out_all: bool = False,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Gives each client equally many examples of each of some neighbouring classes.

    Client u has the size `lognormal(4, 1) + 5`. Its classes are `u mod C, (u + 1) mod C, ...`. Of
    each it has `⌊size / classes_per_client⌋` examples, but at least 2 (FedProx's script
    `data/nist/data/my_sample.py` in https://github.com/litian96/FedProx, with 3 classes; FedFa,
    section 4.1, with 5). NIID-Bench's `noniid-#label5` names the same skew of labels.

    No example goes to two clients. In the script clients may share examples: a reversed comparison
    begins each class again at its first example for nearly every client (FedProx issue 13).

    Decision: if the clients of a class ask for more examples than it has, what they ask above the 2
        is scaled down by one factor. With `hand_out_all` it is also scaled up if they ask for less.

    Args:
        labels: The pool's labels, [num_examples].
        num_clients: How many clients to make, at least 1.
        classes_per_client: How many classes each client has, from 1 to their number.
        hand_out_all: Whether all examples of the classes are handed out, in proportion to the
            sizes.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [n_u] int64 per client, in random order, with `classes_per_client` different
        labels. No index occurs twice.

    Raises:
        ValueError: If an argument is out of range, or a class has not 2 examples for each of its
            clients.
    """
    check_integer("num_clients", num_clients, least=1)
    check_integer("classes_per_client", classes_per_client, least=1)
    check_truth_value("hand_out_all", hand_out_all)
    generator = random_stream(seed, "classes_per_client")
    pool = ClassPool(labels, generator)
    check_at_most("classes_per_client", classes_per_client, pool.num_classes, "classes")
    # With their own stream, the same clients are large for every pool.
    sizes = random_stream(seed, "classes_per_client sizes").lognormal(4.0, 1.0, num_clients) + 5.0
    wanted = np.maximum((sizes / classes_per_client).astype(np.int64), _MIN_SAMPLES_PER_CLASS)
    clients = np.arange(num_clients)
    pieces: list[list[npt.NDArray[np.int64]]] = [[] for _ in clients]
    for class_index in range(pool.num_classes):
        owners = clients[(class_index - clients) % pool.num_classes < classes_per_client]
        extra = wanted[owners] - _MIN_SAMPLES_PER_CLASS
        rest = pool.num_more(
            class_index, len(owners), least=_MIN_SAMPLES_PER_CLASS, num_clients=num_clients
        )
        if hand_out_all:
            weights = extra if extra.any() else np.ones_like(extra)
            extra = np.diff(np.cumsum(weights) * rest // max(weights.sum(), 1), prepend=0)
        elif extra.sum() > rest:
            extra = extra * rest // extra.sum()
        for client, count in zip(owners, extra):
            pieces[client].append(pool.take(class_index, _MIN_SAMPLES_PER_CLASS + int(count)))
    return [generator.permutation(np.concatenate(of_client)) for of_client in pieces]
