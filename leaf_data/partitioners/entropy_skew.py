"""WeiAvg's skew: clients of equal size whose labels differ in entropy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer, check_number, check_one_of, check_truth_value
from leaf_data.partitioners.class_pool import ClassPool
from leaf_data.random_streams import random_stream

_SKEWS = ("geometric", "linear")


def entropy_skew(
    labels: npt.NDArray[Any],
    *,
    num_clients: int = 100,
    num_samples: int,
    p: float = 0.8,
    skew: str = "geometric",
    per_client: bool = False,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Gives each client a random number of classes in equal shares.

    Source: Dong et al., "WeiAvg", 2023, section IV: "We distribute M samples across a total of N
    clients. The entropy distribution among N clients is controlled by a hyperparameter p." The
    paper's figures 5 and 8 show the distributions, but no formula is given. Decision: a client
    holds c of C classes, `P(c) ∝ (1 - p)^(c-1)` for `c = 1..C`, and all sets of c classes are
    equally likely. Its entropy is about `ln c`. With p = 0 all c are equally likely; the larger p,
    the more clients have low entropy; with p = 1 all have one class. A milder reading is linear,
    `P(c) ∝ 1 - p (c - 1) / C`: with p = 1 all numbers of classes still occur.

    Decisions: all clients have equally many examples (the paper's "same amount of samples"). If the
    classes do not divide them, the first classes drawn have one more. The paper's M counts all
    examples together, and no two clients share one. With `per_client` M counts each client's
    examples, drawn without replacement from the whole pool, and clients share examples.

    Args:
        labels: The pool's labels, [num_examples].
        num_clients: N, at least 1.
        num_samples: M: with `per_client` the examples of each client, else of all clients together
            and a multiple of `num_clients`.
        p: The skew, in [0, 1].
        skew: How it acts, "geometric" or "linear".
        per_client: Whether M counts the examples of each client.
        seed: The seed, a non-negative integer. Clients of one seed keep their uniform draws when p
            changes: a larger p gives no client more classes.

    Returns:
        One index array [num_samples / num_clients], or [num_samples] with `per_client`, int64 per
        client, in random order. No index occurs twice in one array, and without `per_client` none
        occurs in two arrays.

    Raises:
        ValueError: If an argument is out of range, or a class has too few examples.
    """
    check_entropy_skew(num_clients, num_samples, p, skew, per_client)
    generator = random_stream(seed, "entropy_skew")
    # Each client's repeated draws have their own stream, so that a larger p gives no client more
    # classes here either.
    pool = ClassPool(labels, random_stream(seed, "shared examples") if per_client else generator)
    size = num_samples if per_client else num_samples // num_clients
    # A client cannot have more classes than examples.
    most = min(pool.num_classes, size)
    others = np.arange(most)  # c - 1
    cumulative = np.cumsum(
        (1.0 - p) ** others if skew == "geometric" else 1.0 - p * others / pool.num_classes
    )
    partitions = []
    for _ in range(num_clients):
        draw = generator.random() * cumulative[-1]
        num_classes = min(int(np.searchsorted(cumulative, draw, side="right")) + 1, most)
        chosen = generator.permutation(pool.num_classes)[:num_classes]
        counts = np.full(num_classes, size // num_classes) + (
            np.arange(num_classes) < size % num_classes
        )
        if per_client:
            for index in chosen:
                pool.refill(index)
        parts = [pool.take(index, int(count)) for index, count in zip(chosen, counts)]
        partitions.append(generator.permutation(np.concatenate(parts)))
    return partitions


def check_entropy_skew(
    num_clients: int, num_samples: int, p: float, skew: str, per_client: bool
) -> None:
    """Makes sure that the arguments of `entropy_skew` are in range, as far as no label decides.

    Raises:
        ValueError: If one is not.
    """
    check_integer("num_clients", num_clients, least=1)
    check_truth_value("per_client", per_client)
    check_integer("num_samples", num_samples, least=1 if per_client else num_clients)
    if not per_client and num_samples % num_clients:
        raise ValueError(
            f"num_samples is {num_samples}; it must be a multiple of num_clients, {num_clients}."
        )
    check_number("p", p, lambda x: 0.0 <= x <= 1.0, "in [0, 1]")
    check_one_of("skew", skew, _SKEWS)
