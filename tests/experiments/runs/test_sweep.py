from __future__ import annotations

import dataclasses
import json
import shutil
from unittest import mock

import pytest
from made_runs import small_run, toy_artifact, write_run

from experiments.command_line import making
from experiments.runs import step_budget
from experiments.runs import sweep as sweep_module
from experiments.runs.committed import commit_run, committed_run
from experiments.runs.configure import configure
from experiments.runs.files import FolderLock
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.run_directory import run_directory
from experiments.runs.step_budget import read_step_budget
from experiments.runs.sweep import SweepOptions, sweep, sweep_planned


def _resolved(algorithm="fed_avg", **given):
    return small_run(algorithm, **{"rounds": 1, "epochs": 1, **given})


def _planned(run, step_budget_of=None):
    return ArtifactRun(run.configuration.dataset, "method", 0, run, step_budget_of)


def _forbid_training(monkeypatch):
    monkeypatch.delattr(sweep_module.training, "prepare")


_SMALL = _resolved(steps=1, epochs=None)


@pytest.fixture(scope="module")
def runs_dir(tmp_path_factory):
    """A folder with one finished run."""
    folder = tmp_path_factory.mktemp("runs")
    (trained,) = sweep([_SMALL], SweepOptions(runs_dir=folder))
    assert trained.seconds > 0
    return folder


@pytest.fixture
def options(runs_dir, tmp_path):
    """A copy of it, and a folder of results in which the run is committed."""
    shutil.copytree(runs_dir, tmp_path / "runs")
    results_dir = tmp_path / "results"
    commit_run(run_directory(runs_dir, _SMALL), ("round",), results_dir)
    return SweepOptions(runs_dir=tmp_path / "runs", results_dir=results_dir)


def test_runs_are_trained_once_and_a_failure_leaves_the_others_alone(
    options, tmp_path, monkeypatch
):
    """Of the first one there is a run already."""
    options = dataclasses.replace(options, prepared_dir=str(tmp_path / "prepared"))
    other, bad = _resolved("fed_prox"), _resolved(rounds=2)
    foreign = run_directory(options.runs_dir, bad).path / "thesis.tex"
    foreign.parent.mkdir(parents=True)
    foreign.touch()
    good, failed, trained, again = sweep([_SMALL, bad, other, _SMALL], options)
    assert [each.resolved for each in (good, failed, trained)] == [_SMALL, bad, other]
    assert failed.result is None
    assert failed.error.startswith("RunDirectoryError: ")
    assert list(foreign.parent.iterdir()) == [foreign]
    assert (good.error, trained.error, again) == (None, None, good)
    assert trained.result == json.loads(trained.files.result.read_text())
    assert len(list(tmp_path.glob("prepared/synthetic_1_1-*/train.sqlite"))) == 1

    _forbid_training(monkeypatch)
    found = sweep([other, _SMALL], dataclasses.replace(options, workers=2))  # Starts no Ray.
    assert [each.result for each in found] == [trained.result, good.result]


def test_a_run_takes_the_steps_of_the_one_that_ran_before_it(tmp_path, monkeypatch):
    """FedAvg's and centralized SGD's steps are FedVeca's; that of a failed run is nobody's.

    And so they are where FedVeca's run came with the software, and is not on disk."""
    given = {"rounds": 2, "num_clients": 3, "clients_per_round": 3, "train_fraction": 0.5}
    leader, other, follower, central = (
        configure(algorithm, "synthetic_1_1", given)
        for algorithm in ("fed_veca", "fed_prox", "fed_avg", "centralized_sgd")
    )
    bad = configure("fed_veca", "synthetic_1_1", {**given, "batch_size": 5})
    options = SweepOptions(runs_dir=tmp_path)
    foreign = run_directory(tmp_path, bad).path / "thesis.tex"
    foreign.parent.mkdir(parents=True)
    foreign.touch()

    outcomes = sweep_planned(
        [
            _planned(follower, leader),
            _planned(leader),
            _planned(other),
            _planned(central, leader),
            _planned(follower, bad),
        ],
        options,
    )

    budget = read_step_budget(run_directory(tmp_path, leader).path)
    assert [outcome.error for outcome in outcomes[:4]] == [None] * 4
    assert outcomes[0].resolved == budget.apply(follower)
    assert (outcomes[1].resolved, outcomes[2].resolved) == (leader, other)
    assert outcomes[3].resolved.configuration.steps == round(budget.num_steps / 2)
    assert outcomes[4].result is None
    assert outcomes[4].error.startswith("a run on which its settings depend failed: RunDirectoryE")

    results_dir = tmp_path / "results"
    for outcome in (outcomes[0], outcomes[1]):
        commit_run(outcome.files, ("round", *step_budget.COLUMNS), results_dir)
    elsewhere = SweepOptions(runs_dir=tmp_path / "elsewhere", results_dir=results_dir)
    _forbid_training(monkeypatch)
    left = mock.Mock(wraps=sweep_module.SweepProgress)
    monkeypatch.setattr(sweep_module, "SweepProgress", left)
    committed = sweep_planned(
        [_planned(follower, leader), _planned(leader), _planned(other)], elsewhere
    )
    assert [outcome.is_committed for outcome in committed] == [True, True, False]
    assert [outcome.result for outcome in committed[:2]] == [o.result for o in outcomes[:2]]
    assert committed[0].resolved == outcomes[0].resolved
    assert committed[2].error.startswith("AttributeError")
    assert left.call_args.args[:2] == ({other: "method"}, 2)  # Two are finished.


def test_runs_on_other_data_sets_are_read_and_not_trained(options, monkeypatch):
    """Nor those that take their steps; what is finished of them counts."""
    _forbid_training(monkeypatch)
    left_out = _resolved(rounds=3)
    leader = configure("fed_veca", "synthetic_1_1", {"rounds": 2})
    chosen = configure("fed_avg", "synthetic_iid", {"rounds": 1})
    planned = [*map(_planned, (_SMALL, left_out, leader)), _planned(left_out, leader)]
    read, *others, tried = sweep_planned(
        [*planned, _planned(chosen)], dataclasses.replace(options, datasets=("synthetic_iid",))
    )
    assert read.result == run_directory(options.runs_dir, _SMALL).read_result()
    assert [other.is_left_out for other in others] == [True] * 3
    assert not tried.is_left_out and not read.is_left_out
    assert [other.read_record() for other in others] == [None] * 3
    assert tried.error.startswith("AttributeError")
    assert len(list(options.runs_dir.glob("*/*"))) == 1


def test_a_run_on_disk_comes_before_a_committed_one(options):
    (there,) = sweep([_SMALL], options)
    assert (there.is_committed, there.seconds) == (False, None)
    shutil.rmtree(options.runs_dir)
    (committed,) = sweep([_SMALL], options)
    assert (committed.is_committed, committed.result) == (True, there.result)
    assert list(committed.read_record().rounds.columns) == ["round"]
    assert not options.runs_dir.exists()


def test_what_is_damaged_is_made_again_and_said(options, capfd, monkeypatch):
    """The committed run and the one on disk: the latter is trained again from its beginning."""
    # However long the run takes, it saves nothing that one could go on from.
    monkeypatch.setattr(sweep_module, "_SECONDS_BETWEEN_CHECKPOINTS", 1e6)
    files = run_directory(options.runs_dir, _SMALL)
    result = files.read_result()
    shutil.rmtree(files.checkpoints)
    files.result.write_text("{}")
    committed_run(_SMALL, options.results_dir).path.write_bytes(b"no archive")
    assert options.folders.find_whole(_SMALL) is None
    (healed,) = sweep_planned([_planned(_SMALL)], options)
    assert (healed.is_committed, healed.result) == (False, result)
    said = f"{files.path}: result.json differs from its checksum: beginning again"
    assert healed.recovery == said and said in capfd.readouterr().err


def test_a_run_of_another_program_is_looked_up_at_the_end_and_leaves_no_hole(
    tmp_path, monkeypatch, capsys
):
    """It trains B's. While it does, the table from before stays."""
    artifact = toy_artifact(datasets=("synthetic_1_1",))
    runs = list(artifact_runs(artifact, "smoke", (1,)))
    made = [write_run(tmp_path / "runs", run.resolved, 50.0) for run in runs]
    manifest = made[1].manifest.read_text()
    made[1].manifest.unlink()
    table = tmp_path / artifact.folder("smoke") / "table.md"
    table.parent.mkdir(parents=True)
    table.write_text("whole")
    lock = FolderLock(made[1].path)
    monkeypatch.setattr(sweep_module, "_LOCK_TIMEOUT_SECONDS", 0.0)

    def make():
        options = SweepOptions(runs_dir=tmp_path / "runs")
        making.make([(artifact, runs)], options, scale="smoke", output_dir=tmp_path)

    with pytest.raises(SystemExit):
        make()
    assert f"Failed: {made[1].path}: RunDirectoryError: another program" in capsys.readouterr().err
    assert [path.read_text() for path in table.parent.iterdir()] == ["whole"]

    prepare = sweep_module.training.prepare

    def prepare_while_it_ends(*given, **named):
        try:
            return prepare(*given, **named)
        finally:
            made[1].manifest.write_text(manifest)

    monkeypatch.setattr(sweep_module.training, "prepare", prepare_while_it_ends)
    make()
    lock.release()
    assert table.read_text().count("50.00") == 2
