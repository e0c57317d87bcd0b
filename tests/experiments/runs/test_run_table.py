"""Settings that are chosen on validation data, and runs that are rows of a table."""

from __future__ import annotations

import dataclasses
import json

import pandas as pd
import pytest
from made_runs import toy_artifact, write_run

from experiments.declaration import Tuning, Variant
from experiments.reporting.committing import commit_artifact
from experiments.reporting.finished import read_finished
from experiments.runs.committed import check_runs
from experiments.runs.configure import configure
from experiments.runs.environment import read_environment
from experiments.runs.plan import artifact_runs
from experiments.runs.record import read_record
from experiments.runs.run_folders import RunFolders, planned_run
from experiments.runs.run_table import TabledRun, tabled_run, write_rows
from experiments.runs.sweep import EndedRun

_ARTIFACT = toy_artifact(
    variants=(
        Variant("A", "fed_avg"),
        Variant("B", "fed_prox", tries=({"proximal_strength": 0.5}, {"proximal_strength": 2.0})),
    ),
    tuning=Tuning((0.1, 0.2), seed=9),
)
_AVERAGE = "evaluation/test_average"
_BYTES = {"bytes_down_per_client": 1000, "bytes_up_per_client": 2000}


def test_each_method_has_its_best_settings_on_validation_data(tmp_path):
    """B's averages there are 10, 30, 30 and nothing yet: then the first 30, a rate of 0.2."""
    of_a, of_b = artifact_runs(_ARTIFACT, "short", (1,))
    assert [each.configuration.learning_rate for each in of_a.candidates] == [0.1, 0.2]
    tried = [each.configuration for each in of_b.candidates]
    assert [(each.hyperparameters["proximal_strength"], each.learning_rate) for each in tried] == [
        *((0.5, 0.1), (0.5, 0.2), (2.0, 0.1), (2.0, 0.2))
    ]
    assert {(each.seeds.data, each.validation_fraction) for each in tried} == {(9, 0.2)}
    folders = RunFolders((tmp_path,), ())
    for candidate, average in zip(of_b.candidates, (10, 30, 30)):
        write_run(tmp_path, candidate, average)
    assert planned_run(of_b, folders.find) is None
    write_run(tmp_path, of_b.candidates[3], float("nan"))
    chosen = planned_run(of_b, folders.find).configuration
    assert (chosen.seeds.data, chosen.validation_fraction) == (1, None)
    assert (chosen.hyperparameters["proximal_strength"], chosen.learning_rate) == (0.5, 0.2)
    with pytest.raises(ValueError, match=r"by must be one of \[.*'test_average'.*, got 'averge'"):
        planned_run(dataclasses.replace(of_b, chosen_by="averge"), folders.find)


def test_rows_say_what_the_runs_files_said(tmp_path):
    """Of the committed rows the same settings are chosen, and the same tables come out."""
    runs_dir, results_dir = tmp_path / "runs", tmp_path / "results"
    of_a, of_b = artifact_runs(_ARTIFACT, "short", (1,))
    for place, candidate in enumerate((*of_a.candidates, *of_b.candidates)):
        write_run(runs_dir, candidate, 10.0 * place, columns=_BYTES)
    folders, ended = RunFolders((runs_dir,), ()), []
    for run, average in ((of_a, 50.123456), (of_b, 60.0)):
        files = write_run(runs_dir, planned_run(run, folders.find), average, columns=_BYTES)
        files.environment.write_text('{"processor": "Alpha", "platform": "A machine"}')
        ended.append(EndedRun(files.read_run(), files, files.read_result()))
    finished = read_finished(_ARTIFACT, "short", (1,), folders.find)
    commit_artifact(finished, ended, results_dir, runs_dir=runs_dir)
    check_runs(results_dir)  # Rows alone are runs, too.
    tables = sorted((results_dir / "tuned_runs").iterdir())
    assert [each.name for each in tables] == ["synthetic_iid.csv.xz"]
    committed = RunFolders((), (results_dir,))
    assert committed.seeds() == (1,)
    assert read_finished(_ARTIFACT, "short", (1,), committed.find).tables == finished.tables
    run = committed.find(ended[0].resolved)
    assert isinstance(run, TabledRun)
    assert run.read_seconds() == pytest.approx(ended[0].files.read_seconds(), rel=1e-3)
    assert read_environment(run.environment)["processor"] == "Alpha"
    assert committed.find(ended[0].resolved.with_settings(rounds=3)) is None
    before = tables[0].read_bytes()
    commit_artifact(finished, ended, results_dir, runs_dir=runs_dir)
    assert tables[0].read_bytes() == before
    (first, _), second = finished.runs
    in_part = dataclasses.replace(finished, runs=[(first, None), second])
    with pytest.raises(ValueError, match="no data set has all of its runs"):
        commit_artifact(in_part, ended, tmp_path / "other", runs_dir=runs_dir)
    only_tried = RunFolders((), (tmp_path / "other",))
    assert (only_tried.seeds(), only_tried.find(ended[1].resolved)) == ((), None)
    assert all(only_tried.find(each) for each in (*of_a.candidates, *of_b.candidates))
    tables[0].write_bytes(before[:-9])
    with pytest.raises(ValueError, match="xz is damaged"):
        committed.find(ended[0].resolved)


def test_a_row_has_the_last_evaluation_and_how_it_was_computed(tmp_path):
    """Evaluated after round 1 of 2 and at the end, which `metrics.csv` does not show."""
    run = configure("fed_avg", "synthetic_iid", {"rounds": 2, "rounds_per_evaluation": 3})
    files = write_run(tmp_path / "runs", run, 50.0, columns=_BYTES)
    rounds, result = pd.read_csv(files.metrics), files.read_result()
    rounds = pd.concat(
        [rounds.assign(round=1, **{_AVERAGE: 40.0}), rounds.assign(**{_AVERAGE: ""})]
    )
    rounds.to_csv(files.metrics, index=False)
    made_with = {"processor": "Alpha", "intra_op_threads": 4, "one_dnn": False}
    files.environment.write_text(json.dumps({"data_origin": None, **made_with}))
    files.finish(result)
    write_rows([files], tmp_path)
    row = tabled_run(run, tmp_path)
    assert read_record(row).over_rounds(_AVERAGE).to_dict() == {1: 40.0, 2: 50.0}
    assert read_environment(row.environment) == made_with


def test_what_is_in_the_tables_need_not_be_on_disk(tmp_path):
    """Committed with one setting of B; then with two, where the old one is the best again."""
    results_dir = tmp_path / "results"
    one = dataclasses.replace(_ARTIFACT.variants[1], tries=_ARTIFACT.variants[1].tries[:1])
    before = dataclasses.replace(_ARTIFACT, variants=(one,))
    after = dataclasses.replace(before, variants=_ARTIFACT.variants[1:])
    for artifact, runs_dir, average in ((before, tmp_path / "a", 60.0), (after, tmp_path / "b", 1)):
        (run,) = artifact_runs(artifact, "short", (1,))
        find = RunFolders((runs_dir,), (results_dir,)).find
        for candidate in run.candidates:
            if find(candidate) is None:
                write_run(runs_dir, candidate, average, columns=_BYTES)
        chosen = planned_run(run, find)
        files = find(chosen) or write_run(runs_dir, chosen, average, columns=_BYTES)
        ended = [EndedRun(chosen, files, files.read_result())]
        finished = read_finished(artifact, "short", (1,), find)
        commit_artifact(finished, ended, results_dir, runs_dir=runs_dir)
    assert isinstance(files, TabledRun)
    assert all(RunFolders((), (results_dir,)).find(each) for each in run.candidates)
