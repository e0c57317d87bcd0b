"""An algorithm, a data set and a model of one's own package, in every program."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pandas as pd
import pytest

_ROOT = pathlib.Path(__file__).parents[2]
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


_TRAINED = (
    "--algorithm=mine:build_mine",
    "--dataset=mine:load_images",
    "--model=mine:build_model",
    "--learning_rate=0.1",
    *_SMALL,
)
_REGRESSION = (
    "--dataset=mine:load_numbers",
    "--model=mine:build_line",
    "--learning_rate=0.1",
    *_SMALL[1:],
)
_OWN = _TRAINED[:2]
_BAD_RUNS = {
    _OWN: "learning_rate is needed: no recipe has one for mine:build_mine on mine:load_images",
    (*_OWN, "--hyperparameter=colour=red"): "mine:build_mine has power",
    (*_OWN, "--power=2"): "A hyperparameter of your own is given as --hyperparameter=power=VALUE",
    (*_OWN, "--dataset_option=colour=red"): "and mine:load_images has num_clients",
    (*_OWN[:1], "--dataset=mine:build_mine"): "mine:build_mine needs the option model",
    (*_OWN[:1], "--dataset=mine:NOT_AN_ALGORITHM"): "is a dict; it must be a function that",
    (*_OWN, "--model=mine:none", "--learning_rate=1"): "the module mine has no none",
    ("--algorithm=gone:build",): "'gone' cannot be imported: ModuleNotFoundError",
    ("--algorithm=mine",): "'mine'",
    ("--algorithm=fed_fa", *_REGRESSION): "correct_fn",
}


def _check_bad(ends, sentences):
    for sentence, ended in zip(sentences, ends):
        assert (ended.status, ended.output) == (2, ""), ended
        assert sentence in ended.errors
        assert len(ended.errors.splitlines()) == 1


def test_a_regression_is_trained_and_compared(tmp_path):
    """In a program of its own, which imports TensorFlow after it has read its flags.

    There is no accuracy: the tables hold loss, MAE and R² of each client.
    """

    def program(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "experiments", *arguments, *_REGRESSION],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{os.environ['PYTHONPATH']}:{_ROOT}"},
            capture_output=True,
            text=True,
        )

    trained = program("train", "--algorithm=fed_avg", "--output_dir=run", "--rounds=3")
    assert trained.returncode == 0, trained.stderr
    assert "test_r2_score" in trained.stdout
    clients = pd.read_csv(tmp_path / "run" / "clients.csv")
    assert set(clients.columns) >= {"test_loss", "test_mean_absolute_error", "train_r2_score"}
    assert not [name for name in clients.columns if "accuracy" in name]
    weights = clients["num_test"]
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["test_loss"] == pytest.approx(
        (clients["test_loss"] * weights).sum() / weights.sum(), abs=1e-5
    )
    assert result["test_mean_absolute_error_worst_20"] == pytest.approx(
        clients["test_mean_absolute_error"].max(), abs=1e-5
    )
    compared = program("compare", "--algorithms=fed_avg,q_fed_avg", "--seeds=1", "--rounds=2")
    assert compared.returncode == 0, compared.stderr
    assert "R², worst 20 %" in compared.stdout


def test_it_is_trained(run_each, tmp_path):
    """Two ways to name the same algorithm and data set have the same configuration."""
    by_name = ("--algorithm=mine_installed", "--dataset=images_installed", *_TRAINED[2:])
    good = [(*_TRAINED, "--hyperparameter=power=1"), by_name]
    cases = [(*case, f"--output_dir={tmp_path / str(n)}") for n, case in enumerate(good)]
    new = tmp_path / "new"
    *ends, first, second = run_each(
        "train", [*((*given, f"--output_dir={new}") for given in _BAD_RUNS), *cases]
    )
    _check_bad(ends, _BAD_RUNS.values())
    assert not new.exists()
    assert (first.status, second.status) == (0, 0), (first, second)
    by_reference, by_name = (
        json.loads((tmp_path / str(n) / "configuration.json").read_text()) for n in range(2)
    )
    assert by_reference["hyperparameters"] == {"power": 1.0}
    assert by_name == {**by_reference, "hyperparameters": {"power": 2.0}}
    assert by_name["algorithm"] == "mine:build_mine"
    assert (by_name["dataset"], by_name["model"]) == ("mine:load_images", "mine:build_model")
    assert list(by_name["sources"]) == ["mine"]
    clients = pd.read_csv(tmp_path / "0" / "clients.csv")
    assert clients["client_index"].tolist() == [0, 1, 2]


@pytest.mark.long
def test_it_is_described(run_each, tmp_path):
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
    _check_bad([unknown], ["mine:NOT_AN_ALGORITHM is a dict; it must be a builder"])


_METHODS = "--algorithms=fed_avg,mine:power_weighting:power=1,trained_alone"
_COMPARED = (_METHODS, *_SMALL, "--seeds=1,2", "--dataset_option=num_clients=4")
_IMAGES = "--dataset=mine:load_images --learning_rate=1"
_TOO_FEW = "clients_per_round must be at most the number of clients, 3, "
_BAD_COMPARISONS = {
    "--algorithms=fedavg": "algorithm must be one of",
    "--algorithms=": "--algorithms must name one at least, got none",
    "--algorithms=fed_avg --dataset=": "--dataset must name one at least, got none",
    "--algorithms=fed_avg --dataset=mnits": "name is 'mnits'",
    "--algorithms=fed_avg,fed_avg": "--algorithms has 'fed_avg' twice",
    "--algorithms=fed_avg --dataset=mnist,mnist": "--dataset must name different data sets",
    "--algorithms=fed_avg,fed_fa:alpha=-1": "alpha must be",
    "--algorithms=fed_avg --clients_per_round=31": "the number of clients, 30, got 31",
    "--algorithms=fed_avg --dataset=leaf": "learning_rate is needed",
    "--algorithms=fed_avg --name=a/b": "name must be that of a folder",
    f"--algorithms=fed_avg,fed_fa {_IMAGES}": f"fed_avg on mine:load_images: {_TOO_FEW}",
    "--algorithms=fed_avg,fed_fa --dataset=synthetic_1_1,images_installed --learning_rate=1": (
        f"fed_avg on images_installed: {_TOO_FEW}"
    ),
    f"--algorithms=fed_avg {_IMAGES} --model=sentiment_lstm": "has no vocabulary",
    "--algorithms=fed_avg --seeds=one": "--seeds must be different whole numbers",
}


@pytest.mark.long
def test_a_comparison_is_a_table_without_an_artifact(run_each, tmp_path):
    """With the number of examples to the power 1 as weight it is FedAvg, to the last digit."""
    output_dir, new = tmp_path / "results", tmp_path / "new"
    flags = (*_COMPARED, f"--output_dir={output_dir}", "--workers=1")
    *ends, ended, again = run_each(
        "compare",
        [
            *((*given.split(), f"--output_dir={new}") for given in _BAD_COMPARISONS),
            flags,
            (*flags, "--name=twice"),
        ],
    )
    _check_bad(ends, _BAD_COMPARISONS.values())
    assert not new.exists()

    assert ended.status == 0, ended
    lines = ended.output.splitlines()
    assert "mean ± standard deviation over 2 seeds" in lines
    assert "(paper)" not in ended.output and "Scale" not in ended.output
    header = next(line for line in lines if line.startswith("synthetic_1_1"))
    for column in ("average %", "worst 20 %", "best 20 %", "variance", "gain, points"):
        assert column in header
    assert "synthetic_1_1, mine:power_weighting, power = 1, seed 1: " in ended.errors
    folder, twice = sorted(output_dir.glob("compare/*"))
    assert "Better than fed_avg?" in ended.output
    names = ("table.md", "cells.csv", "verdicts.csv", "rounds.csv", "figure.png")
    for name in (*names, "comparison.json"):
        assert (folder / name).stat().st_size > 0
    cells = pd.read_csv(folder / "cells.csv").set_index("method")
    assert len(cells) == 3 * 8
    of_seeds = cells[["seed_1", "seed_2"]]
    assert not of_seeds.isna().any(axis=None)
    assert (
        of_seeds.loc["fed_avg"].values == of_seeds.loc["mine:power_weighting, power = 1"].values
    ).all()
    differences = pd.read_csv(folder / "verdicts.csv").set_index("better")
    assert set(differences["worse"]) == {"fed_avg"} and len(differences) == 2 * 8
    assert (differences.loc["mine:power_weighting, power = 1", "mean_difference"] == 0).all()
    trained = list(output_dir.glob("runs/synthetic_1_1/*/result.json"))
    assert len(trained) == 6
    assert sum("mine.power_weighting-" in str(path) for path in trained) == 2

    assert again.status == 0, again
    assert "seed 1: " not in again.errors
    assert twice.name == "twice"
    assert (twice / "cells.csv").read_bytes() == (folder / "cells.csv").read_bytes()


@pytest.mark.long
def test_it_reaches_other_processes_and_the_report_and_is_trained_again_when_edited(
    run, package, tmp_path
):
    output_dir = tmp_path / "results"
    flags = (*_COMPARED, f"--output_dir={output_dir}")
    ended = run("compare", *flags, "--workers=2")
    assert ended.status == 0, ended
    assert len(list(output_dir.glob("runs/synthetic_1_1/mine.*/result.json"))) == 2

    pages = (f"--markdown={tmp_path / 'R.md'}", f"--pages={tmp_path / 'pages'}")
    reported = run(
        "report", f"--output_dir={output_dir}", f"--results_dir={tmp_path / 'none'}", *pages
    )
    assert reported.status == 0, reported
    assert reported.output.startswith("1 of ")
    assert "[Comparisons of your own](pages/compare.md)" in (tmp_path / "R.md").read_text()
    text = (tmp_path / "pages" / "compare.md").read_text()
    assert "better than fed_avg?" in text
    assert f"python -m experiments.compare {_METHODS}" in text

    source = package / "mine.py"
    source.write_text(source.read_text() + "\n# Another thought.\n")
    changed = run("compare", *flags, "--workers=1")
    assert changed.status == 0, changed
    assert "mine:power_weighting, power = 1, seed 1: " in changed.errors
    assert "fed_avg, seed 1: " not in changed.errors
    assert len(list(output_dir.glob("runs/synthetic_1_1/mine.*/result.json"))) == 4
