from __future__ import annotations

import numpy as np
import pytest

from leaf_data import registry
from leaf_data.client_data import client_examples, num_examples_per_client
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
    with pytest.raises(ValueError, match="fraction"):
        with_validation_part(dataset, fraction=1.0, seed=3)
