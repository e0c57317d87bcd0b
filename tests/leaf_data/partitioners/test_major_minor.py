"""Tests of `leaf_data.partitioners.major_minor`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import major_minor

_LABELS = np.arange(60_000) % 10


def _counts(**arguments):
    partitions = major_minor(_LABELS, **{"seed": 0, **arguments})
    return np.array([np.bincount(_LABELS[partition], minlength=10) for partition in partitions])


def test_450_of_a_major_and_150_of_a_minor_class():
    """300 ± 150: the authors' run with sigma 150."""
    counts = _counts()
    assert counts.shape == (100, 10)
    assert np.sort(counts, axis=1)[:, -3:].tolist() == [[0, 150, 450]] * 100


def test_the_halves_are_five_and_five():
    counts = _counts()
    majors, minors = (set(np.argwhere(counts == n)[:, 1].tolist()) for n in (450, 150))
    assert len(majors) == len(minors) == 5
    assert not majors & minors


def test_the_25_pairs_take_turns():
    counts = _counts()
    pairs = [tuple(np.argsort(of_client)[-2:]) for of_client in counts]
    assert len(set(pairs[:25])) == 25
    assert pairs == pairs[:25] * 4


def test_repetition():
    """None within a client, and none of the minor classes: 20 clients want 150 of 6,000.

    Of the major classes they want 20 · 450 = 9,000: the class is put back once, when 13 · 450 =
    5,850 are gone, so that an image serves two clients at most.
    """
    partitions = major_minor(_LABELS, seed=0)
    assert all(len(set(partition)) == 600 for partition in partitions)
    indices, uses = np.unique(np.concatenate(partitions), return_counts=True)
    assert uses.max() == 2
    minors = set(np.argwhere(_counts() == 150)[:, 1].tolist())
    assert uses[np.isin(_LABELS[indices], list(minors))].max() == 1


def test_sigma_zero_gives_both_the_same():
    assert np.sort(_counts(sigma=0), axis=1)[:, -2:].tolist() == [[300, 300]] * 100


def test_seed_decides():
    np.testing.assert_array_equal(_counts(), _counts())
    assert not np.array_equal(_counts(), _counts(seed=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients is 0"),
        ({"samples_per_client": 601}, "samples_per_client is 601; it must be even"),
        ({"samples_per_client": 0}, "samples_per_client is 0"),
        ({"sigma": 301}, "sigma is 301; it must be at most samples_per_client / 2, 300"),
        ({"sigma": -1}, "sigma is -1"),
        ({"samples_per_client": 20_000}, "labels has 6000 examples of class"),
        ({"labels": np.zeros(1000)}, "labels has 1 classes"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        major_minor(**{"labels": _LABELS, "seed": 0, **arguments})
