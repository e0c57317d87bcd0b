"""A validation part of each client's training examples, on which settings are chosen."""

from __future__ import annotations

import dataclasses

import numpy as np

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

    Windows of text overlap with those before and after them. There the last ones are held out, and
    those before them that overlap with them are left out. A client that would have nothing left for
    training gives up nothing. The windows of `shakespeare` are in random order, so its validation
    part overlaps with training windows, as its test part does. Where clients share images, as
    FedAdp's, one client's validation part may be in another's training part.

    Args:
        dataset: The data set; it is left as it is.
        fraction: The share that is held out, in (0, 1).
        seed: The seed of the drawing, a non-negative integer.

    Returns:
        The same clients; their test examples are the validation part.

    Raises:
        ValueError: If an argument is out of range, or no client can give up an example.
    """
    check_number("fraction", fraction, lambda x: 0 < x < 1, "in (0, 1)")
    overlap = 0
    if dataset.alphabet is not None:
        overlap = dataset.train.element_type_structure["x"].shape[0] - 1
    train: dict[str, Examples] = {}
    validation: dict[str, Examples] = {}
    for index, client_id in enumerate(dataset.client_ids):
        examples = client_examples(dataset.train, client_id)
        size = len(next(iter(examples.values())))
        # Without the tolerance 0.29 · 100 = 28.999999999999996 would lose an example.
        num_held_out = int(fraction * size + 1e-9)
        x = examples["x"]
        # The windows of `shakespeare` are in random order.
        is_in_order = overlap and 2 * (x[1:, :-1] == x[:-1, 1:]).all(axis=1).sum() > size - 1
        num_left_out = overlap if is_in_order else 0
        if not 0 < num_held_out < size - num_left_out:
            num_held_out = num_left_out = 0
        last_first = np.arange(size)[::-1]
        stream = random_stream(seed, "validation part", index)
        order = last_first if is_in_order else stream.permutation(size)
        held_out, kept = order[:num_held_out], order[num_held_out + num_left_out :]
        for part, rows in ((validation, np.sort(held_out)), (train, np.sort(kept))):
            part[client_id] = type(examples)((name, each[rows]) for name, each in examples.items())
    if not any(len(next(iter(examples.values()))) for examples in validation.values()):
        raise ValueError(f"fraction is {fraction}; no client has examples enough to give up one.")
    return dataclasses.replace(
        dataset, train=ArrayClientData(train), test=ArrayClientData(validation)
    )
