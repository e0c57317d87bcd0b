"""What all partitioners share: who has which example, the seed, the order, and what they refuse."""

import numpy as np
import pytest

from leaf_data import partitioners

_LABELS = np.random.default_rng(0).permutation(np.arange(60_000) % 10)
_ONE_CLASS = np.zeros(1000)
_ARGUMENTS = {
    "classes_per_client": {},
    "dirichlet": {"num_partitions": 7, "alpha": 0.5},
    "entropy_skew": {"num_samples": 3000, "p": 0.3},
    "general_case_1": {},
    "general_case_2": {},
    "half_iid_half_single_label": {"num_clients": 5},
    "iid": {"num_clients": 50},
    "major_minor": {},
    "power_law_two_class": {},
    "random_classes": {"num_classes_per_client": [2, 1], "samples_per_client": 600},
    "single_label": {"num_clients": 5},
    "x_class": {"num_iid": 3, "num_non_iid": 7, "x": 2},
}
_OF_ALL_EXAMPLES = {"dirichlet", "half_iid_half_single_label", "iid", "single_label"}
_DISJOINT = {*_OF_ALL_EXAMPLES, "classes_per_client", "entropy_skew", "major_minor"}
_DISJOINT.add("power_law_two_class")


def _partition(name, **changed):
    arguments = {"labels": _LABELS, "seed": 0, **_ARGUMENTS[name], **changed}
    return getattr(partitioners, name)(**arguments)


@pytest.mark.parametrize("name", _ARGUMENTS)
def test_partitions_are_indices_in_random_order_that_the_seed_decides(name):
    """Disjoint where the function promises it; neither by index nor by label."""
    partitions = _partition(name)
    handed_out = np.concatenate(partitions)
    assert all(len(np.unique(partition)) == len(partition) > 0 for partition in partitions)
    assert handed_out.min() >= 0 and handed_out.max() < len(_LABELS)
    if name in _DISJOINT:
        assert len(np.unique(handed_out)) == len(handed_out)
    if name in _OF_ALL_EXAMPLES:
        assert len(handed_out) == len(_LABELS)
    largest = max(partitions, key=len)
    assert np.any(np.diff(largest) < 0)
    assert set(_LABELS[largest[: len(largest) // 2]]) == set(_LABELS[largest])
    for again, partition in zip(_partition(name), partitions):
        np.testing.assert_array_equal(again, partition)
    others = _partition(name, seed=1)
    assert not all(np.array_equal(other, one) for other, one in zip(others, partitions))


@pytest.mark.parametrize("name", _ARGUMENTS)
def test_labels_may_be_text(name):
    """Texts in the order of the numbers give the same partitions."""
    texts = np.array([str(label).encode() for label in range(10)], object)[_LABELS]
    for of_text, partition in zip(_partition(name, labels=texts), _partition(name)):
        np.testing.assert_array_equal(of_text, partition)


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("classes_per_client", {"classes_per_client": 11}, "classes_per_client is 11; .* most"),
        ("classes_per_client", {"num_clients": 11_000}, "num_clients is 11000; class 0 has 6000"),
        ("general_case_2", {"labels": _ONE_CLASS}, "labels has 1 classes"),
        ("half_iid_half_single_label", {"labels": _ONE_CLASS}, "labels has 1 classes"),
        ("power_law_two_class", {"labels": _ONE_CLASS}, "labels has 1 classes"),
        ("iid", {"labels": ["a", float("nan")], "num_clients": 1}, "labels has nan among texts"),
        ("dirichlet", {"min_partition_size": 9000}, "min_partition_size is 9000; .* most 60000"),
        ("dirichlet", {"alpha": 0.0001, "labels": np.zeros(99)}, "alpha is 0.0001: 1000 draws"),
        ("dirichlet", {"alpha": 1e-6}, "alpha is 1e-06; it must be in"),
        ("entropy_skew", {"num_samples": 3001}, "num_samples is 3001; .* multiple .* 100"),
        ("entropy_skew", {"num_samples": 90_000}, "labels has 6000 examples of class"),
        ("half_iid_half_single_label", {"num_clients": 1}, "num_clients is 1"),
        ("half_iid_half_single_label", {"labels": [0, *[1] * 9], "num_clients": 5}, "has 1 examp"),
        ("power_law_two_class", {"sigma": 400.0}, "sigma is 400.0; the shares"),
        ("iid", {"num_clients": 60_001}, "num_clients is 60001; .* number of examples"),
        ("major_minor", {"samples_per_client": 9}, "samples_per_client is 9; .* at least 10"),
        ("major_minor", {"labels": _ONE_CLASS}, "labels has 1 classes"),
        ("power_law_two_class", {"num_clients": 1005}, "num_clients is 1005; .* multiple .* 10"),
        ("single_label", {"labels": [0, 0, 0, 1], "num_clients": 4}, "label 1 has 1 examples for"),
        ("x_class", {"x": 11}, "x is 11; it must be at most the number of classes, 10"),
        ("x_class", {"num_iid": 0, "num_non_iid": 0}, r"num_classes_per_client is \[\]"),
        ("x_class", {"samples_per_client": 13_000}, "samples_per_client is 13000; client 3's 2"),
    ],
)
def test_numbers_that_do_not_fit_the_labels_are_refused(name, changed, message):
    with pytest.raises(ValueError, match=message):
        _partition(name, **changed)


@pytest.mark.parametrize(
    ("num_examples", "train_fraction", "num_train"),
    [(9, 0.8, 7), (100, 0.29, 29), (1, 0.8, 1), (2, 0.1, 1), (5, 1.0, 5), (0, 0.8, 0)],
)
def test_train_has_the_floor_and_at_least_one(num_examples, train_fraction, num_train):
    """⌊0.8 · 9⌋ = 7; 0.29 · 100 is 28.999999999999996 in floating point, but 29 in numbers."""
    partition = np.arange(num_examples)
    (train,), (test,) = partitioners.train_test_split(
        [partition], train_fraction=train_fraction, seed=0
    )
    assert len(train) == num_train
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), partition)


def test_a_split_is_shuffled_and_depends_on_the_client_and_the_seed_alone():
    def train(size, seed=4):
        clients = [np.arange(size), np.arange(50, 90)]
        return partitioners.train_test_split(clients, train_fraction=0.8, seed=seed)[0][1]

    np.testing.assert_array_equal(train(3), train(50))
    assert np.any(np.diff(train(3)) < 0)
    assert not np.array_equal(train(3), train(3, seed=5))
