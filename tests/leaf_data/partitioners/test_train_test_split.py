"""Tests of `leaf_data.partitioners.train_test_split`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import train_test_split


@pytest.mark.parametrize(
    ("num_examples", "train_fraction", "num_train"),
    [
        (10, 0.8, 8),
        (9, 0.8, 7),
        (100, 0.29, 29),
        (1, 0.8, 1),
        (2, 0.1, 1),
        (5, 1.0, 5),
        (0, 0.8, 0),
    ],
)
def test_train_has_the_floor_and_at_least_one(num_examples, train_fraction, num_train):
    """⌊0.8 · 9⌋ = 7; 0.29 · 100 is 28.999999999999996 in floating point, but 29 in numbers."""
    partition = np.arange(num_examples)
    (train,), (test,) = train_test_split([partition], train_fraction=train_fraction, seed=0)
    assert len(train) == num_train
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), partition)


def test_is_shuffled():
    (train,), _ = train_test_split([np.arange(100)], train_fraction=0.5, seed=0)
    assert not np.array_equal(train, np.sort(train))


def test_clients_do_not_disturb_each_other():
    """The second client's split is the same whatever the first one holds."""
    ours = np.arange(50, 90)
    splits = [
        train_test_split([np.arange(size), ours], train_fraction=0.8, seed=4)[0][1]
        for size in (3, 50)
    ]
    np.testing.assert_array_equal(*splits)


def test_seed_decides():
    splits = [
        train_test_split([np.arange(50)], train_fraction=0.8, seed=seed)[0][0] for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(splits[0], splits[1])
    assert not np.array_equal(splits[0], splits[2])


@pytest.mark.parametrize("train_fraction", [0.0, -0.1, 1.1, float("nan")])
def test_bad_fraction_is_refused(train_fraction):
    with pytest.raises(ValueError, match="train_fraction is"):
        train_test_split([np.arange(3)], train_fraction=train_fraction, seed=0)
