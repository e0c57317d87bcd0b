"""FedAdp's skews: clients of equal size that differ in how many classes they hold.

Source: Wu and Wang, "Fast-Convergent Federated Learning with Adaptive Weighting", IEEE TCCN 2021,
sections III-B and V-A. "If a node is at IID setting, 600 samples are randomly selected over the
whole training set. If a node is at x-class non-IID setting, 600 samples are randomly selected over
a subset, which is composed of x class data samples. Each class of the x-class is selected at random
and can be overlapped."

Decisions where the paper is silent:

* Within a client no example occurs twice; two clients may hold the same one, as each is selected
  from the whole training set. So a client's examples depend on nothing but the seed, its index and
  its number of classes: "5 IID" and "5 IID + 5 non-IID" of one seed have the same IID clients.
* The samples are drawn from the union of the client's classes: their classes are about, not
  exactly, equally frequent.
* The IID clients come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer
from leaf_data.partitioners.checks import as_labels, check_at_most
from leaf_data.random_streams import random_stream


def x_class(
    labels: npt.NDArray[Any],
    *,
    num_iid: int,
    num_non_iid: int,
    x: int,
    samples_per_client: int = 600,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """IID clients, and clients with examples of x random classes.

    Args:
        labels: The pool's labels, [num_examples].
        num_iid: How many clients draw from the whole pool, at least 0.
        num_non_iid: How many draw from x classes, at least 0.
        x: The number of classes of each of these, from 1 to the number of classes.
        samples_per_client: How many examples each client has, at least 1.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [samples_per_client] int64 per client, in random order, IID clients first.

    Raises:
        ValueError: If an argument is out of range, or a client's classes have too few examples.
    """
    check_integer("num_iid", num_iid, least=0)
    check_integer("num_non_iid", num_non_iid, least=0)
    check_integer("x", x, least=1)
    num_classes = len(np.unique(as_labels(labels)))
    check_at_most("x", x, num_classes, "classes")
    return random_classes(
        labels,
        num_classes_per_client=[num_classes] * num_iid + [x] * num_non_iid,
        samples_per_client=samples_per_client,
        seed=seed,
    )


def random_classes(
    labels: npt.NDArray[Any],
    *,
    num_classes_per_client: Sequence[int],
    samples_per_client: int = 600,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Clients with given numbers of random classes each: `x_class` for any mix.

    Args:
        labels: The pool's labels, [num_examples].
        num_classes_per_client: For each client how many classes, from 1 to their number.
        samples_per_client: How many examples each client has, at least 1.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [samples_per_client] int64 per client, in random order.

    Raises:
        ValueError: If an argument is out of range, or a client's classes have too few examples.
    """
    labels = as_labels(labels)
    check_integer("samples_per_client", samples_per_client, least=1)
    classes = np.unique(labels)
    if not isinstance(num_classes_per_client, (list, tuple)) or not num_classes_per_client:
        raise ValueError(
            f"num_classes_per_client is {num_classes_per_client!r}; it must be a list of a number"
            " for each client, at least one."
        )
    partitions = []
    for client, num_classes in enumerate(num_classes_per_client):
        check_integer(f"num_classes_per_client[{client}]", num_classes, least=1)
        check_at_most(f"num_classes_per_client[{client}]", num_classes, len(classes), "classes")
        generator = random_stream(seed, "x_class", client)
        chosen = generator.choice(classes, num_classes, replace=False)
        members = np.flatnonzero(np.isin(labels, chosen))
        if len(members) < samples_per_client:
            raise ValueError(
                f"samples_per_client is {samples_per_client}; client {client}'s {num_classes}"
                f" classes have {len(members)} examples."
            )
        partitions.append(generator.choice(members, samples_per_client, replace=False))
    return partitions


def general_case_1(
    labels: npt.NDArray[Any], *, samples_per_client: int = 600, seed: int
) -> list[npt.NDArray[np.int64]]:
    """FedAdp's general case 1: the clients' numbers of classes are a permutation of 1..C.

    "The number of classes of data samples owned by node i is randomly selected from the set
    {1, 2, ..., 10} without overlapping" (section V-A): there are as many clients as classes.

    Args:
        labels: The pool's labels, [num_examples].
        samples_per_client: How many examples each client has, at least 1.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [samples_per_client] int64 for each of C clients, in random order.

    Raises:
        ValueError: If an argument is out of range, or a client's classes have too few examples.
    """
    num_classes = len(np.unique(as_labels(labels)))
    counts = random_stream(seed, "general_case_1").permutation(np.arange(1, num_classes + 1))
    return random_classes(
        labels,
        num_classes_per_client=counts.tolist(),
        samples_per_client=samples_per_client,
        seed=seed,
    )


def general_case_2(
    labels: npt.NDArray[Any], *, num_clients: int = 10, samples_per_client: int = 600, seed: int
) -> list[npt.NDArray[np.int64]]:
    """FedAdp's general case 2: half of the clients have few classes, half have many.

    The first ⌊num_clients / 2⌋ clients have U{1..⌊C/2⌋} classes, the others U{⌊C/2⌋ + 1..C}: of ten
    classes U{1..5} and U{6..10} (section V-A).

    Args:
        labels: The pool's labels, [num_examples], of at least two classes.
        num_clients: How many clients to make, at least 1.
        samples_per_client: How many examples each client has, at least 1.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [samples_per_client] int64 per client, in random order.

    Raises:
        ValueError: If an argument is out of range, or a client's classes have too few examples.
    """
    check_integer("num_clients", num_clients, least=1)
    num_classes = len(np.unique(as_labels(labels)))
    if num_classes < 2:
        raise ValueError(f"labels has {num_classes} classes; at least 2 are needed.")
    generator = random_stream(seed, "general_case_2")
    middle, few = num_classes // 2, num_clients // 2
    counts = [
        *generator.integers(1, middle, few, endpoint=True).tolist(),
        *generator.integers(middle + 1, num_classes, num_clients - few, endpoint=True).tolist(),
    ]
    return random_classes(
        labels, num_classes_per_client=counts, samples_per_client=samples_per_client, seed=seed
    )
