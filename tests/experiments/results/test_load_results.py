"""Tests of `experiments.results`."""

from __future__ import annotations

import pandas as pd
import pytest
from made_runs import write_run

from experiments import results
from experiments.papers import catalogue
from experiments.runs import committed
from experiments.runs.plan import artifact_runs
from experiments.runs.run_directory import run_name

_ARTIFACT = catalogue.artifacts()["fedfa/table3"]
_KEY = ["dataset", "method", "seed"]


@pytest.fixture(scope="module")
def results_dir(tmp_path_factory):
    """Seeds 1 and 2 at scale short with averages of 50 and 60 %, and one run of seed 1 at paper."""
    folder, made = tmp_path_factory.mktemp("results"), tmp_path_factory.mktemp("runs")
    planned = [*artifact_runs(_ARTIFACT, "short", (1, 2))]
    planned += list(artifact_runs(_ARTIFACT, "paper", (1,)))[:1]
    columns = {"aggregator/cohort/weights": [0.25, 0.75]}
    for run in planned:
        directory = write_run(made, run.resolved, 40.0 + 10.0 * run.seed, columns=columns)
        committed.commit_run(directory, ("round", "evaluation/test_average", *columns), folder)
    return folder


def test_every_run_of_a_scale_has_its_rows(results_dir):
    """Settings are columns, and numbers of participants are lists."""
    planned = [run for seed in (1, 2) for run in artifact_runs(_ARTIFACT, "short", (seed,))]
    runs, rounds, clients = results.load(_ARTIFACT.name, scale="short", results_dir=results_dir)
    assert list(runs["run"]) == [run_name(run.resolved) for run in planned]
    assert [tuple(key) for key in runs[_KEY].to_numpy()] == [
        (run.dataset, run.variant, run.seed) for run in planned
    ]
    assert runs["test_average"].equals(40.0 + 10.0 * runs["seed"])
    for table in (rounds, clients):
        assert list(table.columns[:3]) == _KEY
        pd.testing.assert_frame_equal(
            table[_KEY].drop_duplicates().reset_index(drop=True), runs[_KEY]
        )
    configuration, first = planned[0].resolved.configuration, runs.iloc[0]
    assert first["learning_rate"] == configuration.learning_rate
    for name, value in configuration.hyperparameters.items():
        assert first[f"hyperparameters/{name}"] == value
    assert first["seconds/total"] == 6.0
    assert rounds["aggregator/cohort/weights"].iloc[0] == [0.25, 0.75]


def test_without_a_scale_the_largest_that_has_a_run_is_read(results_dir):
    runs, *_ = results.load(_ARTIFACT.name, results_dir=results_dir)
    assert len(runs) == 1
    runs, *_ = results.load(_ARTIFACT.name, seeds=(2,), results_dir=results_dir)
    assert set(runs["seed"]) == {2}


def test_what_came_with_the_software_is_what_its_table_says():
    """FedFa's mean accuracies from the artifact's numbers."""
    runs, *_ = results.load("fedfa/first", scale="short")
    cells = pd.read_csv(results.RESULTS_DIR / "fedfa/first/short/cells.csv")
    cells = cells[cells["metric"] == "average %"].set_index(["dataset", "method"])["mean"]
    means = runs.groupby(["dataset", "method"])["test_average"].mean()
    shared = cells.index.intersection(means.index)
    assert len(shared) > 10
    pd.testing.assert_series_equal(means[shared], cells[shared], check_names=False, atol=1e-5)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"artifact": "fedfa/table9"}, "artifact"),
        ({"artifact": _ARTIFACT.name, "scale": "large"}, "scale"),
        ({"artifact": _ARTIFACT.name, "seeds": (9,)}, "seeds"),
    ],
)
def test_what_there_is_not_is_named(results_dir, given, named):
    with pytest.raises(ValueError, match=named):
        results.load(**given, results_dir=results_dir)
    with pytest.raises(FileNotFoundError, match="results_dir"):
        results.load(_ARTIFACT.name, results_dir=results_dir / "none")
