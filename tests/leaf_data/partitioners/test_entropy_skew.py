"""Tests of `leaf_data.partitioners.entropy_skew`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import entropy_skew

_LABELS = np.arange(60_000) % 10


def _class_counts(**arguments):
    partitions = entropy_skew(_LABELS, **{"num_samples": 3000, "seed": 0, **arguments})
    return np.array([np.bincount(_LABELS[partition], minlength=10) for partition in partitions])


def test_sizes_are_exact_and_disjoint():
    partitions = entropy_skew(_LABELS, num_samples=3000, seed=0)
    assert [len(partition) for partition in partitions] == [30] * 100
    assert len(set(np.concatenate(partitions))) == 3000


def test_classes_have_equal_shares():
    counts = _class_counts(p=0.2)
    for of_client in counts:
        present = of_client[of_client > 0]
        assert present.max() - present.min() <= 1


@pytest.mark.parametrize("p", [0.0, 0.3, 0.8])
def test_number_of_classes_is_geometric(p):
    """P(c) ∝ (1 - p)^(c - 1), c = 1..10; with 2,000 clients a frequency errs by √(P (1 - P)/2000).

    For p = 0 all are 1/10; for p = 0.8 they are 0.8, 0.16, 0.032, ...
    """
    counts = _class_counts(p=p, num_clients=2000, num_samples=20_000)
    frequencies = np.bincount((counts > 0).sum(axis=1), minlength=11)[1:] / 2000
    expected = (1 - p) ** np.arange(10)
    expected /= expected.sum()
    tolerance = 4.5 * np.sqrt(expected * (1 - expected) / 2000) + 1e-3
    np.testing.assert_array_less(np.abs(frequencies - expected), tolerance)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
def test_the_linear_skew_is_mild(p):
    """P(c) ∝ 1 - p (c - 1) / 10: for p = 1 10, 9, ..., 1 of 55; p = 0 is even by either."""
    counts = _class_counts(p=p, skew="linear", num_clients=2000, num_samples=20_000)
    frequencies = np.bincount((counts > 0).sum(axis=1), minlength=11)[1:] / 2000
    expected = np.array([1 - p * (c - 1) / 10 for c in range(1, 11)])
    expected /= expected.sum()
    if p == 1.0:
        np.testing.assert_allclose(expected * 55, np.arange(10, 0, -1))
    np.testing.assert_array_less(np.abs(frequencies - expected), 4.5 * np.sqrt(0.25 / 2000))


def test_each_client_may_have_all_samples_of_its_own():
    """M = 3,000 for each of 100 clients: 300,000 of 60,000 examples, none twice in one client."""
    partitions = entropy_skew(_LABELS, num_samples=3000, per_client=True, p=0.5, seed=0)
    assert [len(np.unique(partition)) for partition in partitions] == [3000] * 100
    assert len(np.unique(np.concatenate(partitions))) > 50_000
    counts = np.array([np.bincount(_LABELS[partition], minlength=10) for partition in partitions])
    present = [of_client[of_client > 0] for of_client in counts]
    assert all(np.ptp(of_client) <= 1 for of_client in present)


@pytest.mark.parametrize("per_client", [False, True])
@pytest.mark.parametrize("skew", ["geometric", "linear"])
def test_a_larger_p_gives_no_client_more_classes(per_client, skew):
    options = {"num_samples": 300, "num_clients": 30, "per_client": per_client, "skew": skew}
    num_classes = [(_class_counts(p=p, **options) > 0).sum(axis=1) for p in (0.0, 0.3, 0.6, 0.9)]
    assert (np.diff(num_classes, axis=0) <= 0).all()
    assert (num_classes[0] > num_classes[-1]).any()


def test_extremes():
    assert ((_class_counts(p=1.0) > 0).sum(axis=1) == 1).all()
    entropies = []
    for p in (0.0, 0.4, 0.8, 1.0):
        shares = _class_counts(p=p) / 30
        entropies.append(-np.sum(shares * np.log(np.maximum(shares, 1e-300)), axis=1).mean())
    assert entropies == sorted(entropies, reverse=True)


def test_all_classes_are_drawn_alike():
    """Of 3,000 examples each class has 300; a client's whole 30 may be of one: √(30 · 300) = 95."""
    assert np.abs(_class_counts().sum(axis=0) - 300).max() < 4 * 95


def test_no_more_classes_than_examples():
    assert ((_class_counts(p=0.0, num_samples=200) > 0).sum(axis=1) <= 2).all()


def test_seed_decides():
    np.testing.assert_array_equal(_class_counts(), _class_counts())
    assert not np.array_equal(_class_counts(), _class_counts(seed=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients is 0"),
        ({"num_samples": 3001}, "num_samples is 3001; it must be a multiple of num_clients, 100"),
        ({"num_samples": 99}, "num_samples is 99; it must be an integer of at least 100"),
        ({"p": -0.1}, "p is -0.1"),
        ({"p": 1.1}, "p is 1.1"),
        ({"p": float("nan")}, "p is nan"),
        ({"num_samples": 90_000}, "labels has 6000 examples of class"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        entropy_skew(_LABELS, **{"num_samples": 3000, "seed": 0, **arguments})
