"""The program that reproduces an artifact, at its smallest scale."""

from __future__ import annotations

import pathlib
import signal
import time

import matplotlib.image
import pandas as pd
import pytest

from experiments.artifacts import ARTIFACTS
from experiments.run_directory import RunDirectory
from experiments.sweep import run_directory

_ARTIFACT = ARTIFACTS["fedfa/table3"]
_RUNS = list(_ARTIFACT.runs("smoke", (1,)))
_COLUMNS = (
    "| data set | method | metric | paper | ours (mean ± std over 1 seed) | difference | "
    "same ranking? |"
)


def _rows(table: pathlib.Path) -> pd.DataFrame:
    lines = [line for line in table.read_text().splitlines() if line.startswith("|")]
    assert lines[0] == _COLUMNS
    cells = [[text.strip() for text in line.strip("|").split("|")] for line in lines]
    return pd.DataFrame(cells[2:], columns=cells[0])


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
    rows = _rows(folder / "table.md")
    assert len(rows) == len(_ARTIFACT.datasets) * len(_ARTIFACT.metrics) * 5  # 4 variants, best.
    ours = rows[_COLUMNS.split(" | ")[4]]
    of_spoilt = (rows["data set"] == _RUNS[0].dataset) & (rows["method"] == _RUNS[0].variant)
    assert set(ours[of_spoilt]) == {"not run"}
    assert set(rows["difference"][of_spoilt]) == set(rows["same ranking?"][of_spoilt]) == {"–"}
    assert "not run" not in set(ours[~of_spoilt])

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
    rows = _rows(folder / "table.md")
    paper = _ARTIFACT.paper_values()
    labels = {metric.label: metric.key for metric in _ARTIFACT.metrics}
    for _, row in rows.iterrows():
        method = row["method"].split(" = ")[0]
        value = paper.get((row["data set"], method, labels[row["metric"]]))
        assert row["paper"] == ("–" if value is None else f"{value:.2f}")
        ours = float(row[_COLUMNS.split(" | ")[4]])
        if value is None:
            assert row["difference"] == row["same ranking?"] == "–"
        else:
            assert float(row["difference"]) == pytest.approx(ours - value, abs=0.0101)
            # The paper's table has two methods, so a place is 1 or 2.
            assert row["same ranking?"] in ("yes (1)", "yes (2)") + (
                "no (1 there, 2 here)",
                "no (2 there, 1 here)",
            )
    text = (folder / "table.md").read_text()
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
        assert set(of_run["configuration"]) == {str(directory.configuration)}
        last = RunDirectory(directory.path).read_result()["test_average"]
        assert of_run["evaluation/test_average"].iloc[-1] == last


def test_the_list_names_every_artifact_with_its_cost(run):
    ended = run("reproduce", "--list")
    assert (ended.status, ended.errors) == (0, "")
    lines = ended.output.splitlines()
    for artifact in ARTIFACTS.values():
        assert artifact.name in lines
    costs = [line for line in lines if "runs a seed" in line]
    assert len(costs) == len(ARTIFACTS)
    assert all("smoke" in line and "short" in line and "paper" in line for line in costs)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--artifact=fedfa/table9"], "--artifact=fedfa/table9"),
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
