"""A validation part of each client's training examples, on which settings are chosen."""

from __future__ import annotations

import dataclasses

from leaf_data.checks import check_number
from leaf_data.client_data import ArrayClientData, client_examples
from leaf_data.examples import Examples
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.random_streams import random_stream


def with_validation_part(
    dataset: FederatedDataset, *, fraction: float, seed: int
) -> FederatedDataset:
    """Puts a part of every client's training examples in place of its test examples.

    So settings are chosen without a look at the test examples. A client of n training examples
    gives up ⌊fraction · n⌋, drawn from the seed and the client's index alone. The others keep their
    order.

    Args:
        dataset: The data set; it is left as it is.
        fraction: The share that is held out, in (0, 1).
        seed: The seed of the drawing, a non-negative integer.

    Returns:
        The same clients; their test examples are the validation part.

    Raises:
        ValueError: If an argument is out of range.
    """
    check_number("fraction", fraction, lambda x: 0 < x < 1, "in (0, 1)")
    train: dict[str, Examples] = {}
    validation: dict[str, Examples] = {}
    for index, client_id in enumerate(dataset.client_ids):
        examples = client_examples(dataset.train, client_id)
        size = len(next(iter(examples.values())))
        # Without the tolerance 0.29 · 100 = 28.999999999999996 would lose an example.
        num_held_out = int(fraction * size + 1e-9)
        order = random_stream(seed, "validation part", index).permutation(size)
        for part, rows in ((validation, order[:num_held_out]), (train, order[num_held_out:])):
            rows.sort()
            part[client_id] = type(examples)((name, each[rows]) for name, each in examples.items())
    return dataclasses.replace(
        dataset, train=ArrayClientData(train), test=ArrayClientData(validation)
    )
