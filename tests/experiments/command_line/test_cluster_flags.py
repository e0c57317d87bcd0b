"""Runs whose clients are spread over a Ray cluster: what they move, and nothing left behind."""

from __future__ import annotations

import glob
import tempfile
import time

import pandas as pd
import pytest

from experiments.runs.run_directory import RunDirectory

_FOLDERS = f"{tempfile.gettempdir()}/tff-weights-ray-*"


@pytest.mark.long
def test_a_run_on_a_cluster_says_what_it_moved_and_leaves_no_folder(start, tmp_path):
    """The first round sends the data of its clients, too; before it nothing is moved."""
    before = set(glob.glob(_FOLDERS))
    flags = ("--algorithm=fed_fa", "--rounds=3", "--epochs=1", "--cohort_workers=2")
    ended = start("train", *flags, f"--output_dir={tmp_path / 'there'}").finish()
    assert ended.status == 0, ended.errors
    timings = pd.read_csv(RunDirectory(tmp_path / "there").timings).set_index("round")
    moved = timings[["cluster/bytes_sent", "cluster/bytes_received", "cluster/moving_seconds"]]
    assert moved.loc[0].isna().all()
    assert (moved.loc[1:] > 0).all(axis=None)
    assert moved["cluster/bytes_sent"].loc[1] > moved["cluster/bytes_sent"].loc[3]
    deadline = time.monotonic() + 240
    while left := set(glob.glob(_FOLDERS)) - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)
