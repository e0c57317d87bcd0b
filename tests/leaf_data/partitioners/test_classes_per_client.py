"""Tests of `leaf_data.partitioners.classes_per_client`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import classes_per_client

_PLENTY = np.arange(100_000) % 10


def _sizes(labels=_PLENTY, **arguments):
    return [len(partition) for partition in classes_per_client(labels, **arguments)]


def test_five_neighbouring_classes_in_equal_parts():
    partitions = classes_per_client(_PLENTY, seed=0)
    assert len(partitions) == 200
    for client, partition in enumerate(partitions):
        counts = np.bincount(_PLENTY[partition], minlength=10)
        assert set(np.flatnonzero(counts)) == {(client + j) % 10 for j in range(5)}
        assert len(set(counts[counts > 0])) == 1
        assert counts.max() >= 2


def test_no_example_goes_to_two_clients():
    used = np.concatenate(classes_per_client(_PLENTY, seed=0))
    assert len(used) == len(set(used))


def test_sizes_are_lognormal():
    """E[lognormal(4, 1)] = e^4.5 = 90, plus 5, minus about 2 for rounding down to a multiple of 5.

    A single size deviates by 90 √(e - 1) = 118, the mean of 20 · 200 sizes by 118 / √4000 = 1.9.
    """
    sizes = np.concatenate([_sizes(seed=seed) for seed in range(20)])
    assert abs(sizes.mean() - 93) < 4 * 1.9
    assert abs(np.median(sizes) - (np.exp(4) + 3)) < 5


def test_other_numbers_of_classes():
    partitions = classes_per_client(_PLENTY, num_clients=7, classes_per_client=3, seed=0)
    assert [len(set(_PLENTY[partition])) for partition in partitions] == [3] * 7


def test_scarce_classes_are_scaled_down():
    """With a tenth of the examples everybody keeps 2 of each class, and nothing is used twice."""
    labels = np.arange(3000) % 10
    partitions = classes_per_client(labels, seed=0)
    used = np.concatenate(partitions)
    assert len(used) == len(set(used))
    assert 2400 < len(used) <= 3000
    assert min(map(len, partitions)) >= 10
    assert np.corrcoef(_sizes(seed=0), _sizes(labels, seed=0))[0, 1] > 0.97


def test_seed_decides():
    assert _sizes(seed=1) == _sizes(seed=1) != _sizes(seed=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients is 0"),
        ({"classes_per_client": 0}, "classes_per_client is 0"),
        ({"classes_per_client": 11}, "classes_per_client is 11; it must be at most .* 10"),
        ({"num_clients": 11_000}, "num_clients is 11000; class 0 has 10000 examples"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        classes_per_client(**{"labels": _PLENTY, "seed": 0, **arguments})
