"""Artifacts, and runs on disk: made up, or small ones that are trained."""

from __future__ import annotations

import json
import pathlib

import pandas as pd

from experiments.declaration import SCALES, Artifact, Metric, Scale, Variant
from experiments.runs import training
from experiments.runs.configure import ResolvedRun, configure
from experiments.runs.run_directory import RunDirectory, run_directory

# What two equal runs have in common.
TABLES = ("metrics.csv", "clients.csv", "result.json")


def small_run(algorithm: str = "fed_avg", **settings) -> ResolvedRun:
    """Two rounds of two of three clients, unless something else is said."""
    given = {"rounds": 2, "num_clients": 3, "clients_per_round": 2, **settings}
    return configure(algorithm, "synthetic_1_1", given)


def train(
    path: pathlib.Path, run: ResolvedRun, *, resume: bool = False, **options
) -> training.PreparedRun:
    """Trains a run in silence, and without TensorBoard's files."""
    prepared = training.prepare(run, path, resume=resume)
    prepared.execute(**{"show_progress": False, "for_tensorboard": False, **options})
    return prepared


def tables(path: pathlib.Path) -> dict[str, bytes]:
    """The tables of a run as bytes, by name."""
    return {name: (path / name).read_bytes() for name in TABLES}


def toy_artifact(**parts) -> Artifact:
    """A table of two methods on one data set, unless something else is said."""
    given = {
        "name": "toy/table",
        "title": "A table",
        "datasets": ("synthetic_iid",),
        "variants": (Variant("A", "fed_avg"), Variant("B", "fed_prox")),
        "scales": dict.fromkeys(SCALES, Scale(2)),
        "metrics": (Metric("test_average", "average %", "average"),),
    }
    return Artifact(**{**given, **parts})


def write_run(
    runs_dir: pathlib.Path,
    run: ResolvedRun,
    average: float,
    *,
    columns: dict[str, object] | None = None,
) -> RunDirectory:
    """Writes the files of a run whose last round has this average; it took six seconds."""
    directory = run_directory(runs_dir, run)
    directory.path.mkdir(parents=True)
    names = ("average", "worst_20", "best_20", "variance", "weighted_average")
    result = {f"test_{name}": average for name in names}
    result.update(train_loss=0.5, test_loss=0.5)
    last = run.configuration.rounds
    row = {f"evaluation/{name}": value for name, value in result.items()}
    row.update((name, json.dumps(value)) for name, value in (columns or {}).items())
    pd.DataFrame([{"round": last, **row}]).to_csv(directory.metrics, index=False)
    directory.timings.write_text(
        "round,evaluation/evaluation_time_in_seconds,training_time_in_seconds\n"
        f"0,1.0,\n{last},2.0,3.0\n"
    )
    directory.clients.write_text(
        "client_id,num_train,num_test,test_accuracy\na,10,5,0.5\nb,20,5,1.0\n"
    )
    directory.environment.write_text(json.dumps({"platform": "A machine", "cpu_count": 2}))
    directory.configuration.write_text(run.configuration.to_json())
    directory.finish(result)
    return directory
