"""What is there of an artifact: its runs found on disk, and the tables and verdicts they make."""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from experiments.declaration import Artifact
from experiments.reporting.comparison import Table, compare
from experiments.runs import committed, step_budget
from experiments.runs.committed import CommittedRun
from experiments.runs.configuration import RunConfiguration
from experiments.runs.durations import read_duration
from experiments.runs.environment import read_environment
from experiments.runs.files import TextFile
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import RunDirectory, run_directory

Files = Union[RunDirectory, CommittedRun]
# From a configuration to the files of its finished run, None where there is none.
Find = Callable[[RunConfiguration], Union[Files, None]]


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

    @property
    def finished(self) -> list[tuple[ArtifactRun, RunRecord]]:
        """The runs that are finished."""
        return [(run, record) for run, record in self.runs if record is not None]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of which there is a run."""
        return tuple(sorted({run.seed for run, _ in self.runs}))

    @property
    def whole_seeds(self) -> tuple[int, ...]:
        """The seeds of which all runs are finished."""
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
    durations = [read_duration(of_run) for of_run in files]
    return sum(duration.seconds for duration in durations if duration is not None) / 60


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
    """Reads the finished runs of an artifact.

    Args:
        artifact: The artifact.
        scale: One of `SCALES`.
        seeds: Seeds that may have been run; those of which no run is finished are left out.
        find: Where a configuration's finished run lies.

    Returns:
        The artifact; None where no run of it is finished.
    """
    runs: list[tuple[ArtifactRun, RunRecord | None]] = []
    found: list[Files] = []
    for seed in seeds:
        of_seed = [(run, _find(run, find)) for run in artifact_runs(artifact, scale, (seed,))]
        if any(files is not None for _, files in of_seed):
            found += [files for _, files in of_seed if files is not None]
            runs += [(run, None if files is None else _read(files)) for run, files in of_seed]
    return FinishedArtifact(artifact, scale, runs, found) if found else None


def _find(run: ArtifactRun, find: Find) -> Files | None:
    if run.step_budget_of is None:
        return find(run.configuration)
    leader = find(run.step_budget_of)
    if leader is None:
        return None
    budget = step_budget.step_budget(_read(leader))
    return find(budget.apply(run.configuration))


def _read(files: Files) -> RunRecord:
    return _read_once(files.path, isinstance(files, CommittedRun))


@functools.lru_cache(maxsize=512)  # Artifacts share runs.
def _read_once(path: pathlib.Path, is_committed: bool) -> RunRecord:
    files: Files = CommittedRun(path) if is_committed else RunDirectory(path)
    return read_record(files)


@dataclasses.dataclass(frozen=True)
class RunFolders:
    """Where finished runs lie: below folders of this machine's runs, and of committed results.

    Attributes:
        runs_dirs: Folders of runs, as sweeps write them.
        results_dirs: Folders of results that travel with the software.
    """

    runs_dirs: tuple[pathlib.Path, ...]
    results_dirs: tuple[pathlib.Path, ...] = (committed.RESULTS_DIR,)

    def find(self, configuration: RunConfiguration) -> Files | None:
        """Returns the files of a finished run.

        Returns:
            Those of one on this machine before those of a committed one, and of one that is damaged
            only where there is no other: to read it says what is damaged. None where there is none.
        """
        directories = (run_directory(runs_dir, configuration) for runs_dir in self.runs_dirs)
        found: list[Files] = [each for each in directories if each.manifest.exists()]
        for results_dir in self.results_dirs:
            run = committed.committed_run(configuration, results_dir)
            found += [] if run is None else [run]
        return next((files for files in found if files.is_finished()), next(iter(found), None))

    def seeds(self) -> tuple[int, ...]:
        """Returns the seeds of the data of all runs whose configuration can be read."""
        files: list[TextFile] = []
        for folder in self.runs_dirs:
            files += folder.glob("*/*/configuration.json")
        for folder in self.results_dirs:
            files += [run.configuration for run in committed.all_runs(folder)]
        return tuple(sorted({seed for file in files if (seed := _data_seed(file)) is not None}))


def _data_seed(configuration: TextFile) -> int | None:
    try:
        return RunConfiguration.from_json(configuration.read_text()).seeds.data
    except (OSError, ValueError):
        return None
