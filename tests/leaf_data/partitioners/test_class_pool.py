"""Tests of `leaf_data.partitioners.class_pool`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners.class_pool import ClassPool

_LABELS = np.array([7, 3, 7, 7, 3])


def _pool() -> ClassPool:
    return ClassPool(_LABELS, np.random.default_rng(0))


def test_each_example_is_taken_once():
    pool = _pool()
    assert pool.classes.tolist() == [3, 7]
    assert pool.num_classes == 2
    taken = np.concatenate([pool.take(1, 2), pool.take(0, 2), pool.take(1, 1)])
    assert sorted(taken) == [0, 1, 2, 3, 4]
    assert (_LABELS[taken] == [7, 7, 3, 3, 7]).all()
    assert (pool.num_left(1), pool.num_members(1)) == (0, 3)


def test_too_few():
    pool = _pool()
    pool.take(0, 1)
    with pytest.raises(ValueError, match="labels has 2 examples of class 3; .* at least 2 more"):
        pool.take(0, 3)


def test_refill():
    pool = _pool()
    first = pool.take(1, 3)
    pool.refill(1)
    assert set(pool.take(1, 3)) == set(first)


def test_labels_must_be_a_vector():
    with pytest.raises(ValueError, match=r"labels has shape \(2, 2\)"):
        ClassPool(np.zeros((2, 2)), np.random.default_rng(0))
