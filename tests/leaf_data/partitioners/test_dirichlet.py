"""Tests of `leaf_data.partitioners.dirichlet`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import dirichlet


def test_every_example_goes_to_exactly_one_partition():
    labels = np.random.default_rng(0).integers(0, 5, 1000)
    partitions = dirichlet(labels, num_partitions=7, alpha=0.5, seed=1)
    assert len(partitions) == 7
    np.testing.assert_array_equal(np.sort(np.concatenate(partitions)), np.arange(1000))
    assert all(len(partition) >= 10 for partition in partitions)


def test_seed_decides():
    labels = np.arange(300) % 3
    first, second, third = (
        dirichlet(labels, num_partitions=4, alpha=1.0, seed=seed) for seed in (1, 1, 2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, second))
    assert not all(np.array_equal(a, b) for a, b in zip(first, third))


@pytest.mark.parametrize("alpha", [0.1, 0.5, 5.0])
def test_shares_have_the_dirichlets_second_moment(alpha):
    """For s ~ Dir(alpha) over K = 10: E[Σ s_k²] = K · (alpha + 1) / (K (K alpha + 1)).

    That is 1.1/2 = 0.55, 1.5/6 = 0.25 and 6/51 = 0.1176. One example is 1e-4 of a share. The
    tolerance is five standard errors of the mean over 400 draws, measured from the draws
    themselves.
    """
    labels = np.zeros(10_000, int)
    sums = []
    for seed in range(400):
        partitions = dirichlet(
            labels, num_partitions=10, alpha=alpha, min_partition_size=0, seed=seed
        )
        shares = np.array([len(partition) for partition in partitions]) / len(labels)
        sums.append(np.sum(shares**2))
    expected = (alpha + 1) / (10 * alpha + 1)
    assert abs(np.mean(sums) - expected) < 5 * np.std(sums) / np.sqrt(400) + 1e-4


def test_each_class_has_shares_of_its_own():
    """With alpha = 0.01 a class goes almost whole to one partition, another class to another."""
    labels = np.repeat(np.arange(8), 500)
    partitions = dirichlet(labels, num_partitions=8, alpha=0.01, min_partition_size=0, seed=0)
    table = np.array([np.bincount(labels[partition], minlength=8) for partition in partitions])
    assert np.all(table.max(axis=0) > 250)
    assert len(set(table.argmax(axis=0))) > 1


def test_order_within_a_partition_is_random():
    """Not class after class: the first half of a partition has both classes."""
    labels = np.repeat([0, 1], 500)
    for partition in dirichlet(labels, num_partitions=2, alpha=100.0, seed=0):
        assert set(labels[partition[: len(partition) // 2]]) == {0, 1}


def test_labels_may_be_text():
    labels = np.array([b"no", b"yes"] * 50, object)
    partitions = dirichlet(labels, num_partitions=2, alpha=10.0, seed=0)
    assert sum(map(len, partitions)) == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_partitions": 0}, "num_partitions is 0"),
        ({"alpha": 0.0}, "alpha is 0.0"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"min_partition_size": -1}, "min_partition_size is -1"),
        ({"min_partition_size": 26}, "min_partition_size is 26; it must be at most 100"),
        ({"labels": np.zeros((2, 50))}, "labels has shape"),
        ({"seed": -1}, "seed is -1"),
        ({"alpha": 1e-6, "min_partition_size": 25}, "alpha is 1e-06: 1000 draws"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    defaults = {"labels": np.zeros(100), "num_partitions": 4, "alpha": 1.0, "seed": 0}
    with pytest.raises(ValueError, match=message):
        dirichlet(**{**defaults, **arguments})
