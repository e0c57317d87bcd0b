from __future__ import annotations

import dataclasses

import pytest
from made_runs import toy_artifact, write_run

from experiments.reporting.finished import FinishedArtifact, OtherDataError, read_finished
from experiments.runs import committed
from experiments.runs.plan import artifact_runs
from experiments.runs.record import read_record
from experiments.runs.run_directory import run_directory
from experiments.runs.run_folders import RunFolders
from experiments.runs.sweep import SweepOptions

_ARTIFACT = toy_artifact()


def _plan(*seeds):
    return {(run.variant, run.seed): run for run in artifact_runs(_ARTIFACT, "short", seeds)}


@pytest.fixture
def folders(tmp_path):
    """Two seeds of A, one of B, which is committed; nothing of seed 3."""
    plan = _plan(1, 2)
    for key, average in ((("A", 1), 60.0), (("A", 2), 61.0)):
        write_run(tmp_path / "runs", plan[key].resolved, average)
    elsewhere = write_run(tmp_path / "elsewhere", plan["B", 1].resolved, 50.0)
    committed.commit_run(elsewhere, ("round", "evaluation/test_average"), tmp_path / "results")
    return RunFolders((tmp_path / "runs",), (tmp_path / "results",))


def test_finished_runs_are_found_wherever_they_lie(folders):
    finished = read_finished(_ARTIFACT, "short", (1, 2, 3), folders.find)
    there = {(run.variant, run.seed): record is not None for run, record in finished.runs}
    assert there == {("A", 1): True, ("B", 1): True, ("A", 2): True, ("B", 2): False}
    assert (finished.seeds, finished.whole_seeds) == ((1, 2), (1,))
    assert finished.of_comparable_seeds().seeds == (1,)
    (table,) = finished.tables
    (of_a,), (of_b,) = table.rows["A"], table.rows["B"]
    assert (of_a.values, of_b.values) == ({1: 60.0, 2: 61.0}, {1: 50.0})
    assert read_finished(_ARTIFACT, "short", (3,), folders.find) is None


def test_a_lengthened_run_and_runs_of_other_data_are_told_apart(folders, tmp_path):
    plan = _plan(1, 2)
    longer = plan["A", 1].resolved.with_settings(rounds=9).configuration
    run_directory(tmp_path / "runs", plan["A", 1].resolved).configuration.write_text(
        longer.to_json()
    )
    assert folders.find(plan["A", 1].resolved) is None
    found = read_record(folders.find(plan["A", 2].resolved))
    runs = [(plan["A", 2], dataclasses.replace(found, data_fingerprint=each)) for each in "ab"]
    with pytest.raises(OtherDataError, match="the data of synthetic_iid changed between its runs"):
        FinishedArtifact(_ARTIFACT, "short", runs)


def test_of_a_damaged_run_the_committed_one_stands_in(folders, tmp_path):
    """As in a sweep, which does not train it again either."""
    configuration = _plan(1)["B", 1].resolved
    here = write_run(tmp_path / "runs", configuration, 51.0)
    assert folders.find(configuration).path == here.path
    here.result.write_text("{}")
    found = folders.find(configuration)
    assert isinstance(found, committed.CommittedRun)
    options = SweepOptions(runs_dir=tmp_path / "runs", results_dir=tmp_path / "results")
    assert options.folders.find_whole(configuration).path == found.path
    folders.find(_plan(1)["A", 1].resolved).result.write_text("{}")
    with pytest.raises(ValueError, match=r"result\.json differs from its checksum"):
        read_finished(_ARTIFACT, "short", (1,), folders.find)
