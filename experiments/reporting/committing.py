"""Finished artifacts written so that they travel with the software: small, and always the same."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

from experiments.declaration import Artifact, ClientCurves, Curves, Scatter, SpecificationCurve
from experiments.papers import catalogue
from experiments.reporting import figures
from experiments.reporting.artifact_files import CELLS_FILE, FIGURE_FILE, cells_csv
from experiments.reporting.finished import FinishedArtifact, read_finished
from experiments.reporting.metrics import cohort
from experiments.runs import step_budget
from experiments.runs.committed import commit_run
from experiments.runs.files import FolderLock, write_atomically
from experiments.runs.record import CLIENT_INDEX, RunRecord
from experiments.runs.run_directory import RunDirectory, run_directory
from experiments.runs.run_folders import RunFolders
from experiments.runs.run_table import write_rows
from experiments.runs.sweep import EndedRun

# The largest artifact is written in seconds.
_LOCK_TIMEOUT_SECONDS = 600.0
# They follow from the average and the variance.
_DERIVED = {"evaluation/test_jain_index", "evaluation/test_standard_deviation"}


def commit_artifact(
    finished: FinishedArtifact,
    ended: Sequence[EndedRun],
    results_dir: pathlib.Path,
    *,
    runs_dir: pathlib.Path,
) -> pathlib.Path:
    """Writes an artifact and its runs below a folder of results; returns its own folder.

    The runs of an artifact with tuning, and those that tried settings, become rows of tables; see
    `run_table`. Runs that tried settings are kept as they end, the others once their data set lacks
    no run. The cells, whose numbers are rounded in rows, and the figure are of all committed seeds;
    so are the verdicts, which `report` writes. The same runs give the same bytes: no clock is read.
    A run that is not below `runs_dir` is in the results already. One program writes at a time.

    Raises:
        ValueError: If settings are chosen, and each data set lacks a run. What tried them is kept.
    """
    results_dir.mkdir(parents=True, exist_ok=True)
    with FolderLock(results_dir, timeout_seconds=_LOCK_TIMEOUT_SECONDS):
        tabled: dict[pathlib.Path, RunDirectory] = {}
        in_part = {run.dataset for run, record in finished.runs if record is None}
        for run, (planned, record) in zip(ended, finished.runs):
            if planned.candidates:
                own = [] if planned.dataset in in_part else [run.resolved]
                made = [run_directory(runs_dir, each) for each in (*planned.candidates, *own)]
                tabled.update((each.path, each) for each in made if each.is_finished())
            elif record is not None and isinstance(run.files, RunDirectory):
                commit_run(run.files, kept_columns(record, finished.artifact), results_dir)
        write_rows(tabled.values(), results_dir)
        artifact, committed = finished.artifact, RunFolders((), (results_dir,))
        of_all = read_finished(artifact, finished.scale, committed.seeds(), committed.find)
        if of_all is None:
            raise ValueError(f"{artifact.name}: no data set has all of its runs")
        finished = of_all.of_comparable_seeds()
        folder = results_dir / artifact.folder(finished.scale)
        folder.mkdir(parents=True, exist_ok=True)
        figures.draw(finished, (folder / FIGURE_FILE).with_suffix(""), endings=(".png",))
        write_atomically(folder / CELLS_FILE, cells_csv(finished.tables, seeds=finished.seeds))
        return folder


def kept_columns(record: RunRecord, artifact: Artifact) -> set[str]:
    """Returns the columns of a run's rounds that are worth their bytes.

    All columns with one number a round are, unless they follow from others and neither a curve nor
    a metric of the artifact reads them. Columns with a number per participant are many times as
    large. They are kept, with the participants' indices, if a curve, a metric or a claim of this
    artifact reads them, or a step budget. An artifact that draws clients one by one keeps them all.
    """
    read_by = _read_with(artifact)
    views = [each.view for each in read_by]
    curves = (view.curves for view in views if isinstance(view, (Curves, ClientCurves)))
    read = {curve.column for of_view in curves for curve in of_view}
    read.update(f"evaluation/{metric.key}" for each in read_by for metric in each.metrics)
    columns = set(record.rounds.columns) - (_DERIVED - read)
    if isinstance(artifact.view, Scatter):
        return columns
    per_participant = {
        column for column in columns if record.rounds[column].astype(str).str.startswith("[").any()
    }
    names = {each.name for each in read_by}
    asked = [claim.metric for claim in catalogue.claims() if claim.artifact in names]
    if any(each.key in cohort.METRICS for each in (*artifact.metrics, *asked)):
        read.update(cohort.PARTICIPANT_COLUMNS)
    if record.resolved.algorithm.gives_step_budget:
        read.update(step_budget.COLUMNS)
    kept = per_participant & read
    if kept:
        kept |= {column for column in per_participant if column.endswith(f"/{CLIENT_INDEX}")}
    return columns - per_participant | kept


def _read_with(artifact: Artifact) -> list[Artifact]:
    """An artifact, or all of its paper's for readings, which are judged by claims about others."""
    if not isinstance(artifact.view, SpecificationCurve):
        return [artifact]
    paper = artifact.name.partition("/")[0]
    return [each for name, each in catalogue.artifacts().items() if name.startswith(f"{paper}/")]
