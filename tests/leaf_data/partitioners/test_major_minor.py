"""Tests of `leaf_data.partitioners.major_minor`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import major_minor

_LABELS = np.arange(60_000) % 10
_AUTHORS = {"samples_per_client": 600, "stdev": 0}


def _counts(**arguments):
    partitions = major_minor(_LABELS, **{"seed": 0, **arguments})
    return np.array([np.bincount(_LABELS[partition], minlength=10) for partition in partitions])


def test_sizes_are_300_plus_minus_150():
    """Of 10,000 sizes, normal but for those below 10, who become 10.

    With z = (10 - 300) / 150 = -1.933 their mean is 300 + 150 (φ(z) + z Φ(z)) = 301.5, their
    standard deviation 146.4, and the share Φ(z) = 2.66 % of them is 10. Above, the quantiles are
    those of the normal distribution: 16 % lie below 150, a half below 300, 84 % below 450.
    """
    sizes = np.concatenate([_counts(seed=seed, num_clients=500).sum(axis=1) for seed in range(20)])
    assert sizes.mean() == pytest.approx(301.5, abs=5)
    assert sizes.std() == pytest.approx(146.4, abs=4)
    assert sizes.min() == 10
    assert (sizes == 10).mean() == pytest.approx(0.0266, abs=0.006)
    np.testing.assert_allclose(np.quantile(sizes, [0.1587, 0.5, 0.8413]), [150, 300, 450], atol=8)


def test_three_of_four_are_of_the_major_class():
    counts = np.sort(_counts(), axis=1)
    assert (counts[:, :-2] == 0).all()
    sizes = counts.sum(axis=1)
    np.testing.assert_allclose(counts[:, -1], 0.75 * sizes, atol=0.5)
    assert (counts[:, -2] > 0).all()
    assert len(set(sizes)) > 50


def test_the_authors_sizes_are_450_and_150():
    counts = _counts(**_AUTHORS)
    assert counts.shape == (100, 10)
    assert np.sort(counts, axis=1)[:, -3:].tolist() == [[0, 150, 450]] * 100


def test_the_halves_are_five_and_five():
    counts = _counts(**_AUTHORS)
    majors, minors = (set(np.argwhere(counts == n)[:, 1].tolist()) for n in (450, 150))
    assert len(majors) == len(minors) == 5
    assert not majors & minors


def test_the_25_pairs_take_turns():
    pairs = [tuple(np.argsort(of_client)[-2:]) for of_client in _counts()]
    assert len(set(pairs[:25])) == 25
    assert pairs == pairs[:25] * 4


def test_no_example_has_two_clients():
    """20 clients want 0.75 · 300 of a class of 6,000 on average, 4,500."""
    partitions = major_minor(_LABELS, seed=0)
    indices = np.concatenate(partitions)
    assert len(set(indices)) == len(indices)


def test_repetition_in_the_authors_sizes():
    """None within a client, and none of the minor classes: 20 clients want 150 of 6,000.

    Of the major classes they want 20 · 450 = 9,000: the class is put back once, when 13 · 450 =
    5,850 are gone, so that an image serves two clients at most.
    """
    partitions = major_minor(_LABELS, seed=0, **_AUTHORS)
    assert all(len(set(partition)) == 600 for partition in partitions)
    indices, uses = np.unique(np.concatenate(partitions), return_counts=True)
    assert uses.max() == 2
    minors = set(np.argwhere(_counts(**_AUTHORS) == 150)[:, 1].tolist())
    assert uses[np.isin(_LABELS[indices], list(minors))].max() == 1


@pytest.mark.parametrize(("share", "counts"), [(0.5, [0, 300, 300]), (1, [0, 0, 600])])
def test_major_share(share, counts):
    found = np.sort(_counts(major_share=share, **_AUTHORS), axis=1)
    assert found[:, -3:].tolist() == [counts] * 100


def test_seed_decides():
    np.testing.assert_array_equal(_counts(), _counts())
    sizes = [_counts(seed=seed).sum(axis=1) for seed in (0, 1)]
    assert not np.array_equal(*sizes)
    assert not np.array_equal(_counts(**_AUTHORS), _counts(seed=1, **_AUTHORS))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients is 0"),
        ({"samples_per_client": 9}, "samples_per_client is 9; .* at least 10"),
        ({"stdev": -1.0}, "stdev is -1.0; it must be finite and at least 0"),
        ({"stdev": np.inf}, "stdev is inf"),
        ({"stdev": np.nan}, "stdev is nan"),
        ({"major_share": 0.4}, r"major_share is 0.4; it must be in \[0.5, 1\]"),
        ({"major_share": np.nan}, "major_share is nan"),
        ({"samples_per_client": 20_000}, "labels has 6000 examples of class"),
        ({"labels": np.zeros(1000)}, "labels has 1 classes"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        major_minor(**{"labels": _LABELS, "seed": 0, **arguments})
