"""Finished artifacts written so that they travel with the software: small, and always the same."""

from __future__ import annotations

import json
import pathlib
import tempfile
from collections.abc import Sequence

from experiments.declaration import Artifact, ClientCurves, Curves, Scatter
from experiments.papers import catalogue
from experiments.reporting.artifact_files import write_artifact
from experiments.reporting.finished import reproduce_command
from experiments.reporting.metrics.cohort import PARTICIPANT_COLUMNS
from experiments.runs import step_budget
from experiments.runs.committed import commit_run
from experiments.runs.configure import find_algorithm
from experiments.runs.environment import read_environment
from experiments.runs.files import write_atomically
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import CLIENT_INDEX, RunRecord
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.sweep import EndedRun


def commit_artifact(
    artifact: Artifact,
    runs: Sequence[ArtifactRun],
    ended: Sequence[EndedRun],
    results_dir: pathlib.Path,
    *,
    scale: str,
) -> pathlib.Path:
    """Writes an artifact and its finished runs below a folder of results; returns its own folder.

    The same runs give the same bytes: no clock is read.
    """
    records = [run.read_record() for run in ended]
    for run, record in zip(ended, records):
        if record is not None and isinstance(run.files, RunDirectory):
            commit_run(run.files, kept_columns(record, artifact), results_dir)
    folder = results_dir / artifact.folder(scale)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        written = pathlib.Path(temporary)
        files = write_artifact(artifact, runs, records, written, scale=scale, facts=())
        for file in (files.cells, files.verdicts, files.figure):
            write_atomically(folder / file.name, file.read_bytes())
    summary = _summary(artifact, runs, ended, scale=scale)
    write_atomically(folder / "summary.json", json.dumps(summary, indent=2) + "\n")
    return folder


def kept_columns(record: RunRecord, artifact: Artifact) -> set[str]:
    """Returns the columns of a run's rounds that are worth their bytes.

    All columns with one number a round are. Those with a number per participant are many times as
    large: they are kept where a curve of any artifact, a metric or a step budget reads them, and
    with them who the participants were. An artifact that draws clients one by one keeps them all.
    """
    columns = set(record.rounds.columns)
    if isinstance(artifact.view, Scatter):
        return columns
    per_participant = {
        column for column in columns if record.rounds[column].astype(str).str.startswith("[").any()
    }
    views = [each.view for each in catalogue.artifacts().values()]
    curves = (view.curves for view in views if isinstance(view, (Curves, ClientCurves)))
    read = {*PARTICIPANT_COLUMNS, *(curve.column for of_view in curves for curve in of_view)}
    if find_algorithm(record.configuration.algorithm).gives_step_budget:
        read.update(step_budget.COLUMNS)
    kept = per_participant & read
    if kept:
        kept |= {column for column in per_participant if column.endswith(f"/{CLIENT_INDEX}")}
    return columns - per_participant | kept


def _summary(
    artifact: Artifact, runs: Sequence[ArtifactRun], ended: Sequence[EndedRun], *, scale: str
) -> dict[str, object]:
    seeds = sorted({run.seed for run in runs})
    finished = {
        run_name(each.configuration): each.files for each in ended if each.result is not None
    }
    seconds = [files.read_seconds() for files in finished.values()]
    recorded = (read_environment(files.environment) for files in finished.values())
    machines = {json.dumps(machine) for machine in recorded if machine}
    there = artifact.datasets_at(scale)
    return {
        "artifact": artifact.name,
        "scale": scale,
        "seeds": seeds,
        "runs": sorted(finished),
        "minutes": round(sum(each.total for each in seconds if each is not None) / 60, 2),
        "machines": [json.loads(machine) for machine in sorted(machines)],
        "command": reproduce_command(artifact, scale, seeds),
        "datasets_left_out": [dataset for dataset in artifact.datasets if dataset not in there],
        "not_run": [
            {"dataset": run.dataset, "method": run.variant, "seed": run.seed}
            for run, each in zip(runs, ended)
            if each.result is None
        ],
    }
