"""An algorithm, data sets, models and a paper of one's own, in every program."""

from __future__ import annotations

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("package")

_SMALL = ("--rounds=2", "--steps=1", "--clients_per_round=2")
_OWN = ("--algorithm=mine:build_mine", "--dataset=mine:load_images")
_WITH_MODEL = ("--model=mine:build_model", "--learning_rate=0.1", *_SMALL)
_REGRESSION = (
    *("--dataset=mine:load_numbers", "--model=mine:build_line", "--learning_rate=0.1"),
    *_SMALL[1:],
)
_OF_PAPER = ("--papers=mine", "--dataset=synthetic_1_1", "--algorithm=toy")
_BAD = {
    _OWN: "learning_rate is needed: no recipe has one for mine:build_mine on mine:load_images",
    (*_OWN, "--power=2"): "A hyperparameter of your own is given as --hyperparameter=power=VALUE",
    (*_OWN[:1], "--dataset=mine:build_mine"): "mine:build_mine has the option model, and every",
    ("--algorithm=gone:build",): "'gone' cannot be imported: ModuleNotFoundError",
    ("--algorithm=fed_fa", *_REGRESSION): "correct_fn",
    ("--algorithm=fed_avg", *_REGRESSION, "--target_accuracy=50"): "labels that are numbers",
    (*_OF_PAPER, "--hyperparameter=exponent=2"): "it must be name=value, and toy has power",
}


def test_bad_input_is_one_sentence_and_status_2(run, tmp_path):
    for flags, sentence in _BAD.items():
        ended = run("train", *flags, f"--output_dir={tmp_path / 'new'}")
        assert (ended.status, ended.output) == (2, ""), ended
        assert sentence in ended.errors and len(ended.errors.splitlines()) == 1
    file = tmp_path / "file.json"
    for part, name in (("hyperparameters", "rounds"), ("dataset_options", "alpha")):
        file.write_text(json.dumps({part: {name: 5}}))
        flags = (f"--configuration={file}", f"--output_dir={tmp_path / 'new'}")
        ended = run("train", "--algorithm=fed_fa", *flags)
        assert ended.status == 2 and f"{part}: there is no {name}" in ended.errors, ended
    assert not (tmp_path / "new").exists()


def test_a_regression_is_trained_and_compared(run, tmp_path):
    """There is no accuracy: the tables hold loss, MAE and R² of each client."""
    methods = ("--algorithms=fed_avg", "--seeds=1", "--rounds=3", "--workers=1")
    compared = run("compare", *methods, f"--output_dir={tmp_path}", *_REGRESSION)
    assert compared.status == 0, compared.errors
    assert "R², worst 20 %" in compared.output
    (path,) = tmp_path.glob("runs/*/fed_avg-*")
    clients = pd.read_csv(path / "clients.csv")
    assert set(clients.columns) >= {"test_loss", "test_mean_absolute_error", "train_r2_score"}
    assert not [name for name in clients.columns if "accuracy" in name]
    weights = clients["num_test"]
    result = json.loads((path / "result.json").read_text())
    assert result["test_loss"] == pytest.approx(
        (clients["test_loss"] * weights).sum() / weights.sum(), abs=1e-5
    )
    assert result["test_mean_absolute_error_worst_20"] == pytest.approx(
        clients["test_mean_absolute_error"].max(), abs=1e-5
    )


def _trained(run, path, *flags):
    ended = run("train", *flags, f"--output_dir={path}")
    assert ended.status == 0, ended
    return json.loads((path / "configuration.json").read_text())


def test_it_is_trained(run, tmp_path):
    """Two ways to name the same algorithm and data set have the same configuration."""
    by_reference = _trained(run, tmp_path / "0", *_OWN, *_WITH_MODEL, "--hyperparameter=power=1")
    names = ("--algorithm=mine_installed", "--dataset=images_installed")
    by_name = _trained(run, tmp_path / "1", *names, *_WITH_MODEL)
    assert by_reference["hyperparameters"] == {"power": 1.0}
    assert by_name == {**by_reference, "hyperparameters": {"power": 2.0}}
    assert by_name["algorithm"] == "mine:build_mine"
    assert (by_name["dataset"], by_name["model"]) == ("mine:load_images", "mine:build_model")
    assert list(by_name["sources"]) == ["mine"]
    assert pd.read_csv(tmp_path / "0" / "clients.csv")["client_index"].tolist() == [0, 1, 2]
    again = _trained(run, tmp_path / "2", f"--configuration={tmp_path / '0'}", *names)
    assert again == by_reference


def test_an_algorithm_of_a_paper_is_trained_and_described_by_its_recipe(run, tmp_path):
    """Its recipe has a power of 0.5, where the builder has 2. It selects and evaluates its own way.

    The two clients of four with the fewest examples take part.
    """
    small = (*_OF_PAPER, *_SMALL[1:], "--rounds=1", "--dataset_option=num_clients=4")
    configuration = _trained(run, tmp_path / "run", *small)
    assert (configuration["hyperparameters"], configuration["learning_rate"]) == (
        {"power": 0.5},
        0.05,
    )
    metrics, clients = (pd.read_csv(tmp_path / "run" / f"{n}.csv") for n in ("metrics", "clients"))
    of_cohort = json.loads(metrics["aggregator/cohort/reports/size"][1])
    assert sorted(of_cohort) == sorted(clients["num_train"])[:2]
    assert clients["train_accuracy"].equals(clients["test_accuracy"])
    described = run("describe", *_OF_PAPER)
    assert described.status == 0, described
    assert "    power: 0.5 (default 2.0)\n        To which the number of" in described.output


_METHODS = "--algorithms=fed_avg,mine:power_weighting:power=1,trained_alone"
_COMPARED = (_METHODS, *_SMALL, "--seeds=1,2", "--dataset_option=num_clients=4")


@pytest.mark.long
def test_a_comparison_is_a_table_without_an_artifact(run_each, tmp_path):
    """With the number of examples to the power 1 as weight it is FedAvg, to the last digit."""
    output_dir = tmp_path / "results"
    flags = (*_COMPARED, f"--output_dir={output_dir}", "--workers=1")
    ended, again = run_each("compare", [flags, (*flags, "--name=twice")])
    assert ended.status == 0, ended
    lines = ended.output.splitlines()
    assert "Mean ± standard deviation over 2 seeds:" in lines
    assert "(paper)" not in ended.output and "Scale" not in ended.output
    header = next(line for line in lines if line.startswith("method"))
    for column in ("average %", "worst 20 %", "best 20 %", "variance", "gain, points"):
        assert column in header
    folder, twice = sorted(output_dir.glob("compare/*"))
    for name in ("table.md", "rounds.csv", "figure.png", "comparison.json"):
        assert (folder / name).stat().st_size > 0
    cells = pd.read_csv(folder / "cells.csv").set_index("method")
    assert len(cells) == 3 * 8
    of_seeds = cells[["seed_1", "seed_2"]]
    assert not of_seeds.isna().any(axis=None)
    own = "mine:power_weighting, power = 1"
    assert (of_seeds.loc["fed_avg"].values == of_seeds.loc[own].values).all()
    differences = pd.read_csv(folder / "verdicts.csv").set_index("better")
    assert set(differences["worse"]) == {"fed_avg"} and len(differences) == 2 * 8
    assert (differences.loc[own, "mean_difference"] == 0).all()
    trained = list(output_dir.glob("runs/synthetic_1_1/*/result.json"))
    assert len(trained) == 6
    assert sum("mine.power_weighting-" in str(path) for path in trained) == 2

    assert again.status == 0, again
    assert twice.name == "twice"
    assert (twice / "cells.csv").read_bytes() == (folder / "cells.csv").read_bytes()


@pytest.mark.long
def test_it_reaches_other_processes_and_the_report_and_is_trained_again_when_edited(
    run, start, package, tmp_path
):
    output_dir = tmp_path / "results"
    flags = (*_COMPARED, f"--output_dir={output_dir}")
    ended = start("compare", *flags, "--workers=2").finish()
    assert ended.status == 0, ended
    assert len(list(output_dir.glob("runs/synthetic_1_1/mine.*/result.json"))) == 2

    pages = (f"--markdown={tmp_path / 'R.md'}", f"--pages={tmp_path / 'pages'}")
    (tmp_path / "none" / "runs").mkdir(parents=True)
    reported = run(
        "report", f"--output_dir={output_dir}", f"--results_dir={tmp_path / 'none'}", *pages
    )
    assert reported.status == 0, reported
    assert ", 1 have all runs" in reported.output
    assert "[Comparisons of your own](pages/compare.md)" in (tmp_path / "R.md").read_text()
    assert f"python -m experiments.compare {_METHODS}" in (
        (tmp_path / "pages" / "compare.md").read_text()
    )

    source = package / "mine.py"
    source.write_text(source.read_text() + "\n# Another thought.\n")
    changed = run("compare", *flags, "--workers=1")
    assert changed.status == 0, changed
    assert len(list(output_dir.glob("runs/synthetic_1_1/*/result.json"))) == 8
    assert len(list(output_dir.glob("runs/synthetic_1_1/mine.*/result.json"))) == 4


_BAD_PAPER = """
import dataclasses
import pathlib
from mine import PAPER as toy

table = dataclasses.replace(toy.artifacts[0], name="bad/table", paper_files=(pathlib.Path("no"),))
PAPER = dataclasses.replace(toy, name="bad", artifacts=(table,), claims=())
"""


def test_a_bad_file_of_a_papers_numbers_is_named_before_anything_runs(run, package, tmp_path):
    (package / "bad_paper.py").write_text(_BAD_PAPER)
    flags = ("--artifact=bad/table", "--papers=bad_paper", f"--output_dir={tmp_path / 'new'}")
    ended = run("reproduce", *flags)
    assert (ended.status, ended.output) == (2, "")
    assert "bad/table: paper_files: no: [Errno 2] No such file" in ended.errors
    assert len(ended.errors.splitlines()) == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.long
def test_artifacts_of_a_paper_are_reproduced_in_processes_of_their_own(run, start, tmp_path):
    """Its table and its other artifact share a run: three are planned, and two trained."""
    flags = ("--scale=smoke", "--papers=mine", f"--results_dir={tmp_path / 'committed'}")
    parallel = ("--workers=2", "--commit_results", f"--output_dir={tmp_path / 'results'}")
    ended = start("reproduce", "--artifact=toy", *flags, *parallel).finish()
    assert ended.status == 0, ended.errors
    table, other = (tmp_path / "results" / "toy" / name / "smoke" for name in ("table", "other"))
    assert ended.output.splitlines() == [
        f"toy/table: 2 of 2 runs, written: {table / 'table.md'}",
        f"toy/other: 1 of 1 runs, written: {other / 'table.md'}",
    ]
    assert len(list(tmp_path.glob("results/runs/*/*/result.json"))) == 2
    cells = pd.read_csv(table / "cells.csv").set_index("method")["mean"]
    assert set(cells.index) == {"Toy", "Toy, squared"}
    assert " --papers=mine\n```" in (table / "table.md").read_text()
    assert pd.read_csv(other / "cells.csv")["mean"].tolist() == [cells["Toy"]]

    # Somewhere else, with nothing but what was committed.
    again = run("reproduce", "--artifact=toy/table", *flags, f"--output_dir={tmp_path / 'again'}")
    assert again.status == 0, again.errors
    assert "2 of 2 runs came with the software; --fresh trains them again." in again.output
    for path in ("again/{}/cells.csv", "again/{}/verdicts.csv", "committed/{}/cells.csv"):
        written = tmp_path / path.format("toy/table/smoke")
        assert written.read_bytes() == (table / written.name).read_bytes()
    assert list(tmp_path.glob("again/runs/*/*")) == []

    # And its claim is judged in the report.
    pages = (f"--markdown={tmp_path / 'RESULTS.md'}", f"--pages={tmp_path / 'pages'}")
    flags = ("--scales=smoke", *flags[1:], f"--output_dir={tmp_path / 'again'}")
    reported = run("report", *flags, *pages)
    assert reported.status == 0, reported.errors
    assert ", 2 have all runs" in reported.output
    assert "pages/toy.md" in (tmp_path / "RESULTS.md").read_text()
    text = (tmp_path / "pages" / "toy.md").read_text()
    assert "toy/table" in text and "The toy is better than its square." in text
