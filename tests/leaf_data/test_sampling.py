"""Tests of `leaf_data.sampling` and `random_streams`."""

import numpy as np

from leaf_data.random_streams import random_stream
from leaf_data.sampling import draw_at_most, sample_clients

_SIZES = np.arange(1, 101)  # 5,050 samples.


def test_whole_clients_until_there_are_so_many_samples():
    chosen, again, other = (
        [len(rows) for rows in sample_clients(_SIZES, num_samples=1000, seed=seed)]
        for seed in (3, 3, 4)
    )
    assert chosen == again != other
    assert sum(chosen) == 1000
    assert len([size for size, kept in zip(_SIZES, chosen) if 0 < kept < size]) <= 1
    assert 5 < np.count_nonzero(chosen) < 60


def test_so_many_clients_and_no_more_than_there_are():
    for seed in range(5):
        chosen = sample_clients(_SIZES, num_samples=1000, num_clients=23, seed=seed)
        counts = np.array([len(rows) for rows in chosen])
        assert (counts.sum(), np.count_nonzero(counts)) == (1000, 23)
    chosen = sample_clients([2, 3], num_samples=99, num_clients=7, seed=0)
    assert [len(rows) for rows in chosen] == [2, 3]
    (first,) = sample_clients([10], num_samples=4, seed=0)
    np.testing.assert_array_equal(first, [0, 1, 2, 3])


def test_no_client_keeps_more_than_so_many_rows_all_as_likely_and_the_seed_decides():
    """Each of 5 rows is among 2 with probability 0.4: 400 of 1,000, with a deviation of 15.5."""
    clients = [np.arange(3), np.arange(3, 103), np.arange(103, 113)]
    kept = draw_at_most(clients, num_samples=10, seed=1)
    np.testing.assert_array_equal(kept[0], clients[0])
    np.testing.assert_array_equal(kept[2], clients[2])
    assert len(kept[1]) == len(set(kept[1])) == 10
    assert set(kept[1]) < set(clients[1])
    assert list(kept[1]) == sorted(kept[1])
    counts = np.zeros(5)
    for seed in range(1000):
        (rows,) = draw_at_most([np.arange(5)], num_samples=2, seed=seed)
        counts[rows] += 1
    np.testing.assert_allclose(counts, 400, atol=70)
    first, second = draw_at_most([np.arange(100)] * 2, num_samples=10, seed=3)
    assert list(first) != list(second)
    np.testing.assert_array_equal(first, draw_at_most([np.arange(100)], num_samples=10, seed=3)[0])


def test_stream_is_the_documented_one():
    """The spawn key is (CRC-32 of the purpose, index); CRC-32 of "123456789" is CBF43926."""
    expected = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(0xCBF43926, 2)))
    assert random_stream(3, "123456789", 2).random() == expected.random()
