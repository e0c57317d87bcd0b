"""Finished artifacts written so that they travel with the software: small, and always the same."""

from __future__ import annotations

import json
import pathlib
import tempfile
from collections.abc import Sequence

from experiments.declaration import Artifact, ClientCurves, Curves, Scatter
from experiments.papers import catalogue
from experiments.reporting.artifact_files import write_artifact
from experiments.reporting.finished import machines_of, minutes_of, reproduce_command
from experiments.reporting.metrics.cohort import PARTICIPANT_COLUMNS
from experiments.runs import step_budget
from experiments.runs.committed import commit_run
from experiments.runs.configure import find_algorithm
from experiments.runs.files import write_atomically
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.sweep import Outcome

_CLIENT_INDEX = "/client_index"


def commit_artifact(
    artifact: Artifact,
    runs: Sequence[ArtifactRun],
    outcomes: Sequence[Outcome],
    results_dir: pathlib.Path,
    *,
    scale: str,
) -> pathlib.Path:
    """Writes an artifact and its finished runs below a folder of results.

    `runs/DATA_SET/ALGORITHM-DIGEST` hold the runs, which several artifacts may share, and
    `PAPER/ARTIFACT/SCALE` the table's numbers, the verdicts, the figure and `summary.json`. The
    same runs give the same bytes: no clock is read.

    Returns:
        The artifact's folder.
    """
    records = [outcome.read_record() for outcome in outcomes]
    for outcome, record in zip(outcomes, records):
        if record is not None and isinstance(outcome.files, RunDirectory):
            commit_run(outcome.files, kept_columns(record, artifact), results_dir)
    summary = _summary(artifact, runs, outcomes, scale=scale)
    folder = results_dir / artifact.folder(scale)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        written = pathlib.Path(temporary)
        files = write_artifact(artifact, runs, records, written, scale=scale, facts=())
        for file in (files.cells, files.verdicts, files.figure):
            write_atomically(folder / file.name, file.read_bytes())
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
        kept |= {column for column in per_participant if column.endswith(_CLIENT_INDEX)}
    return columns - per_participant | kept


def _summary(
    artifact: Artifact, runs: Sequence[ArtifactRun], outcomes: Sequence[Outcome], *, scale: str
) -> dict[str, object]:
    seeds = sorted({run.seed for run in runs})
    finished = {
        run_name(outcome.configuration): outcome
        for outcome in outcomes
        if outcome.result is not None
    }
    files = [outcome.files for outcome in finished.values()]
    return {
        "artifact": artifact.name,
        "scale": scale,
        "seeds": seeds,
        "runs": sorted(finished),
        "minutes": round(minutes_of(files), 2),
        "machines": machines_of(files),
        "command": reproduce_command(artifact, scale, seeds),
        "datasets_left_out": [
            dataset for dataset in artifact.datasets if dataset not in artifact.datasets_at(scale)
        ],
        "not_run": [
            {"dataset": run.dataset, "method": run.variant, "seed": run.seed}
            for run, outcome in zip(runs, outcomes)
            if outcome.result is None
        ],
    }
