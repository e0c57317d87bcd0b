"""A paper that lives in a folder outside the package, handed over with `--papers=module`."""

from __future__ import annotations

import json
import pathlib
import shutil

import pandas as pd
import pytest

_MODULE = "a_toy_paper"
_CLAIM = "The toy is better than its square."
_DATA = ("--dataset=synthetic_1_1", f"--papers={_MODULE}")


@pytest.fixture(autouse=True)
def _paper(tmp_path, monkeypatch):
    package = tmp_path / "elsewhere" / _MODULE
    package.mkdir(parents=True)
    source = pathlib.Path(__file__).with_name("toy_paper.py")
    shutil.copyfile(source, package / "__init__.py")
    monkeypatch.setenv("PYTHONPATH", str(package.parent))


def test_it_is_trained_and_described_by_its_recipe(run, run_each, tmp_path):
    """Its hyperparameter has no flag and no default: the recipe says 0.5, and the second run 2."""
    small = ("--algorithm=toy", "--rounds=1", "--steps=1", "--dataset_option=num_clients=4")
    small = (*_DATA, *small, "--clients_per_round=2")
    trained, squared, both = run_each(
        "train",
        [
            [*small, f"--output_dir={tmp_path / 'run'}"],
            [*small, f"--output_dir={tmp_path / 'squared'}", "--hyperparameter=power=2.0"],
            [*small, f"--output_dir={tmp_path / 'none'}", "--hyperparameter=exponent=2"],
        ],
    )
    assert (trained.status, squared.status) == (0, 0), trained.errors + squared.errors
    configurations = [
        json.loads((tmp_path / name / "configuration.json").read_text())
        for name in ("run", "squared")
    ]
    assert [c["hyperparameters"] for c in configurations] == [{"power": 0.5}, {"power": 2.0}]
    assert [c["learning_rate"] for c in configurations] == [0.05, 0.05]
    assert both.status == 2
    assert "hyperparameter is 'exponent=2'; it must be name=value, and toy has power" in both.errors

    described = run("describe", *_DATA, "--algorithm=toy")
    assert described.status == 0, described.errors
    assert "power: 0.5 (no default)" in described.output


def test_a_bad_file_of_its_numbers_is_named_before_anything_runs(run, tmp_path):
    (tmp_path / "elsewhere" / "a_bad_paper.py").write_text(_BAD)
    ended = run(
        "reproduce",
        "--artifact=bad/table",
        "--papers=a_bad_paper",
        f"--output_dir={tmp_path / 'results'}",
    )
    assert (ended.status, ended.output) == (2, "")
    assert "bad/table: paper_files: no.csv: [Errno 2] No such file" in ended.errors
    assert len(ended.errors.splitlines()) == 1
    assert not (tmp_path / "results").exists()


_BAD = f"""
import dataclasses
import pathlib

from {_MODULE} import PAPER as _TOY

_TABLE = dataclasses.replace(
    _TOY.artifacts[0], name="bad/table", paper_files=(pathlib.Path("no.csv"),)
)
PAPER = dataclasses.replace(_TOY, name="bad", artifacts=(_TABLE,), claims=())
"""


@pytest.mark.long
def test_its_artifacts_are_reproduced_in_processes_of_their_own(run, tmp_path):
    """Its table and its other artifact share a run: three are planned, and two trained."""
    ended = run(
        "reproduce",
        "--artifact=toy",
        "--scale=smoke",
        "--workers=2",
        f"--papers={_MODULE}",
        f"--output_dir={tmp_path / 'results'}",
        f"--results_dir={tmp_path / 'committed'}",
        "--commit_results",
    )
    assert ended.status == 0, ended.errors
    folders = [tmp_path / "results" / "toy" / name / "smoke" for name in ("table", "other")]
    assert ended.output.splitlines() == [
        f"toy/table: 2 of 2 runs, written: {folders[0] / 'table.md'}",
        f"toy/other: 1 of 1 runs, written: {folders[1] / 'table.md'}",
    ]
    assert len(list(tmp_path.glob("results/runs/*/*/result.json"))) == 2
    assert "2/2 [" in ended.errors
    for method in ("Toy", "Toy, squared"):
        assert f"synthetic_1_1, {method}, seed 1: " in ended.errors
    cells = pd.read_csv(folders[0] / "cells.csv").set_index("method")["mean"]
    assert set(cells.index) == {"Toy", "Toy, squared"}
    assert pd.read_csv(folders[1] / "cells.csv")["mean"].tolist() == [cells["Toy"]]

    # Somewhere else, with nothing but what was committed.
    again = run(
        "reproduce",
        "--artifact=toy/table",
        "--scale=smoke",
        f"--papers={_MODULE}",
        f"--output_dir={tmp_path / 'again'}",
        f"--results_dir={tmp_path / 'committed'}",
    )
    assert again.status == 0, again.errors
    assert "2 of 2 runs came with the software; --fresh trains them again." in again.output
    table = tmp_path / "again" / "toy" / "table" / "smoke"
    for name in ("cells.csv", "verdicts.csv"):
        committed = tmp_path / "committed" / "toy" / "table" / "smoke" / name
        assert (table / name).read_bytes() == (folders[0] / name).read_bytes()
        assert (table / name).read_bytes() == committed.read_bytes()
    assert list(tmp_path.glob("again/runs/*/*")) == []

    # And its claim is judged in the report.
    pages = [tmp_path / "RESULTS.md", tmp_path / "pages" / "toy.md"]
    reported = run(
        "report",
        "--scales=smoke",
        f"--papers={_MODULE}",
        f"--output_dir={tmp_path / 'nothing'}",
        f"--results_dir={tmp_path / 'committed'}",
        f"--markdown={pages[0]}",
        f"--pages={pages[1].parent}",
    )
    assert reported.status == 0, reported.errors
    assert reported.output.startswith("2 of ")
    assert "pages/toy.md" in pages[0].read_text()
    text = pages[1].read_text()
    assert "toy/table" in text and _CLAIM in text
