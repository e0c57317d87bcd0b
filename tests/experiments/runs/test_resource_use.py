"""Tests of `experiments.runs.resource_use`."""

from __future__ import annotations

import os

import numpy as np
import psutil
import pytest

from experiments.runs import resource_use

_TIMINGS = """round,evaluation/evaluation_time_in_seconds,training_time_in_seconds
0,0.5,
1,0.1,9.0
2,0.1,1.0
3,0.1,3.0
4,0.1,2.0
"""


@pytest.mark.parametrize(
    ("num_rounds", "expected"),
    [(4, (15.9, 7.4, 2.0, 0.1)), (3, (13.8, 6.4, 3.0, 0.1)), (1, (9.6, 0.2, 9.0, 0.3)), (0, None)],
)
def test_seconds_by_hand(num_rounds, expected):
    """Round 4 is the first that counts, or the last one of a shorter run.

    4 rounds: 9 + 1 + 3 + 2 and 0.5 + 4 · 0.1 are 15.9 in all; 9 − 2 and 0.5 − 0.1 come once.
    """
    timings = "".join(_TIMINGS.splitlines(keepends=True)[: num_rounds + 2])
    found = resource_use.RunSeconds.of_rounds(timings)
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_peak_stays_when_memory_is_given_back():
    before = resource_use.peak_memory()
    block = np.ones(300 << 17)  # 300 MiB, 8 bytes each.
    held = psutil.Process(os.getpid()).memory_info().rss
    assert held > 300 << 20
    del block
    # The kernel counts pages in batches.
    assert resource_use.peak_memory() >= max(before, 0.98 * held)
    assert resource_use.peak_memory(2**22 + 1) is None  # Larger than Linux' largest process.
