"""Where finished runs lie, and which run a planned one becomes."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import pathlib
from collections.abc import Callable, Iterator
from typing import Union

from experiments.runs import committed
from experiments.runs.committed import CommittedRun, Files
from experiments.runs.configuration import RunConfiguration
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import RunDirectory, run_directory
from experiments.runs.step_budget import step_budget
from experiments.start_up import RESULTS_DIR

# From a configuration to the files of its finished run; None if there is none.
Find = Callable[[RunConfiguration], Union[Files, None]]


@dataclasses.dataclass(frozen=True)
class RunFolders:
    """Where finished runs lie: folders of runs as sweeps write them, and of committed results."""

    runs_dirs: tuple[pathlib.Path, ...]
    results_dirs: tuple[pathlib.Path, ...] = (RESULTS_DIR,)

    def find(self, configuration: RunConfiguration) -> Files | None:
        """Returns the files of a finished run; None if there is none.

        A run on this machine takes precedence over a committed one. A damaged run is returned only
        if there is no other; reading it raises an error that names the damage.
        """
        directories = (run_directory(runs_dir, configuration) for runs_dir in self.runs_dirs)
        found: list[Files] = [each for each in directories if each.manifest.exists()]
        for results_dir in self.results_dirs:
            run = committed.committed_run(configuration, results_dir)
            found += [] if run is None else [run]
        return next((files for files in found if files.is_finished()), next(iter(found), None))

    def find_whole(self, configuration: RunConfiguration) -> Files | None:
        """Returns the files of a finished run without damage; None if there is none."""
        files = self.find(configuration)
        return files if files is not None and files.is_finished() else None

    def all(self) -> Iterator[Files]:
        """Yields the files of all finished runs, damaged ones too."""
        for folder in self.runs_dirs:
            paths = sorted(folder.glob("*/*/result.json"))
            yield from (RunDirectory(path.parent) for path in paths)
        for folder in self.results_dirs:
            yield from committed.all_runs(folder)

    def seeds(self) -> tuple[int, ...]:
        """Returns the seeds of the data of all finished runs whose configuration can be read."""
        found = set()
        for files in self.all():
            with contextlib.suppress(OSError, ValueError):
                configuration = RunConfiguration.from_json(files.configuration.read_text())
                found.add(configuration.seeds.data)
        return tuple(sorted(found))


def planned_configuration(run: ArtifactRun, find: Find) -> RunConfiguration | None:
    """Returns the configuration of a planned run, with the steps of another run if it needs them.

    It is None until the run whose steps it takes is finished.

    Raises:
        ValueError: If that run's steps do not fit.
    """
    if run.step_budget_of is None:
        return run.configuration
    leader = find(run.step_budget_of)
    return None if leader is None else step_budget(read_once(leader)).apply(run.configuration)


def find_planned(run: ArtifactRun, find: Find) -> Files | None:
    """Returns the files of a planned run if it is finished; else None."""
    configuration = planned_configuration(run, find)
    return None if configuration is None else find(configuration)


def read_once(files: Files) -> RunRecord:
    """Reads a finished run, which stays cached while others need it.

    Raises:
        ValueError: If it is damaged.
    """
    return _read_once(isinstance(files, CommittedRun), files.path)


@functools.lru_cache(maxsize=512)  # Artifacts share runs.
def _read_once(is_committed: bool, path: pathlib.Path) -> RunRecord:
    return read_record(CommittedRun(path) if is_committed else RunDirectory(path))
