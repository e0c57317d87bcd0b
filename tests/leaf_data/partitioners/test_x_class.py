"""Tests of `leaf_data.partitioners.x_class`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import general_case_1, general_case_2, random_classes, x_class

_LABELS = np.random.default_rng(0).integers(0, 10, 5000)


def _num_classes(partitions, labels=_LABELS):
    return [len(set(labels[partition])) for partition in partitions]


@pytest.mark.parametrize("x", [1, 2, 5])
def test_iid_clients_first_then_those_of_x_classes(x):
    partitions = x_class(_LABELS, num_iid=3, num_non_iid=7, x=x, samples_per_client=300, seed=0)
    assert _num_classes(partitions) == [10] * 3 + [x] * 7
    assert [len(set(partition)) for partition in partitions] == [300] * 10


def test_the_samples_are_spread_over_the_x_classes_by_chance():
    """Of 400 drawn from two classes of equal size, each has 200 ± 10; exact halves are unlikely."""
    (partition,) = random_classes(
        np.arange(20_000) % 2, num_classes_per_client=[2], samples_per_client=400, seed=0
    )
    assert 150 < (partition % 2).sum() < 250


def test_a_clients_samples_do_not_depend_on_the_others():
    few = x_class(_LABELS, num_iid=5, num_non_iid=0, x=1, samples_per_client=300, seed=4)
    more = x_class(_LABELS, num_iid=5, num_non_iid=5, x=1, samples_per_client=300, seed=4)
    for ours, theirs in zip(few, more):
        np.testing.assert_array_equal(ours, theirs)


def test_clients_choose_classes_of_their_own():
    partitions = x_class(_LABELS, num_iid=0, num_non_iid=30, x=1, samples_per_client=100, seed=0)
    chosen = [_LABELS[partition[0]] for partition in partitions]
    assert 5 < len(set(chosen)) < 30  # Classes can be overlapped.


def test_general_case_1_is_a_permutation():
    counts = _num_classes(general_case_1(_LABELS, samples_per_client=400, seed=0))
    assert sorted(counts) == list(range(1, 11))
    assert counts != sorted(counts)


def test_general_case_2_has_two_halves():
    """Over 50 seeds every number of its half occurs: of 250 draws from five, each 50 ± 6."""
    few, many = [], []
    for seed in range(50):
        counts = _num_classes(general_case_2(_LABELS, samples_per_client=400, seed=seed))
        assert len(counts) == 10
        few += counts[:5]
        many += counts[5:]
    assert np.bincount(few, minlength=11).tolist()[6:] == [0] * 5
    assert min(np.bincount(few)[1:6]) > 25
    assert np.bincount(many).tolist()[:6] == [0] * 6
    assert min(np.bincount(many)[6:]) > 25


def test_seed_decides():
    first, second, third = (
        x_class(_LABELS, num_iid=1, num_non_iid=1, x=1, samples_per_client=50, seed=seed)
        for seed in (1, 1, 2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, second))
    assert not any(np.array_equal(a, b) for a, b in zip(first, third))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_iid": -1}, "num_iid is -1; it must be an integer of at least 0"),
        ({"num_non_iid": 0.5}, "num_non_iid is 0.5"),
        ({"x": 0}, "x is 0"),
        ({"x": 11}, "x is 11; it must be at most the number of classes, 10"),
        ({"num_iid": 0, "num_non_iid": 0}, r"num_classes_per_client is \[\]; it must be"),
        ({"samples_per_client": 0}, "samples_per_client is 0"),
        ({"samples_per_client": 4000}, "samples_per_client is 4000; client 1's 1 classes have"),
        ({"labels": np.zeros((2, 2))}, "labels has shape"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    defaults = {"labels": _LABELS, "num_iid": 1, "num_non_iid": 1, "x": 1, "seed": 0}
    with pytest.raises(ValueError, match=message):
        x_class(**{**defaults, "samples_per_client": 100, **arguments})


def test_general_case_2_needs_two_classes():
    with pytest.raises(ValueError, match="labels has 1 classes"):
        general_case_2(np.zeros(1000), seed=0)
    with pytest.raises(ValueError, match="num_clients is 0"):
        general_case_2(_LABELS, num_clients=0, seed=0)


def test_number_of_classes_of_a_client_is_checked():
    with pytest.raises(ValueError, match=r"num_classes_per_client\[1\] is 11"):
        random_classes(_LABELS, num_classes_per_client=[1, 11], samples_per_client=10, seed=0)
