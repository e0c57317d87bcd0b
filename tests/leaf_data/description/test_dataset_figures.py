from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leaf_data.client_data import ArrayClientData
from leaf_data.description import figures as dataset_figures
from leaf_data.federated_dataset import FederatedDataset


def _dataset(train_labels, test_labels) -> FederatedDataset:
    def client_data(labels):
        return ArrayClientData(
            {
                name: {"x": np.zeros((len(of_client), 2), np.float32), "y": np.array(of_client)}
                for name, of_client in labels.items()
            }
        )

    return FederatedDataset(
        "small", client_data(train_labels), client_data(test_labels), num_classes=3
    )


_SMALL = _dataset({"a": [0, 0, 1], "b": [2]}, {"a": [1], "b": [2]})
_LARGE = _dataset({"a": [0] * 5, "b": [1] * 900}, {"a": [0], "b": [2] * 100})


def test_shares_are_those_in_training():
    np.testing.assert_array_equal(
        dataset_figures.label_shares(_SMALL), [[2 / 3, 1 / 3, 0.0], [0.0, 0.0, 1.0]]
    )
    ignored = _dataset({"a": [-1, 0, 0, 1, 7], "b": [2]}, {"a": [1], "b": [2]})
    np.testing.assert_array_equal(
        dataset_figures.label_shares(ignored), dataset_figures.label_shares(_SMALL)
    )
    with pytest.raises(ValueError, match="'small'"):
        dataset_figures.label_shares(dataclasses.replace(_SMALL, num_classes=None))


def test_both_figures_are_drawn():
    for draw in (dataset_figures.draw_sizes, dataset_figures.draw_labels):
        for dataset in (_SMALL, _LARGE):
            figure = draw(dataset)
            figure.canvas.draw()
            pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255
            assert pixels.shape[0] > 200 and pixels.std() > 0.01


def test_clients_are_counted_by_the_share_of_a_label():
    """Each of three labels is all that 40 of 120 clients have."""
    clients = {str(number): [number % 3] * 5 for number in range(120)}
    shares = dataset_figures.label_shares(_dataset(clients, clients))
    histogram = dataset_figures.share_histogram(shares)
    assert histogram[:, 0] == pytest.approx(2 / 3) and histogram[:, -1] == pytest.approx(1 / 3)
