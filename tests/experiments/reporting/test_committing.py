from __future__ import annotations

import dataclasses
import pathlib

import pytest
from made_runs import toy_artifact, write_run
from records import RUN, record

from experiments.declaration import Bars, Curve, Curves, Metric, Scale, Scatter
from experiments.papers import catalogue
from experiments.reporting import committing
from experiments.reporting.committing import commit_artifact, kept_columns
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.metrics.cohort import PARTICIPANT_COLUMNS
from experiments.runs.committed import committed_run
from experiments.runs.configure import resolve
from experiments.runs.files import FolderLock
from experiments.runs.plan import artifact_runs
from experiments.runs.record import read_record
from experiments.runs.sweep import EndedRun

_DRAWN, _NOT_READ = "reports/drawn", "reports/not_read"
_MEASURED = "aggregator/cohort/reports/projection_on_mean"
_DERIVED = "evaluation/test_jain_index"
_LISTS = [None, [1.0, 2.0], [3.0, 4.0]]


def _record(algorithm="fed_avg", **more):
    lists = dict.fromkeys((_DRAWN, _MEASURED, _NOT_READ), _LISTS)
    columns = {"alarm": [0, 1, 0], _DERIVED: [0.9, 0.8, 0.7], **lists, **more}
    configuration = dataclasses.replace(RUN.configuration, algorithm=algorithm)
    return record(run=resolve(configuration), columns=columns)


@pytest.fixture
def artifact(monkeypatch):
    """The only artifact that there is: it draws one column."""
    metrics = (Metric("correlation", "r"),)  # Which reads what was measured.
    found = toy_artifact(view=Curves((Curve(_DRAWN, "drawn"),)), metrics=metrics)
    monkeypatch.setattr(catalogue, "artifacts", lambda: {found.name: found})
    return found


def test_of_columns_with_a_number_per_participant_only_those_stay_that_are_read(artifact):
    """Who the participants were stays with what they had, and a step budget with its leader.

    All columns but those that follow from others stay where clients are drawn one by one.
    """
    assert _MEASURED in PARTICIPANT_COLUMNS
    who = {"reports/client_index": [None, [4, 7], [7, 4]]}
    made = _record(**who)
    assert set(made.rounds.columns) - kept_columns(made, artifact) == {_NOT_READ, _DERIVED}
    bare = dataclasses.replace(artifact, name="toy/bare", metrics=(), view=Bars())
    not_of_it = {_DRAWN, _MEASURED, _NOT_READ, _DERIVED, *who}
    assert set(made.rounds.columns) - kept_columns(made, bare) == not_of_it
    alone = dataclasses.replace(made, rounds=made.rounds.drop(columns=[_DRAWN, _MEASURED]))
    assert set(alone.rounds.columns) - kept_columns(alone, artifact) == {_NOT_READ, _DERIVED, *who}
    steps = {"aggregator/cohort/reports/num_steps": [None, [1], [2]]}
    assert set(steps) & kept_columns(_record("fed_veca", **steps), artifact) == set(steps)
    assert set(steps) & kept_columns(_record("fed_avg", **steps), artifact) == set()
    read = dataclasses.replace(artifact, metrics=(Metric("test_jain_index", "J", in_round=1),))
    assert _DERIVED in kept_columns(made, read)
    scatter = toy_artifact(view=Scatter("a", "b", "a", "b"))
    assert set(_record().rounds.columns) - kept_columns(_record(), scatter) == {_DERIVED}


def test_an_artifact_and_its_runs_are_written_the_same_way_every_time(tmp_path):
    """One of two runs is finished, and took 6 seconds."""
    scales = dict.fromkeys(("smoke", "short", "paper"), Scale(2, datasets=("synthetic_1_1",)))
    artifact = toy_artifact(datasets=("synthetic_1_1", "synthetic_iid"), scales=scales)
    runs = list(artifact_runs(artifact, "smoke", (1,)))
    made = write_run(tmp_path / "runs", runs[0].resolved, 30.5)
    finished = EndedRun(runs[0].resolved, made, made.read_result())
    failed = EndedRun(runs[1].resolved, made, error="no")
    found = FinishedArtifact(artifact, "smoke", list(zip(runs, [finished.read_record(), None])))
    written = [
        commit_artifact(found, [finished, failed], tmp_path / name, runs_dir=tmp_path / "runs")
        for name in ("one", "two")
    ]
    assert written[0] == tmp_path / "one" / "toy" / "table" / "smoke"
    assert {path.name for path in written[0].iterdir()} == {"cells.csv", "figure.png"}
    for path in filter(pathlib.Path.is_file, (tmp_path / "one").rglob("*")):
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == other.read_bytes(), path
    found = read_record(committed_run(runs[0].resolved, tmp_path / "one"))
    assert found.result == read_record(made).result
    assert found.rounds["evaluation/test_average"].tolist() == [30.5]
    assert committed_run(runs[1].resolved, tmp_path / "one") is None


def test_one_program_writes_results_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(committing, "_LOCK_TIMEOUT_SECONDS", 0.0)
    finished = FinishedArtifact(toy_artifact(), "smoke", [])
    with FolderLock(tmp_path), pytest.raises(BlockingIOError):
        commit_artifact(finished, [], tmp_path, runs_dir=tmp_path)
