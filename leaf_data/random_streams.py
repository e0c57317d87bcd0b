"""Independent random streams from one seed, one for each named purpose."""

from __future__ import annotations

import zlib

import numpy as np

from leaf_data.checks import check_seed


def random_stream(seed: int, purpose: str, index: int = 0) -> np.random.Generator:
    """A generator that depends on the seed, the purpose and the index, and on nothing else.

    Two purposes, or two indices (such as those of clients), get statistically independent streams.
    So no quantity changes if another one is drawn more often, in any process and on any machine.

    Args:
        seed: A non-negative integer.
        purpose: What is drawn, such as "train_test_split".
        index: Which of several streams for this purpose, at least 0.

    Returns:
        The generator.

    Raises:
        ValueError: If the seed is not a non-negative integer.
    """
    check_seed("seed", seed)
    # crc32, not hash(): Python salts the hashes of strings differently in every process.
    spawn_key = (zlib.crc32(purpose.encode("utf-8")), index)
    return np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=spawn_key))
