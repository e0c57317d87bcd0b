"""Tests of `leaf_data.partitioners.power_law_two_class`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import power_law_two_class

# MNIST's labels, train and test together: their counts decide the sizes.
_MNIST = np.repeat(np.arange(10), [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958])


def test_two_neighbouring_classes_five_of_each_at_least():
    partitions = power_law_two_class(_MNIST, seed=0)
    assert len(partitions) == 1000
    for client, partition in enumerate(partitions):
        counts = np.bincount(_MNIST[partition], minlength=10)
        assert set(np.flatnonzero(counts)) == {client % 10, (client + 1) % 10}
        assert counts[counts > 0].min() >= 5


def test_no_example_goes_to_two_clients():
    used = np.concatenate(power_law_two_class(_MNIST, seed=0))
    assert len(used) == len(set(used))


def test_total_is_near_the_documented_one():
    """Of 70,000, rounding down loses a little under 1/2 in each of 2,000 shares; paper: 69,035."""
    for seed in range(5):
        sizes = [len(partition) for partition in power_law_two_class(_MNIST, seed=seed)]
        assert abs(sum(sizes) - 69_035) < 100
        assert np.mean(sizes) == pytest.approx(69, abs=0.1)


def test_shares_are_lognormal():
    """log(share) has the deviation σ: for σ = 0 all clients of a class get the same.

    With 100,000 of a class, the logarithm of what a client has of it above its 5 is normal with the
    deviation 2, but for the rounding. Over 200 draws its standard error is 2 / √400 = 0.1.
    """
    labels = np.repeat(np.arange(10), 100_000)
    equal = [len(p) for p in power_law_two_class(labels, num_clients=100, sigma=0.0, seed=0)]
    assert set(equal) == {10_000}
    counts = [
        np.bincount(labels[partition], minlength=10)
        for partition in power_law_two_class(labels, num_clients=1000, seed=0)
    ]
    extra = np.concatenate([count[count > 0] for count in counts]) - 5
    logs = np.log(extra[extra > 10])
    assert 1.4 < logs.std() < 2.2
    assert extra.max() > 20 * np.median(extra)


def test_order_within_a_client_is_random():
    partition = max(power_law_two_class(_MNIST, seed=0), key=len)
    assert len(set(_MNIST[partition[: len(partition) // 2]])) == 2


def test_seed_decides():
    first, second, third = (power_law_two_class(_MNIST, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second))
    assert [len(p) for p in first] != [len(p) for p in third]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 1005}, "num_clients is 1005; it must be a multiple of .* 10"),
        ({"num_clients": 0}, "num_clients is 0"),
        ({"num_clients": 7000}, "num_clients is 7000; class 0 has 6903 examples for the 1400"),
        ({"sigma": -1.0}, "sigma is -1.0"),
        ({"sigma": float("nan")}, "sigma is nan"),
        ({"labels": np.zeros(100)}, "labels has 1 classes"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        power_law_two_class(**{"labels": _MNIST, "seed": 0, **arguments})
