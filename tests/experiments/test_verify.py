"""The program that trains committed runs again."""

from __future__ import annotations

import json
import math
import shutil

import pytest
from archives import change
from made_runs import small_run, train

from experiments.runs import verification
from experiments.runs.committed import commit_run, committed_run
from experiments.runs.environment import environment
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.sweep import EndedRun, SweepOptions

_FED_AVG, _FED_PROX = (small_run(each, steps=2) for each in ("fed_avg", "fed_prox"))
_OTHER = "A Processor (family 1, model 2)"


@pytest.fixture(scope="module")
def committed_runs(tmp_path_factory):
    """A folder of results with two runs."""
    folder = tmp_path_factory.mktemp("committed")
    for configuration in (_FED_AVG, _FED_PROX):
        directory = train(tmp_path_factory.mktemp("run"), configuration).directory
        commit_run(directory, ("round", "evaluation/test_average"), folder)
    return folder


@pytest.fixture
def results_dir(committed_runs, tmp_path):
    return shutil.copytree(committed_runs, tmp_path / "committed")


def _record(run, **facts):
    change(run.environment, json.dumps({**json.loads(run.environment.read_text()), **facts}))


def test_what_comes_out_again_and_what_does_not(run, results_dir, tmp_path):
    """One has half the accuracy."""
    other = committed_run(_FED_PROX, results_dir)
    _record(other, processor=_OTHER, revision=None)
    result = json.loads(other.result.read_text())
    change(other.result, json.dumps({**result, "test_average": result["test_average"] / 2}))
    folders = (f"--results_dir={results_dir}", f"--output_dir={tmp_path / 'output'}")
    ended = run("verify", *folders, "--other_processors", "--workers=1")
    assert ended.status == 1
    equal, differs, summary = ended.output.splitlines()
    assert equal == f"{run_name(_FED_AVG)}: equal to the last digit"
    assert differs.startswith(f"{run_name(_FED_PROX)}: differs after the last round in 1 quantity")
    assert f"processor {_OTHER} then, {environment()['processor']} now" in differs
    assert summary == "1 of 2 runs came out again to the last digit."


def test_runs_are_trained_with_the_threads_and_the_library_they_had(
    results_dir, tmp_path, monkeypatch
):
    _record(committed_run(_FED_AVG, results_dir), intra_op_threads=1, one_dnn=False)
    asked = {}

    def train(configurations, options, progress):
        asked[options.arithmetic] = configurations
        return [EndedRun(each, RunDirectory(tmp_path), error="no") for each in configurations]

    monkeypatch.setattr(verification, "sweep", train)
    given = {"most_minutes": math.inf, "other_processors": True, "draw": None, "draw_seed": 0}
    chosen = verification.choose(results_dir, patterns=["*"], **given)
    said = verification.verify(chosen, SweepOptions(runs_dir=tmp_path / "runs"))
    assert all(not is_equal for _, is_equal, _ in said)
    assert asked == {(1, False): [_FED_AVG], (2, True): [_FED_PROX]}


def test_runs_are_drawn_from_those_that_can_come_out_again(run_each, results_dir, tmp_path):
    """The other one is recorded as made on another processor; where none is, nobody can tell.

    A run that is damaged, or a paper that is not there, is said before anything is trained. A run
    in the place of whose folder a file lies cannot be trained.
    """
    damaged_dir = shutil.copytree(results_dir, tmp_path / "damaged")
    damaged = committed_run(_FED_PROX, damaged_dir)
    damaged.path.write_bytes(b"no archive")
    taken = tmp_path / "taken" / "runs" / run_name(_FED_AVG)
    taken.parent.mkdir(parents=True)
    taken.touch()
    _record(committed_run(_FED_PROX, results_dir), processor=_OTHER)
    _record(committed_run(_FED_AVG, results_dir), processor=None)
    flags = (f"--results_dir={results_dir}", f"--output_dir={tmp_path / 'output'}", "--workers=1")
    elsewhere = ("--workers=1", f"--output_dir={tmp_path / 'none'}")
    ended, again, untrained, slow, foreign, unknown, no_paper, broken = run_each(
        "verify",
        [
            (*flags, "--draw=2"),
            (*flags, "--draw=2"),
            (*flags, f"--runs={run_name(_FED_AVG)}", f"--output_dir={tmp_path / 'taken'}"),
            (*flags, "--most_minutes=0"),
            (*flags, "--runs=synthetic_1_1/fed_prox-*"),
            (*flags, "--runs=synthetic_1_1/*,mnist*"),
            (*flags, "--papers=no_such_module"),
            (*elsewhere, f"--results_dir={damaged_dir}"),
        ],
    )
    assert (ended.status, ended.output.splitlines()) == (
        0,
        [
            f"{run_name(_FED_AVG)}: equal to the last digit",
            "1 of 1 runs came out again to the last digit.",
        ],
    )
    assert (again.status, again.output) == (
        0,
        ended.output.replace("digit\n", "digit; trained earlier, below --output_dir\n", 1),
    )
    assert untrained.status == 1
    said, summary = untrained.output.splitlines()
    assert said.startswith(f"{run_name(_FED_AVG)}: could not be trained: FileExistsError")
    assert summary == "0 of 1 runs came out again to the last digit."
    folder = results_dir / "runs"
    for refused, sentence in (
        (slow, "took longer than --most_minutes or were made on another"),
        (foreign, "took longer than --most_minutes or were made on another"),
        (no_paper, "no_such_module"),
        (unknown, f"verify.py: --runs: no committed run below {folder} is named 'mnist*'."),
        (broken, str(damaged.path)),
    ):
        assert (refused.status, refused.output) == (2, "")
        assert sentence in refused.errors and len(refused.errors.splitlines()) == 1
    assert not (tmp_path / "none").exists()
