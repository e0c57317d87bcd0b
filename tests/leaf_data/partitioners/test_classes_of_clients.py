"""Tests of the partitioners that give each client a few classes, against numbers by hand."""

import numpy as np
import pytest

from leaf_data.partitioners import (
    classes_per_client,
    general_case_1,
    general_case_2,
    half_iid_half_single_label,
    iid,
    major_minor,
    power_law_two_class,
    single_label,
    x_class,
)

_PLENTY = np.arange(100_000) % 10
# MNIST's labels, train and test together: their counts decide the sizes.
_MNIST = np.repeat(np.arange(10), [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958])
_TRAIN = np.arange(60_000) % 10
_SMALL = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 500))


def _counts(labels, partitions):
    """Of each client, how many examples of each of ten classes it has."""
    return np.array([np.bincount(labels[partition], minlength=10) for partition in partitions])


def _classes(labels, partitions):
    return [np.unique(labels[partition]).tolist() for partition in partitions]


def test_five_neighbouring_classes_in_equal_parts():
    counts = _counts(_PLENTY, classes_per_client(_PLENTY, seed=0))
    assert len(counts) == 200
    for client, of_client in enumerate(counts):
        assert set(np.flatnonzero(of_client)) == {(client + j) % 10 for j in range(5)}
        assert len(set(of_client[of_client > 0])) == 1
        assert of_client.max() >= 2
    few = classes_per_client(_PLENTY, num_clients=7, classes_per_client=3, seed=0)
    assert [len(classes) for classes in _classes(_PLENTY, few)] == [3] * 7


def test_scarce_classes_are_scaled_down():
    """With a tenth of the examples everybody keeps 2 of each class, and nothing is used twice."""
    scarce, plenty = (
        np.array([len(p) for p in classes_per_client(np.arange(count) % 10, seed=0)])
        for count in (3000, 100_000)
    )
    assert 2400 < scarce.sum() <= 3000
    assert scarce.min() >= 10
    assert np.corrcoef(plenty, scarce)[0, 1] > 0.97


def test_two_neighbouring_classes_five_of_each_at_least():
    """Of 70,000, rounding down loses a little under 1/2 in each of 2,000 shares; paper: 69,035."""
    for seed in range(3):
        counts = _counts(_MNIST, power_law_two_class(_MNIST, seed=seed))
        assert len(counts) == 1000
        for client, of_client in enumerate(counts):
            assert set(np.flatnonzero(of_client)) == {client % 10, (client + 1) % 10}
        assert counts[counts > 0].min() >= 5
        assert abs(counts.sum() - 69_035) < 100


def test_shares_of_two_classes_are_lognormal():
    """log(share) has the deviation σ: for σ = 0 all clients of a class get the same.

    With 100,000 of a class, the logarithm of what a client has of it above its 5 is normal with the
    deviation 2, but for the rounding. Over 200 draws its standard error is 2 / √400 = 0.1.
    """
    labels = np.repeat(np.arange(10), 100_000)
    equal = power_law_two_class(labels, num_clients=100, sigma=0.0, seed=0)
    assert {len(partition) for partition in equal} == {10_000}
    counts = _counts(labels, power_law_two_class(labels, num_clients=1000, seed=0))
    extra = counts[counts > 0] - 5
    assert 1.4 < np.log(extra[extra > 10]).std() < 2.2
    assert extra.max() > 20 * np.median(extra)


def _major_minor(**arguments):
    return _counts(_TRAIN, major_minor(_TRAIN, **{"seed": 0, **arguments}))


_AUTHORS = {"samples_per_client": 600, "stdev": 0}


def test_sizes_are_300_plus_minus_150():
    """Of 10,000 sizes, normal but for those below 10, who become 10.

    With z = (10 - 300) / 150 = -1.933 their mean is 300 + 150 (φ(z) + z Φ(z)) = 301.5, their
    standard deviation 146.4, and the share Φ(z) = 2.66 % of them is 10. Above, the quantiles are
    those of the normal distribution: 16 % lie below 150, a half below 300, 84 % below 450.
    """
    seeds = [_major_minor(seed=seed, num_clients=500) for seed in range(20)]
    sizes = np.concatenate([counts.sum(axis=1) for counts in seeds])
    assert sizes.mean() == pytest.approx(301.5, abs=5)
    assert sizes.std() == pytest.approx(146.4, abs=4)
    assert sizes.min() == 10
    assert (sizes == 10).mean() == pytest.approx(0.0266, abs=0.006)
    np.testing.assert_allclose(np.quantile(sizes, [0.1587, 0.5, 0.8413]), [150, 300, 450], atol=8)


def test_three_of_four_are_of_the_major_class_and_the_25_pairs_take_turns():
    of_clients = _major_minor()
    counts, sizes = np.sort(of_clients, axis=1), of_clients.sum(axis=1)
    assert (counts[:, :-2] == 0).all() and (counts[:, -2] > 0).all()
    np.testing.assert_allclose(counts[:, -1], 0.75 * sizes, atol=0.5)
    assert len(set(sizes)) > 50
    pairs = [tuple(np.argsort(of_client)[-2:]) for of_client in of_clients]
    assert len(set(pairs[:25])) == 25
    assert pairs == pairs[:25] * 4


def test_the_authors_sizes_are_450_and_150():
    """Five classes are major and five minor, and no image serves more than two clients.

    20 clients want 150 of a minor class' 6,000, and no image serves two of them. Of a major class
    they want 20 · 450 = 9,000: it is put back once, when 13 · 450 = 5,850 are gone.
    """
    partitions = major_minor(_TRAIN, seed=0, **_AUTHORS)
    counts = _counts(_TRAIN, partitions)
    assert np.sort(counts, axis=1)[:, -3:].tolist() == [[0, 150, 450]] * 100
    majors, minors = (set(np.argwhere(counts == n)[:, 1].tolist()) for n in (450, 150))
    assert len(majors) == len(minors) == 5 and not majors & minors
    indices, uses = np.unique(np.concatenate(partitions), return_counts=True)
    assert uses.max() == 2
    assert uses[np.isin(_TRAIN[indices], list(minors))].max() == 1
    for share, of_each in ((0.5, [0, 300, 300]), (1, [0, 0, 600])):
        found = np.sort(_major_minor(major_share=share, **_AUTHORS), axis=1)
        assert found[:, -3:].tolist() == [of_each] * 100


def test_case_1_has_equal_sizes_and_all_labels():
    partitions = iid(_SMALL, num_clients=7, seed=0)
    assert [len(partition) for partition in partitions] == [715] * 2 + [714] * 5
    assert _classes(_SMALL, partitions) == [list(range(10))] * 7


def test_case_2_deals_the_labels_out():
    """Label l goes to client l mod 5; with more clients than labels each has one."""
    several = [[client, client + 5] for client in range(5)]
    one = [[client % 10] for client in range(30)]
    for classes in (several, one):
        partitions = single_label(_SMALL, num_clients=len(classes), seed=0)
        assert _classes(_SMALL, partitions) == classes
        assert np.ptp([len(partition) for partition in partitions]) <= 1


def test_case_3_is_half_iid():
    """Of 5 clients three share the labels 0 to 4; 5, 7, 9 and 6, 8 alternate between the others.

    Of 30, 15 share the first half; of the other 15, three have each label.
    """
    partitions = half_iid_half_single_label(_SMALL, num_clients=5, seed=0)
    assert _classes(_SMALL, partitions) == [[0, 1, 2, 3, 4]] * 3 + [[5, 7, 9], [6, 8]]
    assert [len(partition) for partition in partitions] == [834, 833, 833, 1500, 1000]
    of_thirty = _classes(_SMALL, half_iid_half_single_label(_SMALL, num_clients=30, seed=0))
    assert of_thirty == [[0, 1, 2, 3, 4]] * 15 + [[5 + client % 5] for client in range(15)]


def _x_class(num_iid, num_non_iid, x, samples_per_client=300):
    arguments = {"num_iid": num_iid, "num_non_iid": num_non_iid, "x": x, "seed": 4}
    return x_class(_SMALL, samples_per_client=samples_per_client, **arguments)


@pytest.mark.parametrize("x", [1, 2, 5])
def test_iid_clients_first_then_those_of_x_classes(x):
    partitions = _x_class(3, 7, x)
    assert list(map(len, _classes(_SMALL, partitions))) == [10] * 3 + [x] * 7
    assert list(map(len, partitions)) == [300] * 10
    for ours, alone in zip(partitions, _x_class(3, 0, x)):  # Whoever else there is.
        np.testing.assert_array_equal(ours, alone)


def test_general_case_1_is_a_permutation_and_2_has_two_halves():
    """Over 50 seeds every number of its half occurs: of 250 draws from five, each 50 ± 6."""
    permutation = _classes(_SMALL, general_case_1(_SMALL, samples_per_client=400, seed=0))
    counts = [len(classes) for classes in permutation]
    assert counts != sorted(counts) == list(range(1, 11))
    few, many = [], []
    for seed in range(50):
        partitions = general_case_2(_SMALL, samples_per_client=400, seed=seed)
        counts = [len(classes) for classes in _classes(_SMALL, partitions)]
        assert len(counts) == 10
        few += counts[:5]
        many += counts[5:]
    assert (min(few), max(few), min(many), max(many)) == (1, 5, 6, 10)
    assert min(np.bincount(few)[1:]) > 25
    assert min(np.bincount(many)[6:]) > 25
