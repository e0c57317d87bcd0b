"""The program that trains committed runs anew."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from archives import change

from experiments.runs.committed import commit_run, committed_run
from experiments.runs.configure import configure
from experiments.runs.environment import environment
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.training import prepare

_SETTINGS = {"rounds": 2, "steps": 2, "num_clients": 3, "clients_per_round": 2}
_FED_AVG, _FED_FA = (
    configure(algorithm, "synthetic_1_1", _SETTINGS) for algorithm in ("fed_avg", "fed_fa")
)
_OTHER = "A Processor (family 1, model 2)"


@pytest.fixture(scope="module")
def committed_runs(tmp_path_factory):
    """A folder of results with two runs."""
    folder = tmp_path_factory.mktemp("committed")
    for configuration in (_FED_AVG, _FED_FA):
        directory = RunDirectory(tmp_path_factory.mktemp("run"))
        prepare(configuration, directory.path).execute(show_progress=False)
        commit_run(directory, ("round", "evaluation/test_average"), folder)
    return folder


@pytest.fixture
def results_dir(committed_runs, tmp_path):
    return shutil.copytree(committed_runs, tmp_path / "committed")


def _run(results_dir, configuration):
    return committed_run(configuration, results_dir)


def _record(run, **facts):
    recorded = json.loads(run.environment.read_text())
    change(run.environment, json.dumps({**recorded, **facts}))


def test_what_comes_out_again_and_what_does_not(run, results_dir, tmp_path):
    """One in a process of as many threads as it had, and one with half the accuracy."""
    as_it_was, other = (_run(results_dir, each) for each in (_FED_AVG, _FED_FA))
    _record(as_it_was, intra_op_threads=1)
    _record(other, processor=_OTHER, revision=None)
    result = json.loads(other.result.read_text())
    changed = {**result, "test_average": result["test_average"] / 2}
    change(other.result, json.dumps(changed))
    ended = run(
        "verify",
        f"--results_dir={results_dir}",
        f"--output_dir={tmp_path / 'output'}",
        "--other_processors",
        "--workers=1",
    )
    assert ended.status == 1
    equal, differs, summary = ended.output.splitlines()
    assert equal == f"{run_name(_FED_AVG)}: equal to the last digit"
    assert differs == (
        f"{run_name(_FED_FA)}: differs after the last round in 1 quantity, most in "
        f"result's test_average, by 5.0e-01; processor {_OTHER} then, "
        f"{environment()['processor']} now; not recorded: the software's revision"
    )
    assert summary == "1 of 2 runs came out again to the last digit."
    made = json.loads(
        (tmp_path / "output" / "runs" / run_name(_FED_AVG) / "environment.json").read_text()
    )
    assert made["intra_op_threads"] == 1


def test_runs_are_drawn_from_those_that_can_come_out_again(run_each, results_dir, tmp_path):
    """The other one is recorded as made on another processor; where none is, nobody can tell.

    A paper that is not there is said before anything is trained.
    """
    _record(_run(results_dir, _FED_FA), processor=_OTHER)
    _record(_run(results_dir, _FED_AVG), processor=None)
    flags = (f"--results_dir={results_dir}", f"--output_dir={tmp_path / 'output'}", "--workers=1")
    ended, slow, foreign, unknown, no_paper = run_each(
        "verify",
        [
            (*flags, "--draw=2"),
            (*flags, "--most_minutes=0"),
            (*flags, "--runs=synthetic_1_1/fed_fa-*"),
            (*flags, "--runs=synthetic_1_1/*,mnist*"),
            (*flags, "--papers=no_such_module"),
        ],
    )
    assert (ended.status, ended.output.splitlines()) == (
        0,
        [
            f"{run_name(_FED_AVG)}: equal to the last digit",
            "1 of 1 runs came out again to the last digit.",
        ],
    )
    for refused in (slow, foreign):
        assert (refused.status, refused.output) == (2, "")
        assert "took longer than --most_minutes or were made on another" in refused.errors
    assert (no_paper.status, no_paper.output) == (2, "")
    assert "no_such_module" in no_paper.errors
    assert (unknown.status, unknown.output) == (2, "")
    assert unknown.errors.splitlines() == [
        f"verify.py: --runs: no committed run below {results_dir / 'runs'} is named 'mnist*'."
    ]


def test_a_damaged_run_is_named_before_anything_is_trained(run_each, results_dir, tmp_path):
    damaged = _run(results_dir, _FED_FA)
    damaged.path.write_bytes(b"no archive")
    output_dir = tmp_path / "output"
    (ended,) = run_each(
        "verify", [(f"--results_dir={results_dir}", f"--output_dir={output_dir}", "--workers=1")]
    )
    assert (ended.status, ended.output) == (2, "")
    (sentence,) = ended.errors.splitlines()
    assert str(damaged.path) in sentence
    assert not output_dir.exists()


def test_a_run_that_cannot_be_trained_is_no_success(run_each, results_dir, tmp_path):
    """A file lies where its folder is to be."""
    output_dir = tmp_path / "output"
    (output_dir / "runs" / "synthetic_1_1").mkdir(parents=True)
    (output_dir / "runs" / run_name(_FED_AVG)).touch()
    (ended,) = run_each(
        "verify",
        [
            (
                f"--runs={run_name(_FED_AVG)}",
                f"--results_dir={results_dir}",
                f"--output_dir={output_dir}",
                "--workers=1",
            )
        ],
    )
    assert ended.status == 1
    said, summary = ended.output.splitlines()
    assert said.startswith(f"{run_name(_FED_AVG)}: could not be trained: FileExistsError")
    assert summary == "0 of 1 runs came out again to the last digit."


def test_a_number_of_threads_that_is_none_ends_the_program(start_command, monkeypatch):
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "many")
    ended = start_command(sys.executable, "-m", "experiments", "verify").finish()
    assert (ended.status, ended.output) == (2, "")
    assert ended.errors.endswith(
        "TF_NUM_INTRAOP_THREADS must be a whole number from 1 on, got 'many'.\n"
    )
