"""An algorithm, a data set and a model of one's own package, in every program."""

from __future__ import annotations

import json
import pathlib
import shutil

import pandas as pd
import pytest

_SMALL = ("--rounds=2", "--steps=1", "--clients_per_round=2")


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    """A folder that is found by its place on the path, with a file that can be imported."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copyfile(pathlib.Path(__file__).with_name("own_package.py"), folder / "mine.py")
    (folder / "mine-1.0.dist-info").mkdir()
    (folder / "mine-1.0.dist-info" / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (folder / "mine-1.0.dist-info" / "entry_points.txt").write_text(
        "[tff_weights.algorithms]\nmine_installed = mine:build_mine\n"
        "[tff_weights.datasets]\nimages_installed = mine:load_images\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def _configuration(path):
    return json.loads((path / "configuration.json").read_text())


def test_it_is_trained_and_described(run_each, tmp_path):
    """Two ways to name the same algorithm and data set have the same configuration."""
    own = ("--dataset=mine:load_images", "--model=mine:build_model", "--learning_rate=0.1", *_SMALL)
    cases = [
        ("--algorithm=mine:build_mine", "--hyperparameter=power=1", *own),
        ("--algorithm=mine_installed", "--dataset=images_installed", *own[1:]),
    ]
    ends = run_each(
        "train", [(*case, f"--output_dir={tmp_path / str(n)}") for n, case in enumerate(cases)]
    )
    assert [ended.status for ended in ends] == [0, 0], ends
    by_reference, by_name = (_configuration(tmp_path / str(n)) for n in range(2))
    assert by_reference["hyperparameters"] == {"power": 1.0}
    assert by_name == {**by_reference, "hyperparameters": {"power": 2.0}}
    assert by_name["algorithm"] == "mine:build_mine"
    assert (by_name["dataset"], by_name["model"]) == ("mine:load_images", "mine:build_model")
    assert list(by_name["sources"]) == ["mine"]
    clients = pd.read_csv(tmp_path / "0" / "clients.csv")
    assert clients["client_index"].tolist() == [0, 1, 2]

    described, figures, unknown = run_each(
        "describe",
        [
            ("--algorithm=mine:build_mine", "--hyperparameter=power=3"),
            ("--dataset=mine:load_images", f"--output_dir={tmp_path / 'figures'}"),
            ("--algorithm=mine:NOT_AN_ALGORITHM",),
        ],
    )
    assert described.status == figures.status == 0, (described, figures)
    assert "    power: 3.0 (default 2.0)\n        To which the number of" in described.output
    assert figures.output.splitlines()[1].split()[:2] == ["images", "3"]
    assert len(list((tmp_path / "figures").glob("images_*.png"))) == 3
    assert unknown.status == 2
    assert "mine:NOT_AN_ALGORITHM is a dict; it must be a builder" in unknown.errors


def test_bad_input_is_one_sentence_and_status_2(run_each, tmp_path):
    own = ("--algorithm=mine:build_mine", "--dataset=mine:load_images")
    cases = [
        ((*own,), "learning_rate is needed: no recipe has one for mine:build_mine on mine:load_im"),
        ((*own, "--hyperparameter=colour=red"), "mine:build_mine has power"),
        ((*own, "--power=2"), "A hyperparameter of your own is given as --hyperparameter=power=VALUE"),
        ((*own, "--dataset_option=colour=red"), "and mine:load_images has num_clients"),
        ((*own[:1], "--dataset=mine:build_mine"), "the option model is needed by mine:build_mine"),
        ((*own[:1], "--dataset=mine:NOT_AN_ALGORITHM"), "is a dict; it must be a function that"),
        ((*own, "--model=mine:none", "--learning_rate=1"), "the module mine has no none"),
        (("--algorithm=gone:build",), "'gone' cannot be imported: ModuleNotFoundError"),
        (("--algorithm=mine",), "or module:name of one's own, got 'mine'"),
    ]
    ends = run_each("train", [(*given, f"--output_dir={tmp_path / 'new'}") for given, _ in cases])
    for (_, named), ended in zip(cases, ends):
        assert ended.status == 2, ended
        assert named in ended.errors
        assert len(ended.errors.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_comparison_is_a_table_without_an_artifact(run, run_each, package, tmp_path):
    """In Ray's processes; gone on with in this one, and trained anew where the source changes."""
    output_dir = tmp_path / "results"
    methods = "fed_avg,mine:power_weighting:power=1,trained_alone"
    flags = (f"--algorithms={methods}", *_SMALL, f"--output_dir={output_dir}", "--seeds=1,2")
    flags = (*flags, "--dataset_option=num_clients=4")

    ended = run("compare", *flags, "--workers=2")

    assert ended.status == 0, ended
    lines = ended.output.splitlines()
    assert "mean ± standard deviation over 2 seeds" in lines
    assert "(paper)" not in ended.output and "Scale" not in ended.output
    header = next(line for line in lines if line.startswith("synthetic_1_1"))
    for column in ("average %", "worst 20 %", "best 20 %", "variance", "gain, points"):
        assert column in header
    assert "synthetic_1_1, mine:power_weighting, power = 1, seed 1: " in ended.errors
    (folder,) = output_dir.glob("compare/*")
    for name in ("table.md", "cells.csv", "rounds.csv", "figure.png", "comparison.json"):
        assert (folder / name).stat().st_size > 0
    cells = pd.read_csv(folder / "cells.csv")
    assert len(cells) == 3 * 8
    assert not cells[["seed_1", "seed_2"]].isna().any(axis=None)
    trained = list(output_dir.glob("runs/synthetic_1_1/*/result.json"))
    assert len(trained) == 6
    assert sum("mine.power_weighting-" in str(path) for path in trained) == 2

    again, other = run_each(
        "compare",
        [(*flags, "--workers=1"), (*flags, "--workers=1", "--name=twice")],
    )
    assert again.status == other.status == 0, (again, other)
    assert "seed 1: " not in again.errors + other.errors
    assert (output_dir / "compare" / "twice" / "cells.csv").read_text() == (
        folder / "cells.csv"
    ).read_text()

    pages = [f"--markdown={tmp_path / 'R.md'}", f"--html={tmp_path / 'R.html'}"]
    pages.append(f"--results_dir={tmp_path / 'none'}")
    reported = run("report", f"--output_dir={output_dir}", *pages)
    assert reported.status == 0, reported
    text = (tmp_path / "R.md").read_text()
    assert "Comparisons of your own" in text
    assert "compare/twice" in text and "python -m experiments.compare --algorithms=fed_avg" in text

    source = package / "mine.py"
    source.write_text(source.read_text() + "\n# Another thought.\n")
    changed = run("compare", *flags, "--workers=1", "--seeds=1")
    assert changed.status == 0, changed
    assert "mine:power_weighting, power = 1, seed 1: " in changed.errors
    assert "fed_avg, seed 1: " not in changed.errors


def test_bad_comparisons_are_refused(run_each, tmp_path):
    cases = [
        (["--algorithms=fedavg"], "algorithm must be one of"),
        (["--algorithms=fed_avg", "--dataset=mnits"], "name is 'mnits'"),
        (["--algorithms=fed_avg,fed_avg"], "--algorithms has 'fed_avg' twice"),
        (["--algorithms=fed_avg", "--dataset=leaf"], "learning_rate is needed"),
        (["--algorithms=fed_avg", "--name=a/b"], "name must be that of a folder"),
        (["--algorithms=fed_avg", "--seeds=one"], "--seeds must be different whole numbers"),
    ]
    ends = run_each("compare", [(*given, f"--output_dir={tmp_path / 'new'}") for given, _ in cases])
    for (_, named), ended in zip(cases, ends):
        assert (ended.status, ended.output) == (2, ""), ended
        assert named in ended.errors
        assert len(ended.errors.splitlines()) == 1
    assert not (tmp_path / "new").exists()
