"""Tests of `leaf_data.random_streams`."""

from __future__ import annotations

import numpy as np

from leaf_data.random_streams import random_stream


def test_every_argument_matters():
    draws = {
        float(random_stream(*arguments).random())
        for arguments in [(3, "sizes"), (4, "sizes"), (3, "split"), (3, "sizes", 1)]
    }
    assert len(draws) == 4


def test_stream_is_the_documented_one():
    """The spawn key is (CRC-32 of the purpose, index); CRC-32 of "123456789" is CBF43926."""
    expected = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(0xCBF43926, 2)))
    assert random_stream(3, "123456789", 2).random() == expected.random()
