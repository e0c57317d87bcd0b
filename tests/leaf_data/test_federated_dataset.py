"""Tests of `leaf_data.federated_dataset`."""

from __future__ import annotations

import dataclasses

import pytest

from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import FederatedDataset


def _client_data(*client_ids: str) -> ArrayClientData:
    return ArrayClientData([(client_id, {"y": [0]}) for client_id in client_ids])


def test_ids_and_indices():
    dataset = FederatedDataset("toy", _client_data("b", "a"), _client_data("b", "a"), seed=5)
    assert dataset.client_ids == ["b", "a"]
    assert dataset.num_clients == 2
    assert [dataset.client_index("b"), dataset.client_index("a")] == [0, 1]
    assert dataset.seed == 5
    with pytest.raises(ValueError, match="client_id is 'c'.*'toy'"):
        dataset.client_index("c")


def test_is_frozen():
    dataset = FederatedDataset("toy", _client_data("a"), _client_data("a"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.name = "other"


@pytest.mark.parametrize("test_ids", [["a", "b"], ["b"], ["b", "c"]])
def test_splits_must_have_the_same_clients_in_the_same_order(test_ids):
    with pytest.raises(ValueError, match="'toy' must have the same client ids"):
        FederatedDataset("toy", _client_data("b", "a"), _client_data(*test_ids))
