"""Tests of `leaf_data.partitioners.label_halves`."""

from __future__ import annotations

import numpy as np
import pytest

from leaf_data.partitioners import half_iid_half_single_label, iid, single_label

_LABELS = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 120))
_CASES = (iid, single_label, half_iid_half_single_label)


def _labels_of(partitions):
    return [sorted(set(_LABELS[partition].tolist())) for partition in partitions]


@pytest.mark.parametrize("case", _CASES)
@pytest.mark.parametrize("num_clients", [2, 5, 30, 50])
def test_every_example_goes_to_exactly_one_client(case, num_clients):
    partitions = case(_LABELS, num_clients=num_clients, seed=0)
    assert len(partitions) == num_clients
    np.testing.assert_array_equal(np.sort(np.concatenate(partitions)), np.arange(1200))


def test_case_1_has_equal_sizes_and_all_labels():
    partitions = iid(_LABELS, num_clients=7, seed=0)
    assert [len(partition) for partition in partitions] == [172] * 3 + [171] * 4
    assert _labels_of(partitions) == [list(range(10))] * 7


def test_case_2_of_five_clients_has_two_labels_each():
    """Label l goes to client l mod 5."""
    expected = [[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]]
    assert _labels_of(single_label(_LABELS, num_clients=5, seed=0)) == expected


@pytest.mark.parametrize("num_clients", [10, 30, 50])
def test_case_2_of_more_clients_has_one_label_each(num_clients):
    partitions = single_label(_LABELS, num_clients=num_clients, seed=0)
    assert _labels_of(partitions) == [[client % 10] for client in range(num_clients)]
    assert {len(partition) for partition in partitions} == {1200 // num_clients}


def test_case_3_of_five_clients():
    """Three share the labels 0 to 4; labels 5, 7, 9 and 6, 8 alternate between the other two."""
    partitions = half_iid_half_single_label(_LABELS, num_clients=5, seed=0)
    assert _labels_of(partitions) == [[0, 1, 2, 3, 4]] * 3 + [[5, 7, 9], [6, 8]]
    assert [len(partition) for partition in partitions] == [200, 200, 200, 360, 240]


def test_case_3_of_thirty_clients():
    """15 share the first half; of the other 15, three have each label."""
    partitions = half_iid_half_single_label(_LABELS, num_clients=30, seed=0)
    labels = _labels_of(partitions)
    assert labels[:15] == [[0, 1, 2, 3, 4]] * 15
    assert labels[15:] == [[5 + client % 5] for client in range(15)]
    assert {len(partition) for partition in partitions} == {40}


@pytest.mark.parametrize("case", _CASES)
def test_order_within_a_client_is_random(case):
    """Neither by index nor by label."""
    partition = case(_LABELS, num_clients=5, seed=0)[-1]
    assert np.any(np.diff(partition) < 0)
    half = _LABELS[partition[: len(partition) // 2]]
    assert set(half) == set(_LABELS[partition])


@pytest.mark.parametrize("case", _CASES)
def test_seed_decides(case):
    first, second, third = (case(_LABELS, num_clients=5, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second))
    assert not any(np.array_equal(a, b) for a, b in zip(first, third))


@pytest.mark.parametrize("case", _CASES)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clients": 0}, "num_clients is 0"),
        ({"num_clients": 1201}, "num_clients is 1201; it must be at most the number of examples"),
        ({"labels": np.zeros((2, 2))}, "labels has shape"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_arguments_are_refused(case, arguments, message):
    with pytest.raises(ValueError, match=message):
        case(**{"labels": _LABELS, "num_clients": 5, "seed": 0, **arguments})


def test_too_few_of_a_label():
    with pytest.raises(ValueError, match="num_clients is 4; label 1 has 1 examples for 2 clients"):
        single_label(np.array([0, 0, 0, 1]), num_clients=4, seed=0)


def test_case_3_needs_two_halves():
    with pytest.raises(ValueError, match="num_clients is 1"):
        half_iid_half_single_label(_LABELS, num_clients=1, seed=0)
    with pytest.raises(ValueError, match="labels has 1 classes"):
        half_iid_half_single_label(np.zeros(9), num_clients=2, seed=0)
