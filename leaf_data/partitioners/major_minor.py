"""FedCav's skew: two classes per client, one of a major and one of a minor half."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.partitioners.checks import as_labels, check_integer
from leaf_data.partitioners.class_pool import ClassPool
from leaf_data.random_streams import random_stream


def major_minor(
    labels: npt.NDArray[Any],
    *,
    num_clients: int = 100,
    samples_per_client: int = 600,
    sigma: int = 150,
    seed: int,
) -> list[npt.NDArray[np.int64]]:
    """Gives each client much of one major class and little of one minor class.

    Source: Zeng et al., "FedCav", ICPP 2021, in the authors' code
    (`noniid_equal_label_sigma_alpha` in https://github.com/zenghui9977/FedCav, `create_clients.py`,
    run with sigma 150 in `launch_exp.sh`); the paper's text was not available. The classes are
    halved at random. The pairs of a major and a minor class are taken in turn: of ten classes
    client u has the pair `u mod 25`. Of n samples it has `n/2 + σ` of its major class and `n/2 - σ`
    of its minor class: 300 ± 150 where 100 clients divide 60,000 images.

    Of MNIST the major classes are asked for more than they have: 20 clients want 450 of some 6,000
    each. In the authors' code the last of them draw with replacement from the few hundred images
    that are left. Decision: when a class has too few left for a client, all of it is put back and
    shuffled. So no client has an example twice, and as few clients as can be share one; the minor
    classes are disjoint.

    Args:
      labels: The pool's labels, [num_examples], of at least two classes.
      num_clients: How many clients to make, at least 1.
      samples_per_client: n, even and at least 2. The authors' is the pool's size divided by the
        number of clients.
      sigma: σ, from 0 to n/2; 0 gives both classes the same.
      seed: The seed, a non-negative integer.

    Returns:
      One index array [samples_per_client] int64 per client, in random order, without repetition
      within a client.

    Raises:
      ValueError: If an argument is out of range, or a class has fewer examples than one client
        asks for.
    """
    labels = as_labels(labels)
    check_integer("num_clients", num_clients, minimum=1)
    check_integer("samples_per_client", samples_per_client, minimum=2)
    check_integer("sigma", sigma, minimum=0)
    half = samples_per_client // 2
    if samples_per_client % 2:
        raise ValueError(f"samples_per_client is {samples_per_client}; it must be even.")
    if sigma > half:
        raise ValueError(f"sigma is {sigma}; it must be at most samples_per_client / 2, {half}.")
    generator = random_stream(seed, "major_minor")
    pool = ClassPool(labels, generator)
    if pool.num_classes < 2:
        raise ValueError(f"labels has {pool.num_classes} classes; at least 2 are needed.")
    classes = generator.permutation(pool.num_classes)
    middle = pool.num_classes // 2
    pairs = itertools.cycle(itertools.product(classes[:middle], classes[middle:]))
    partitions = []
    for major, minor in itertools.islice(pairs, num_clients):
        parts = []
        for class_index, count in ((major, half + sigma), (minor, half - sigma)):
            if pool.num_left(class_index) < count:
                pool.refill(class_index)
            parts.append(pool.take(class_index, count))
        partitions.append(generator.permutation(np.concatenate(parts)))
    return partitions
