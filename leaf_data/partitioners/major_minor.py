"""FedCav's skew: two classes per client, one from a major and one from a minor half."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_integer, check_number
from leaf_data.partitioners.checks import as_labels
from leaf_data.partitioners.class_pool import ClassPool
from leaf_data.random_streams import random_stream

_FEWEST = 10  # A mini-batch of FedCav's.


def major_minor(
    labels: npt.NDArray[Any],
    *,
    num_clients: int = 100,
    samples_per_client: int = 300,
    stdev: float = 150.0,
    major_share: float = 0.75,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Gives each client much of one major class and little of one minor class.

    Source: Zeng et al., "FedCav", ICPP 2021, whose text was not available, and the authors' code
    (`noniid_equal_label_sigma_alpha` in https://github.com/zenghui9977/FedCav, `create_clients.py`,
    run with sigma 150 in `launch_exp.sh`). The classes are halved at random. The pairs of a major
    and a minor class are taken in turn: of ten classes client u has the pair `u mod 25`.

    Decision: as the data set is described, clients have 300 ± 150 samples, normally distributed,
    and at least 10. In the authors' code all clients have 600 samples, 300 + 150 of their major
    class and 300 - 150 of their minor class: that is `samples_per_client=600, stdev=0`. The code's
    proportion of the two classes, 3 to 1, is kept for all sizes.

    With the authors' sizes MNIST's major classes have too few images: 20 clients want 450 of some
    6,000 each. In their code the last clients draw with replacement from the few hundred images
    that are left. Decision: if a class has too few examples left for a client, all its examples are
    put back and shuffled. So no client has an example twice, and few clients share one. With the
    default sizes hardly any class runs out.

    Args:
        labels: The pool's labels, [num_examples], of at least two classes.
        num_clients: How many clients to make, at least 1.
        samples_per_client: The mean of the clients' sizes, at least 10.
        stdev: Their standard deviation, at least 0. Sizes below 10 become 10, so 300 ± 150 becomes
            301.5 ± 146.4 on average.
        major_share: The major class' share of a client's samples, from 0.5 to 1.
        seed: The seed, a non-negative integer.

    Returns:
        One index array [size] int64 per client, in random order, without repetition within a
        client.

    Raises:
        ValueError: If an argument is out of range, or a class has fewer examples than one client
            asks for.
    """
    labels = as_labels(labels)
    check_major_minor(num_clients, samples_per_client, stdev, major_share)
    generator = random_stream(seed, "major_minor")
    pool = ClassPool(labels, generator)
    if pool.num_classes < 2:
        raise ValueError(f"labels has {pool.num_classes} classes; at least 2 are needed.")
    classes = generator.permutation(pool.num_classes)
    middle = pool.num_classes // 2
    pairs = itertools.cycle(itertools.product(classes[:middle], classes[middle:]))
    drawn = random_stream(seed, "major_minor, sizes").normal(samples_per_client, stdev, num_clients)
    # One more than all: then a class is refused as too small.
    sizes = np.rint(np.clip(drawn, _FEWEST, 2 * len(labels) + 2)).astype(np.int64)
    num_major = np.rint(major_share * sizes).astype(np.int64)
    partitions = []
    for (major, minor), of_major, of_minor in zip(pairs, num_major, sizes - num_major):
        parts = []
        for class_index, count in ((major, of_major), (minor, of_minor)):
            if pool.num_left(class_index) < count:
                pool.refill(class_index)
            parts.append(pool.take(class_index, count))
        partitions.append(generator.permutation(np.concatenate(parts)))
    return partitions


def check_major_minor(
    num_clients: int, samples_per_client: int, stdev: float, major_share: float
) -> None:
    """Makes sure that the arguments of `major_minor` are in range, as far as no label decides.

    Raises:
        ValueError: If one is not.
    """
    check_integer("num_clients", num_clients, least=1)
    check_integer("samples_per_client", samples_per_client, least=_FEWEST)
    check_number("stdev", stdev, lambda x: x >= 0.0, "finite and at least 0")
    check_number("major_share", major_share, lambda x: 0.5 <= x <= 1.0, "in [0.5, 1]")
