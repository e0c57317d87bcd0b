"""The program that reproduces an artifact, at its smallest scale."""

from __future__ import annotations

import math
import pathlib
import signal
import time

import matplotlib.image
import pandas as pd
import pytest

from experiments.papers import catalogue
from experiments.runs.plan import artifact_runs
from experiments.runs.run_directory import RunDirectory
from experiments.runs.sweep import run_directory, run_name

_ARTIFACT = catalogue.artifacts()["fedfa/table3"]
_RUNS = list(artifact_runs(_ARTIFACT, "smoke", (1,)))
_NUM_METHODS = len(_ARTIFACT.variants) + len(_ARTIFACT.best_of)


def _results(output_dir: pathlib.Path) -> dict[pathlib.Path, int]:
    return {path: path.stat().st_mtime_ns for path in output_dir.glob("runs/**/result.json")}


def test_a_table_from_nothing_to_the_last_run(run, start, tmp_path):
    """A first call with a run that cannot be, a second that is ended, and a third that ends."""
    flags = ("--artifact=fedfa/table3", "--scale=smoke", "--workers=2", f"--output_dir={tmp_path}")
    spoilt = run_directory(tmp_path / "runs", _RUNS[0].configuration)
    (spoilt.path / "thesis").mkdir(parents=True)

    ended = run("reproduce", *flags)

    assert ended.status == 1
    assert ended.output.splitlines()[-1].startswith(f"Failed: {spoilt.path}: RunDirectoryError: ")
    assert "Traceback" not in ended.errors
    # Besides the bar, which is written over and over, nothing of Ray, TFF or TensorFlow.
    assert {line[:4] for line in ended.errors.replace("\r", "\n").splitlines()} <= {"runs", ""}
    assert len(_results(tmp_path)) == len(_RUNS) - 1
    folder = tmp_path / "fedfa" / "table3" / "smoke"
    cells = pd.read_csv(folder / "cells.csv")
    assert len(cells) == len(_ARTIFACT.datasets) * len(_ARTIFACT.metrics) * _NUM_METHODS
    of_spoilt = (cells["dataset"] == _RUNS[0].dataset) & (cells["method"] == _RUNS[0].variant)
    assert cells[of_spoilt][["mean", "difference", "seed_1"]].isna().all(axis=None)
    assert not cells[~of_spoilt]["mean"].isna().any()
    verdicts = pd.read_csv(folder / "verdicts.csv")
    not_run = verdicts["verdict"] == "not run"
    assert set(verdicts["dataset"][not_run]) == {_RUNS[0].dataset}
    assert verdicts[not_run]["mean_margin"].isna().all()
    first_table = (folder / "table.md").read_text().split("## ")[1].splitlines()
    (row,) = (line for line in first_table if line.startswith(f"| {_RUNS[0].variant} |"))
    assert row.count("not run (") == len(_ARTIFACT.metrics)

    # The rest, but ended while it trains.
    (spoilt.path / "thesis").rmdir()
    before = _results(tmp_path)
    program = start("reproduce", *flags)
    _wait_until(spoilt.configuration.exists, program)
    program.signal(signal.SIGTERM)
    assert program.finish().status == -signal.SIGTERM

    ended = run("reproduce", *flags, "--workers=1")  # Whatever is left, without Ray.

    assert ended.status == 0
    assert "Failed" not in ended.output
    after = _results(tmp_path)
    assert len(after) == len(_RUNS)
    assert {path: after[path] for path in before} == before
    _check_table(folder)
    _check_rounds(folder / "rounds.csv", tmp_path / "runs")
    assert matplotlib.image.imread(folder / "figure.png").std() > 0.01
    assert (folder / "figure.svg").stat().st_size > 0

    started = time.monotonic()
    ended = run("reproduce", *flags)
    assert ended.status == 0
    assert _results(tmp_path) == after
    assert "0.0 minutes for the runs that were not there already" in ended.output
    assert time.monotonic() - started < 60  # Imports on a busy machine, no training.


def _wait_until(condition, program) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert program.running and time.monotonic() < deadline
        time.sleep(0.05)


def _check_table(folder: pathlib.Path) -> None:
    cells = pd.read_csv(folder / "cells.csv")
    paper = _ARTIFACT.paper_values()
    columns = {metric.label: metric.paper_column for metric in _ARTIFACT.metrics}
    text = (folder / "table.md").read_text()
    for _, cell in cells.iterrows():
        value = paper.get((cell["dataset"], cell["method"], columns[cell["metric"]]))
        shown = f"{cell['mean']:.2f}" + ("" if value is None else f" ({value:.2f})")
        assert f"| {shown}" in text
        if value is None:
            assert math.isnan(cell["paper"]) and math.isnan(cell["difference"])
        else:
            assert cell["difference"] == pytest.approx(cell["mean"] - value, abs=1e-5)
    verdicts = pd.read_csv(folder / "verdicts.csv")
    # The paper's table has two methods, and their best 20 % are 100 on three of the data sets.
    assert len(verdicts) == 4 * 4 - 3
    assert set(verdicts["num_seeds"]) == {1}
    assert set(verdicts["verdict"]) <= {"holds", "reversed", "tie", "no verdict"}
    assert (verdicts["paper_margin"] > 0).all()
    for note in _ARTIFACT.notes:
        assert f"- {note}\n" in text
    assert "- Scale smoke: 2 rounds; seeds 1, each for data, cohorts" in text


def _check_rounds(path: pathlib.Path, runs_dir: pathlib.Path) -> None:
    rounds = pd.read_csv(path, float_precision="round_trip")
    assert len(rounds) == 3 * len(_RUNS)
    for run in _RUNS:
        of_run = rounds[(rounds["dataset"] == run.dataset) & (rounds["variant"] == run.variant)]
        assert list(of_run["round"]) == [0, 1, 2]
        directory = run_directory(runs_dir, run.configuration)
        assert set(of_run["run"]) == {run_name(run.configuration)}
        last = RunDirectory(directory.path).read_result()["test_average"]
        assert of_run["evaluation/test_average"].iloc[-1] == last


def test_the_list_names_every_artifact(run):
    ended = run("reproduce", "--list")
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    for artifact in catalogue.artifacts().values():
        assert artifact.name in lines


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--artifact=fedfa/table9"], "--artifact must be one of"),
        (["--artifact=fedfa/table3", "--ray_address=127.0.0.1:1"], "nothing answers at"),
        (["--artifact=fedfa/table3", "--seeds=1,1"], "--seeds must be different whole numbers"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(run, tmp_path, flags, sentence):
    ended = run("reproduce", *flags, f"--output_dir={tmp_path}")
    assert ended.status == 2
    assert ended.output == ""
    assert sentence in ended.errors
    assert len(ended.errors.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
