"""What `reproduce` and `compare` do: train missing runs, write tables, report outcomes."""

from __future__ import annotations

import itertools
import os
import pathlib
import platform
import sys
import time
import traceback
from collections.abc import Callable, Sequence

from experiments.declaration import Artifact
from experiments.reporting import artifact_files
from experiments.reporting.finished import FinishedArtifact, OtherDataError
from experiments.reporting.slots import listed
from experiments.reporting.verdicts import VERDICTS_FILE
from experiments.runs.plan import ArtifactRun
from experiments.runs.sweep import EndedRun, SweepOptions, sweep_planned

# Called with an artifact and the outcomes of its runs, after its files are written.
AfterWriting = Callable[[FinishedArtifact, Sequence[EndedRun]], None]


def make(
    planned: Sequence[tuple[Artifact, Sequence[ArtifactRun]]],
    options: SweepOptions,
    *,
    scale: str,
    output_dir: pathlib.Path,
    after_writing: AfterWriting = lambda finished, ended: None,
) -> None:
    """Trains the runs of artifacts that are not finished, and writes and prints their tables.

    What the artifacts share is trained once. An artifact has no new table while another program
    trains a run of it.

    Raises:
        SystemExit: With status 1, if a run failed or a table could not be written.
    """
    started = time.monotonic()
    outcomes = sweep_planned([run for _, runs in planned for run in runs], options)
    minutes = (time.monotonic() - started) / 60
    failures: dict[str, None] = {}
    remaining = iter(outcomes)
    for artifact, of_artifact in planned:
        ended = list(itertools.islice(remaining, len(of_artifact)))
        folder = output_dir / artifact.folder(scale)
        failed = (run for run in ended if run.error is not None)
        failures.update((f"{run.files.path}: {run.error}", None) for run in failed)
        if any(outcome.is_held for outcome in ended):
            failures[f"{artifact.name}: no table while another program trains its runs"] = None
            continue
        try:
            records = [run.read_record() for run in ended]
            finished = FinishedArtifact(artifact, scale, list(zip(of_artifact, records)))
            text = _write(finished, ended, folder, minutes=minutes)
            after_writing(finished, ended)
        except OtherDataError as error:
            failures[str(error)] = None
        except Exception as error:  # One artifact's fault must not stop the others.
            traceback.print_exc()
            failures[f"{artifact.name}: {type(error).__name__}: {error}"] = None
        else:
            _print_written(finished, text, folder, is_only_one=len(planned) == 1)
    for failure in failures:
        print(f"Failed: {failure}", file=sys.stderr)
    if failures:
        raise SystemExit(1)


def _write(
    finished: FinishedArtifact, ended: Sequence[EndedRun], folder: pathlib.Path, *, minutes: float
) -> str:
    num_committed = sum(run.is_committed for run in ended)
    facts = [
        f"{minutes:.1f} minutes for the runs that were not there already, on {os.cpu_count()} "
        f"cores ({platform.machine()}, Python {platform.python_version()})."
    ]
    if num_committed:
        came = f"{num_committed} of {len(ended)} runs came with the software"
        facts.append(f"{came}; --fresh trains them again.")
    num_left_out = sum(run.is_left_out for run in ended)
    if num_left_out:
        facts.append(
            f"{num_left_out} of {len(ended)} runs are on data sets that --datasets does not name."
        )
    text = artifact_files.write_artifact(finished, folder, facts=facts)
    artifact_files.write_rounds(finished, folder / "rounds.csv")
    return text


def _print_written(
    finished: FinishedArtifact, text: str, folder: pathlib.Path, *, is_only_one: bool
) -> None:
    table = folder / artifact_files.TABLE_FILE
    if is_only_one:
        rounds = ["rounds.csv"] if finished.finished else []
        beside = [artifact_files.CELLS_FILE, VERDICTS_FILE, *rounds, artifact_files.FIGURE_FILE]
        print(f"{text}\n\nWritten: {table}, and beside it {listed(beside)}.")
        return
    done = f"{len(finished.finished)} of {len(finished.runs)} runs"
    print(f"{finished.artifact.name}: {done}, written: {table}")
