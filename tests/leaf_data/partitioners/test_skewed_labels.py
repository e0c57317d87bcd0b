"""Tests of `dirichlet` and `entropy_skew`: the distributions of sizes and classes, by hand."""

import numpy as np
import pytest

from leaf_data.partitioners import dirichlet, entropy_skew

_LABELS = np.arange(60_000) % 10


@pytest.mark.parametrize("alpha", [0.1, 0.5, 5.0])
def test_shares_have_the_dirichlets_second_moment(alpha):
    """For s ~ Dir(alpha) over K = 10: E[Σ s_k²] = K · (alpha + 1) / (K (K alpha + 1)).

    That is 1.1/2 = 0.55, 1.5/6 = 0.25 and 6/51 = 0.1176. One example is 1e-4 of a share. The
    tolerance is five standard errors of the mean over 200 draws, measured from the draws.
    """
    labels = np.zeros(10_000, int)
    arguments = {"num_partitions": 10, "alpha": alpha, "min_partition_size": 0}
    sums = []
    for seed in range(200):
        sizes = [len(partition) for partition in dirichlet(labels, seed=seed, **arguments)]
        sums.append(np.sum((np.array(sizes) / len(labels)) ** 2))
    expected = (alpha + 1) / (10 * alpha + 1)
    assert abs(np.mean(sums) - expected) < 5 * np.std(sums) / np.sqrt(200) + 1e-4


def test_each_class_has_shares_of_its_own():
    """With alpha = 0.01 a class goes almost whole to one partition, another class to another."""
    labels = np.repeat(np.arange(8), 500)
    partitions = dirichlet(labels, num_partitions=8, alpha=0.01, min_partition_size=0, seed=0)
    table = np.array([np.bincount(labels[partition], minlength=8) for partition in partitions])
    assert np.all(table.max(axis=0) > 250)
    assert len(set(table.argmax(axis=0))) > 1
    assert min(map(len, dirichlet(labels, num_partitions=7, alpha=0.5, seed=1))) >= 10


def _class_counts(**arguments):
    partitions = entropy_skew(_LABELS, **{"num_samples": 3000, "seed": 0, **arguments})
    return np.array([np.bincount(_LABELS[partition], minlength=10) for partition in partitions])


@pytest.mark.parametrize("p", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("skew", ["geometric", "linear"])
def test_number_of_classes_is_geometric_or_falls_linearly(skew, p):
    """P(c) ∝ (1 - p)^(c - 1) or 1 - p (c - 1) / 10, c = 1..10; for p = 0 all are 1/10.

    For p = 0.8 the first are 0.8, 0.16, 0.032, ..., for p = 1 the others 10/55, 9/55, ..., 1/55.
    With 2,000 clients a frequency errs by √(P (1 - P)/2000).
    """
    before = np.arange(10)
    expected = (1 - p) ** before if skew == "geometric" else 1 - p * before / 10
    expected /= expected.sum()
    tolerance = 4.5 * np.sqrt(expected * (1 - expected) / 2000) + 1e-3
    counts = _class_counts(num_clients=2000, num_samples=20_000, p=p, skew=skew)
    frequencies = np.bincount((counts > 0).sum(axis=1), minlength=11)[1:] / 2000
    np.testing.assert_array_less(np.abs(frequencies - expected), tolerance)


@pytest.mark.parametrize(("per_client", "of_each"), [(False, 30), (True, 3000)])
def test_sizes_are_exact_and_classes_have_equal_shares(per_client, of_each):
    """M = 3,000 in all, or for each of 100 clients, who then share the 60,000 examples."""
    counts = _class_counts(p=0.5, per_client=per_client)
    assert counts.sum(axis=1).tolist() == [of_each] * 100
    assert all(np.ptp(of_client[of_client > 0]) <= 1 for of_client in counts)


@pytest.mark.parametrize("per_client", [False, True])
@pytest.mark.parametrize("skew", ["geometric", "linear"])
def test_a_larger_p_gives_no_client_more_classes(per_client, skew):
    options = {"num_samples": 300, "num_clients": 30, "per_client": per_client, "skew": skew}
    num_classes = [(_class_counts(p=p, **options) > 0).sum(axis=1) for p in (0.0, 0.3, 0.6, 0.9)]
    assert (np.diff(num_classes, axis=0) <= 0).all()
    assert (num_classes[0] > num_classes[-1]).any()
