"""The program that trains committed runs again."""

from __future__ import annotations

import json
import shutil

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

    A run that is damaged, or a paper that is not there, is said before anything is trained. A run
    in the place of whose folder a file lies cannot be trained.
    """
    damaged_dir = shutil.copytree(results_dir, tmp_path / "damaged")
    damaged = _run(damaged_dir, _FED_FA)
    damaged.path.write_bytes(b"no archive")
    taken = tmp_path / "taken" / "runs" / run_name(_FED_AVG)
    taken.parent.mkdir(parents=True)
    taken.touch()
    _record(_run(results_dir, _FED_FA), processor=_OTHER)
    _record(_run(results_dir, _FED_AVG), processor=None)
    flags = (f"--results_dir={results_dir}", f"--output_dir={tmp_path / 'output'}", "--workers=1")
    elsewhere = ("--workers=1", f"--output_dir={tmp_path / 'none'}")
    ended, untrained, slow, foreign, unknown, no_paper, broken = run_each(
        "verify",
        [
            (*flags, "--draw=2"),
            (*flags, f"--runs={run_name(_FED_AVG)}", f"--output_dir={tmp_path / 'taken'}"),
            (*flags, "--most_minutes=0"),
            (*flags, "--runs=synthetic_1_1/fed_fa-*"),
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
