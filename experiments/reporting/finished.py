"""What is there of an artifact: its runs found on disk, and the tables and verdicts they make."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from experiments.declaration import Artifact, Metric
from experiments.reporting.comparison import Table, compare
from experiments.runs.committed import Files
from experiments.runs.environment import read_environment
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.record import RunRecord
from experiments.runs.run_folders import Find, find_planned, read_once


@dataclasses.dataclass(frozen=True)
class FinishedArtifact:
    """An artifact at one scale, as far as its runs are finished.

    Attributes:
        artifact: The artifact.
        scale: The runs' scale.
        runs: All runs with what they left behind, None where they are not finished.
        files: The files of those that are.
    """

    artifact: Artifact
    scale: str
    runs: Sequence[tuple[ArtifactRun, RunRecord | None]]
    files: Sequence[Files] = ()

    @functools.cached_property
    def tables(self) -> Sequence[Table]:
        """Ours beside the paper's."""
        return compare(self.artifact, self.runs, scale=self.scale)

    def tables_of(self, metrics: Iterable[Metric]) -> dict[str, Table]:
        """Returns a table of other metrics by data set, each read after its own round or the last.

        The first metric chooses what a best-of row shows.
        """
        scale = dataclasses.replace(self.artifact.scales[self.scale], rounds_shown=())
        artifact = dataclasses.replace(
            self.artifact,
            metrics=tuple(dict.fromkeys(metrics)),
            scales={**self.artifact.scales, self.scale: scale},
        )
        return {table.dataset: table for table in compare(artifact, self.runs, scale=self.scale)}

    @property
    def finished(self) -> list[tuple[ArtifactRun, RunRecord]]:
        """The runs that are finished."""
        return [(run, record) for run, record in self.runs if record is not None]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that have a run."""
        return tuple(sorted({run.seed for run, _ in self.runs}))

    @property
    def whole_seeds(self) -> tuple[int, ...]:
        """The seeds whose runs are all finished."""
        missing = {run.seed for run, record in self.runs if record is None}
        return tuple(seed for seed in self.seeds if seed not in missing)

    @property
    def minutes(self) -> float:
        """What the runs took for training and evaluation, summed over them."""
        return minutes_of(self.files)

    @property
    def machines(self) -> list[Mapping[str, Any]]:
        """What the runs were made on, see `machines_of`."""
        return machines_of(self.files)

    @property
    def command(self) -> str:
        """What makes it again."""
        return reproduce_command(self.artifact, self.scale, self.seeds)


def minutes_of(files: Iterable[Files]) -> float:
    """Returns what runs took for training and evaluation, summed over them."""
    seconds = [of_run.read_seconds() for of_run in files]
    return sum(of_run.total for of_run in seconds if of_run is not None) / 60


def machines_of(files: Iterable[Files]) -> list[Mapping[str, Any]]:
    """Returns what runs were made on, each machine once, as far as `environment.json` says it."""
    recorded = (read_environment(of_run.environment) for of_run in files)
    found = {json.dumps(machine): machine for machine in recorded if machine}
    return [found[text] for text in sorted(found)]


def reproduce_command(artifact: Artifact, scale: str, seeds: Iterable[int]) -> str:
    """Returns the command that makes an artifact."""
    if artifact.command is not None:
        return artifact.command
    return (
        f"python -m experiments.reproduce --artifact={artifact.name} --scale={scale} "
        f"--seeds={','.join(map(str, seeds))}"
    )


def read_finished(
    artifact: Artifact, scale: str, seeds: Iterable[int], find: Find
) -> FinishedArtifact | None:
    """Reads the finished runs of an artifact; seeds without one are left out.

    Returns:
        The artifact; None where no run of it is finished.
    """
    runs: list[tuple[ArtifactRun, RunRecord | None]] = []
    found: list[Files] = []
    for seed in seeds:
        of_seed = [
            (run, find_planned(run, find)) for run in artifact_runs(artifact, scale, (seed,))
        ]
        if any(files is not None for _, files in of_seed):
            found += [files for _, files in of_seed if files is not None]
            runs += [(run, None if files is None else read_once(files)) for run, files in of_seed]
    return FinishedArtifact(artifact, scale, runs, found) if found else None
