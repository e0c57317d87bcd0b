"""Tests of `leaf_data.statistics`."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

from leaf_data.client_data import ArrayClientData
from leaf_data.federated_dataset import DocumentedStatistics, FederatedDataset
from leaf_data.statistics import (
    label_entropy_per_client,
    labels_per_client,
    samples_per_client,
    statistics,
)


def _dataset(documented: DocumentedStatistics | None = None) -> FederatedDataset:
    """Three clients with 4, 1 and 2 samples; the first's labels are 0, 1 and, in the test, 1, 2."""
    train = ArrayClientData([("a", {"y": [0, 1]}), ("b", {"y": [5]}), ("c", {"y": [3]})])
    test = ArrayClientData(
        [("a", {"y": [1, 2]}), ("b", {"y": np.zeros(0, int)}), ("c", {"y": [3]})]
    )
    return FederatedDataset("toy", train, test, documented=documented)


def test_row_of_table_1():
    """Mean (4 + 1 + 2)/3 = 7/3; population variance ((5/3)² + (4/3)² + (1/3)²)/3 = 14/9."""
    assert samples_per_client(_dataset()).tolist() == [4, 1, 2]
    assert labels_per_client(_dataset()).tolist() == [2, 1, 1]  # In training.
    row = statistics(_dataset())
    assert row.name == "toy"
    assert (row.num_clients, row.num_samples) == (3, 7)
    assert row.mean_samples_per_client == pytest.approx(7 / 3)
    assert row.stdev_samples_per_client == pytest.approx(np.sqrt(14) / 3)
    assert (row.min_samples_per_client, row.max_samples_per_client) == (1, 4)
    assert row.mean_labels_per_client == pytest.approx(4 / 3)
    assert (row.min_labels_per_client, row.max_labels_per_client) == (1, 2)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("num_clients", 4, "num_clients is 3, documented is 4"),
        ("mean_samples_per_client", 2.4, "mean_samples_per_client is 2.33333, documented is 2.4"),
        ("stdev_samples_per_client", 2, "stdev_samples_per_client is 1.24722, documented is 2"),
    ],
)
def test_difference_is_a_warning_and_no_more(field, value, message):
    """7/3 = 2.333 rounds to 2 and 2.3; √14/3 = 1.2472 to 1 and 1.25: these agree in silence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for agreeing in ((2, 1), (2.3, 1.25)):
            statistics(_dataset(DocumentedStatistics(3, 7, *agreeing)))
    documented = dataclasses.replace(DocumentedStatistics(3, 7, 2, 1), **{field: value})
    with pytest.warns(UserWarning, match=f"'toy' differs from its documentation: {message}"):
        row = statistics(_dataset(documented))
    assert row.num_samples == 7


def _labelled(*labels, num_classes=4) -> FederatedDataset:
    train = ArrayClientData(
        [(str(place), {"y": np.array(each, int)}) for place, each in enumerate(labels)]
    )
    return FederatedDataset("labelled", train, train, num_classes=num_classes)


def test_the_entropy_of_labels_by_hand():
    """Shares 1/2, 1/4, 1/4: ½ ln 2 + ½ ln 4 = 1.5 ln 2. One class: 0. Four alike: ln 4."""
    found = label_entropy_per_client(_labelled([0, 0, 1, 2], [3, 3, 3], [0, 1, 2, 3]))
    np.testing.assert_allclose(found, [1.5 * np.log(2), 0, np.log(4)])
    assert not np.signbit(found[1])
    assert np.isnan(label_entropy_per_client(_labelled([0], []))).tolist() == [False, True]
    assert np.all(np.isnan(label_entropy_per_client(_labelled([0], [1], num_classes=None))))
