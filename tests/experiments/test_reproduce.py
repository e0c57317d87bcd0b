"""The program that reproduces an artifact, at its smallest scale."""

from __future__ import annotations

import pathlib
import re
import shutil

import matplotlib.image
import pandas as pd
import pytest

from experiments.papers import catalogue
from experiments.runs.committed import committed_run
from experiments.runs.plan import artifact_runs
from experiments.runs.run_directory import run_directory, run_name
from experiments.start_up import RESULTS_DIR

_ARTIFACT = catalogue.artifacts()["fedfa/table3"]
_RUNS = list(artifact_runs(_ARTIFACT, "smoke", (1,)))


# Those that are trained: all others came with the software.
_TRAINED = (_RUNS[0], _RUNS[7])


def _results(output_dir: pathlib.Path) -> dict[pathlib.Path, int]:
    return {path: path.stat().st_mtime_ns for path in output_dir.glob("runs/**/result.json")}


@pytest.fixture
def results_dir(tmp_path):
    """What came with the software, less the runs that are to be trained."""
    folder = tmp_path / "committed"
    shutil.copytree(RESULTS_DIR, folder)
    for run in _TRAINED:
        committed_run(run.resolved, folder).path.unlink()
    return folder


def test_a_table_from_nothing_to_the_last_run(start, run_each, results_dir, tmp_path):
    """A first call with a run that cannot be, and another one that makes the rest."""
    output_dir = tmp_path / "output"
    flags = ("--artifact=fedfa/table3", "--scale=smoke", f"--output_dir={output_dir}")
    flags = (*flags, f"--results_dir={results_dir}")
    spoilt = run_directory(output_dir / "runs", _RUNS[0].resolved)
    (spoilt.path / "thesis").mkdir(parents=True)

    ended = start("reproduce", *flags, "--workers=2", "--commit_results").finish()

    assert ended.status == 1
    # A table without one of its runs does not take the place of a whole one.
    kept = results_dir / _ARTIFACT.folder("smoke") / "cells.csv"
    assert kept.read_bytes() == (RESULTS_DIR / kept.relative_to(results_dir)).read_bytes()
    not_committed, failed = ended.errors.splitlines()[-2:]
    assert not_committed.startswith(f"Not committed: {_ARTIFACT.name}, ")
    assert failed.startswith(f"Failed: {spoilt.path}: RunDirectoryError: ")
    assert "Traceback" not in ended.errors
    # Besides how far it is, a line for the run that failed, and nothing of Ray, TFF or TensorFlow.
    said = re.compile("runs: |Not committed: |Failed: |[0-9]+ of [0-9]+ runs done")
    (line,) = (line for line in ended.errors.splitlines() if not said.match(line))
    assert line.startswith(f"{_RUNS[0].dataset}, {_RUNS[0].variant}, seed 1: failed: RunDirectory")
    assert len(_results(output_dir)) == len(_TRAINED) - 1
    folder = output_dir / "fedfa" / "table3" / "smoke"
    cells = pd.read_csv(folder / "cells.csv")
    of_spoilt = (cells["dataset"] == _RUNS[0].dataset) & (cells["method"] == _RUNS[0].variant)
    assert cells[of_spoilt][["mean", "difference", "seed_1"]].isna().all(axis=None)
    assert not cells[~of_spoilt]["mean"].isna().any()
    verdicts = pd.read_csv(folder / "verdicts.csv")
    not_run = verdicts["verdict_on_dataset"] == "not run"
    assert set(verdicts["dataset"][not_run]) == {_RUNS[0].dataset}

    (spoilt.path / "thesis").rmdir()
    before = _results(output_dir)
    listing = ("--list", f"--output_dir={output_dir}", f"--results_dir={results_dir}")
    ended, listed = run_each(
        "reproduce",
        [
            (*flags, "--workers=1"),
            (*listing, "--artifact=fedfa/table3,weiavg/fig2", "--scale=smoke"),
        ],
    )

    assert ended.status == 0
    assert "Failed" not in ended.output
    assert "18 of 20 runs came with the software; --fresh trains them again." in ended.output
    assert re.search(r"\d minutes for the runs that were not there already", ended.output)
    after = _results(output_dir)
    assert len(after) == len(_TRAINED)
    assert {path: after[path] for path in before} == before
    pd.testing.assert_frame_equal(pd.read_csv(folder / "cells.csv"), pd.read_csv(kept), rtol=1e-3)
    assert "Scale smoke: 2 rounds; seed 1; " in (folder / "table.md").read_text()
    rounds = pd.read_csv(folder / "rounds.csv")
    assert list(rounds["round"]) == [0, 1, 2] * len(_RUNS)
    assert set(rounds["run"]) == {run_name(run.resolved) for run in _RUNS}
    assert matplotlib.image.imread(folder / "figure.png").std() > 0.01
    assert (folder / "figure.svg").stat().st_size > 0

    assert (listed.status, listed.errors) == (0, "")
    lines = listed.output.splitlines()
    assert [line for line in lines if "/" in line] == [_ARTIFACT.name, "weiavg/fig2"]
    assert lines[3] == "    smoke: done, 20 runs (18 committed)"
