"""Tests of `experiments.runs.costs`."""

from __future__ import annotations

import os

import numpy as np
import psutil
import pytest
import tensorflow_federated as tff

from experiments.runs import costs
from tff_weights import runtime

_TIMINGS = """round,evaluation/evaluation_time_in_seconds,training_time_in_seconds
0,0.5,
1,0.1,9.0
2,0.1,1.0
3,0.1,3.0
4,0.1,2.0
"""


@pytest.mark.parametrize(
    ("first_round", "seconds"), [(1, 2.5), (2, 2.0), (3, 2.5), (4, 2.0), (9, 2.0)]
)
def test_seconds_by_hand(tmp_path, first_round, seconds):
    """Medians of 9, 1, 3, 2; of 1, 3, 2; of 3, 2; and of the last round's 2."""
    timings = tmp_path / "timings.csv"
    timings.write_text(_TIMINGS)
    assert costs.seconds_per_round(timings, first_round=first_round) == seconds


def test_program_and_worker_are_found():

    @tff.tensorflow.computation
    def one():
        return np.int32(1)

    assert one() == 1
    others = [kind for kind, _ in costs.processes()]
    assert others[0] == "program"
    with runtime.local_worker():
        assert one() == 1
        assert [kind for kind, _ in costs.processes()] == [*others, "worker"]


def test_a_peak_stays_when_memory_is_given_back():
    megabytes = 300
    before = costs.peak_memory()["program"]
    block = np.ones(megabytes << 17)  # 8 bytes each.
    held = psutil.Process(os.getpid()).memory_info().rss
    assert held > megabytes << 20
    del block
    after = costs.peak_memory()["program"]
    assert after >= before
    assert after >= 0.98 * held  # The kernel counts pages in batches.
