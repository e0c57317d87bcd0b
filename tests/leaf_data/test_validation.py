from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leaf_data import registry
from leaf_data.client_data import ArrayClientData, client_examples, num_examples_per_client
from leaf_data.federated_dataset import FederatedDataset
from leaf_data.validation import with_validation_part


def test_a_fifth_of_each_clients_training_examples_is_held_out():
    """Of n examples ⌊0.2 n⌋; together they are the client's, and nothing is drawn of the test."""
    dataset = registry.load("synthetic_1_1", seed=3, options={"num_clients": 4})
    parts = with_validation_part(dataset, fraction=0.2, seed=3)
    sizes = num_examples_per_client(dataset.train)
    np.testing.assert_array_equal(num_examples_per_client(parts.test), (sizes + 1e-9) // 5)
    for client_id in dataset.client_ids:
        whole = client_examples(dataset.train, client_id)["x"]
        train, held = (client_examples(each, client_id)["x"] for each in (parts.train, parts.test))
        together = np.concatenate([train, held])
        np.testing.assert_array_equal(
            np.unique(together, axis=0, return_counts=True)[1],
            np.unique(whole, axis=0, return_counts=True)[1],
        )
    for fraction in (1.0, 1e-6):  # The second is of no client a whole example.
        with pytest.raises(ValueError, match="fraction is"):
            with_validation_part(dataset, fraction=fraction, seed=3)


def test_windows_of_text_that_overlap_with_the_validation_part_are_left_out():
    """Of 100 windows of 5 symbols the last 20; the 4 before them share symbols with the first.

    In random order all windows overlap with others, so none is left out.
    """
    x = np.arange(100)[:, np.newaxis] + np.arange(5)
    examples = {"x": x.astype(np.uint8), "y": np.zeros(100, np.int32)}
    train = ArrayClientData([("a", examples), ("b", {name: x[:4] for name, x in examples.items()})])
    ascii = "".join(map(chr, range(128)))
    dataset = FederatedDataset("windows", train, train, num_classes=128, alphabet=ascii)
    parts = with_validation_part(dataset, fraction=0.2, seed=0)
    assert parts.train.arrays["x"][:, 0].tolist() == [*range(76), *range(4)]
    assert parts.test.arrays["x"][:, 0].tolist() == [*range(80, 100)]
    train = ArrayClientData([("a", _mixed(examples))])
    mixed = dataclasses.replace(dataset, train=train, test=train)
    parts = with_validation_part(mixed, fraction=0.2, seed=0)
    assert (len(parts.train.arrays["x"]), len(parts.test.arrays["x"])) == (80, 20)


def _mixed(examples):
    order = np.random.default_rng(0).permutation(100)
    return {name: values[order] for name, values in examples.items()}
