"""FedVeca's cases 1, 2 and 3: clients are IID, have one label each, or half of them each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer
from leaf_data.partitioners.checks import as_labels, check_at_most
from leaf_data.random_streams import random_stream

Partitions = list[npt.NDArray[np.int64]]


def iid(labels: npt.NDArray[Any], *, num_clients: int, seed: int) -> Partitions:
    """Divides the pool at random: FedVeca's case 1, Flower's `IidPartitioner`.

    "Each data sample is randomly assigned to a client" (Luo et al., IEEE TPDS 2024, section V-A3).
    Decision: the parts have equal sizes. If the number of examples is not divisible, the first
        clients have one more.

    Args:
        labels: The pool's labels, [num_examples].
        num_clients: How many clients to make, from 1 to the number of examples.
        seed: The seed, a non-negative integer.

    Returns:
        One index array int64 per client, in random order; together each index exactly once.

    Raises:
        ValueError: If an argument is out of range.
    """
    labels = _check(labels, num_clients)
    return _deal(np.arange(len(labels)), num_clients, random_stream(seed, "iid"))


def single_label(labels: npt.NDArray[Any], *, num_clients: int, seed: int) -> Partitions:
    """Gives each client the examples of one label: FedVeca's case 2.

    "All the data samples in each client have the same label" (section V-A3). The words come from
    Wang et al., "Adaptive Federated Learning in Resource Constrained Edge Computing Systems". Their
    code fills in what the paper leaves open (`get_indices_each_node_case` in
    https://github.com/IBM/adaptive-federated-learning). Of C labels, client n has label `n mod C`.
    With fewer clients than labels it also has the labels `n + num_clients, n + 2 num_clients, ...`:
    5 clients have two of ten digits each. With more, the clients of a label share its examples
    equally.

    Args:
        labels: The pool's labels, [num_examples].
        num_clients: How many clients to make, from 1 to the number of examples.
        seed: The seed, a non-negative integer.

    Returns:
        One index array int64 per client, in random order; together each index exactly once.

    Raises:
        ValueError: If an argument is out of range, or a label has fewer examples than clients.
    """
    labels = _check(labels, num_clients)
    return _deal_by_label(labels, num_clients, random_stream(seed, "single_label"))


def half_iid_half_single_label(
    labels: npt.NDArray[Any], *, num_clients: int, seed: int
) -> Partitions:
    """One half of the labels as in `iid`, the other as in `single_label`: FedVeca's case 3.

    "Data samples with the first half of the labels are distributed to the first half of the clients
    as in Case 1, the other samples are distributed to the second half of the clients as in Case 2"
    (section V-A3). If the number of clients or labels is odd, the first half has one more. So the
    first half of five clients is three, as in the paper's section V-B4: clients 4 and 5 behave
    alike there, and so do the other three.

    Args:
        labels: The pool's labels, [num_examples], of at least two kinds.
        num_clients: How many clients to make, from 2 to the number of examples.
        seed: The seed, a non-negative integer.

    Returns:
        One index array int64 per client, in random order; together each index exactly once.

    Raises:
        ValueError: If an argument is out of range, or a label has fewer examples than clients.
    """
    labels = _check(labels, num_clients)
    check_integer("num_clients", num_clients, least=2)
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(f"labels has {len(classes)} classes; at least 2 are needed.")
    generator = random_stream(seed, "half_iid_half_single_label")
    num_first = -(-num_clients // 2)
    of_first_half = np.isin(labels, classes[: -(-len(classes) // 2)])
    if (count := of_first_half.sum()) < num_first:
        raise ValueError(
            f"the first half of the labels has {count} examples for {num_first} clients."
        )
    second = np.flatnonzero(~of_first_half)
    return [
        *_deal(np.flatnonzero(of_first_half), num_first, generator),
        *(
            second[part]
            for part in _deal_by_label(labels[second], num_clients - num_first, generator)
        ),
    ]


def _check(labels: npt.NDArray[Any], num_clients: int) -> npt.NDArray[Any]:
    labels = as_labels(labels)
    check_integer("num_clients", num_clients, least=1)
    check_at_most("num_clients", num_clients, len(labels), "examples")
    return labels


def _deal(
    members: npt.NDArray[np.int64], num_clients: int, generator: np.random.Generator
) -> Partitions:
    return np.array_split(generator.permutation(members), num_clients)


def _deal_by_label(
    labels: npt.NDArray[Any], num_clients: int, generator: np.random.Generator
) -> Partitions:
    classes = np.unique(labels)
    pieces: list[Partitions] = [[] for _ in range(num_clients)]
    for class_index, label in enumerate(classes):
        owners: Sequence[int] = range(class_index, num_clients, len(classes))
        if not owners:
            owners = [class_index % num_clients]
        members = np.flatnonzero(labels == label)
        if len(members) < len(owners):
            raise ValueError(
                f"num_clients is {num_clients}; label {label!r} has {len(members)} examples for"
                f" {len(owners)} clients."
            )
        for client, part in zip(owners, _deal(members, len(owners), generator)):
            pieces[client].append(part)
    return [generator.permutation(np.concatenate(of_client)) for of_client in pieces]
