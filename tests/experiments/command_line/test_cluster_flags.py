"""Runs whose clients are spread over a Ray cluster: same results, and nothing left behind."""

from __future__ import annotations

import glob
import json
import signal
import tempfile
import time

import pandas as pd
import psutil
import pytest

from experiments.runs import training
from experiments.runs.configure import configure
from experiments.runs.run_directory import RunDirectory

_FOLDERS = f"{tempfile.gettempdir()}/tff-weights-ray-*"
_START_TIMEOUT_SECONDS = 180
_GONE_TIMEOUT_SECONDS = 15


def _run_flags(path, *flags):
    return (f"--output_dir={path}", "--epochs=1", "--cohort_workers=2", *flags)


@pytest.fixture
def _no_folder_is_left():
    before = set(glob.glob(_FOLDERS))
    yield
    deadline = time.monotonic() + _GONE_TIMEOUT_SECONDS
    while left := set(glob.glob(_FOLDERS)) - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


@pytest.mark.long
@pytest.mark.usefixtures("_no_folder_is_left")
def test_a_run_on_a_cluster_has_the_same_tables(start, tmp_path):
    """All numbers to 1e-6, every client's row the same, and in timings.csv what was moved."""
    configuration = configure("fed_fa", "synthetic_1_1", {"rounds": 3, "epochs": 1})
    here = training.prepare(configuration, tmp_path / "here")
    here.execute(show_progress=False)
    flags = _run_flags(tmp_path / "there", "--algorithm=fed_fa", "--rounds=3")
    ended = start("train", *flags).finish()
    assert ended.status == 0, ended.errors
    there = RunDirectory(tmp_path / "there")
    of_here = json.loads(here.directory.configuration.read_text())
    assert json.loads(there.configuration.read_text()) == of_here
    ours, theirs = pd.read_csv(there.metrics), pd.read_csv(here.directory.metrics)
    indices = "aggregator/cohort/reports/client_index"
    assert list(ours[indices]) == list(theirs[indices])
    numbers = theirs.select_dtypes("number").columns
    pd.testing.assert_frame_equal(ours[numbers], theirs[numbers], rtol=1e-6, atol=1e-6)
    timings = pd.read_csv(there.timings).set_index("round")
    moved = timings[["cluster/bytes_sent", "cluster/bytes_received", "cluster/moving_seconds"]]
    assert moved.loc[0].isna().all()
    assert (moved.loc[1:] > 0).all(axis=None)
    assert moved["cluster/bytes_sent"].loc[1] > moved["cluster/bytes_sent"].loc[3]


def _started(start, path):
    """A run that has trained its first round."""
    program = start("train", *_run_flags(path, "--algorithm=fed_avg", "--rounds=100000"))
    directory = RunDirectory(path)
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while not directory.metrics.exists() or len(directory.metrics.read_text().splitlines()) < 3:
        assert program.running and time.monotonic() < deadline, program.finish()
        time.sleep(0.1)
    return program


@pytest.mark.long
@pytest.mark.usefixtures("_no_folder_is_left")
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_nothing_is_left_of_a_run_that_is_ended(start, tmp_path, number, status):
    program = _started(start, tmp_path / "run")
    program.signal(number, whole_group=number == signal.SIGINT)
    ended = program.finish()
    assert ended.status == status
    assert "Traceback" not in ended.errors
    if number == signal.SIGINT:
        assert ended.errors.endswith("\nInterrupted.\n")


@pytest.mark.long
@pytest.mark.usefixtures("_no_folder_is_left")
def test_a_lost_actor_ends_the_program_with_one_sentence(start, tmp_path):
    program = _started(start, tmp_path / "run")
    actors = [one for one in program.processes() if one.name().startswith("ray::ClientHost")]
    assert len(actors) == 2
    actors[0].send_signal(psutil.signal.SIGKILL)
    ended = program.finish()
    assert ended.status == 1
    assert "Traceback" not in ended.errors
    last = ended.errors.splitlines()[-1]
    assert last.startswith("train.py: Actor ") and last.endswith("run again with --resume.")
