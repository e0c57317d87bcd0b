"""WeiAvg's skew: clients of equal size whose labels differ in entropy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer, check_number
from leaf_data.partitioners.class_pool import ClassPool
from leaf_data.random_streams import random_stream


def entropy_skew(
    labels: npt.NDArray[Any],
    *,
    num_clients: int = 100,
    num_samples: int,
    p: float = 0.8,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Gives each client a random number of classes in equal shares.

    Source: Dong et al., "WeiAvg", 2023, section IV: "We distribute M samples across a total of N
    clients. The entropy distribution among N clients is controlled by a hyperparameter p." The
    paper's figures 5 and 8 show the distributions, but no formula is given. Decision: a client
    holds c of C classes, `P(c) ∝ (1 - p)^(c-1)` for `c = 1..C`, all sets of c classes alike; its
    entropy then is about `ln c`. With p = 0 every c is as likely; the larger p, the more clients of
    low entropy; with p = 1 all have one class.

    Decisions: every client has `num_samples / num_clients` examples (the paper's "same amount of
    samples"); where the classes do not divide them, the first ones drawn have one more. No example
    goes to two clients.

    Args:
        labels: The pool's labels, [num_examples].
        num_clients: N, at least 1.
        num_samples: M, the examples of all clients together, a multiple of `num_clients`.
        p: The skew, in [0, 1].
        seed: The seed, a non-negative integer. Clients of one seed keep their uniform draws when p
            changes: a larger p gives no client more classes.

    Returns:
        One index array [num_samples / num_clients] int64 per client, in random order. No index
        occurs twice.

    Raises:
        ValueError: If an argument is out of range, or a class has too few examples.
    """
    check_integer("num_clients", num_clients, minimum=1)
    check_integer("num_samples", num_samples, minimum=num_clients)
    if num_samples % num_clients:
        raise ValueError(
            f"num_samples is {num_samples}; it must be a multiple of num_clients, {num_clients}."
        )
    check_number("p", p, lambda x: 0.0 <= x <= 1.0, "in [0, 1]")
    generator = random_stream(seed, "entropy_skew")
    pool = ClassPool(labels, generator)
    size = num_samples // num_clients
    # A client cannot have more classes than examples.
    most = min(pool.num_classes, size)
    cumulative = np.cumsum((1.0 - p) ** np.arange(most))
    partitions = []
    for _ in range(num_clients):
        draw = generator.random() * cumulative[-1]
        num_classes = min(int(np.searchsorted(cumulative, draw, side="right")) + 1, most)
        chosen = generator.permutation(pool.num_classes)[:num_classes]
        counts = np.full(num_classes, size // num_classes) + (
            np.arange(num_classes) < size % num_classes
        )
        parts = [pool.take(index, int(count)) for index, count in zip(chosen, counts)]
        partitions.append(generator.permutation(np.concatenate(parts)))
    return partitions
