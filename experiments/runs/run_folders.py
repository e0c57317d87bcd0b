"""Where finished runs lie, and which run a planned one becomes."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import pathlib
from collections.abc import Callable, Iterator
from typing import Union

from experiments.declaration import SCALES
from experiments.papers import catalogue
from experiments.runs import committed
from experiments.runs.committed import CommittedRun, Files
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import ResolvedRun
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import RunDirectory, run_directory
from experiments.runs.run_table import DECIMALS, TabledRun, seeds_of_tables, tabled_run
from experiments.runs.step_budget import step_budget
from experiments.start_up import RESULTS_DIR

# Takes a run; returns its files if it is finished, else None.
Find = Callable[[ResolvedRun], Union[Files, None]]


@dataclasses.dataclass(frozen=True)
class RunFolders:
    """Where finished runs lie: folders of runs as sweeps write them, and of committed results."""

    runs_dirs: tuple[pathlib.Path, ...]
    results_dirs: tuple[pathlib.Path, ...] = (RESULTS_DIR,)

    def find(self, run: ResolvedRun) -> Files | None:
        """Returns the files of a finished run; None if there are none.

        A run on this machine takes precedence over a committed one. A damaged run is returned only
        if there is no other; reading it raises an error that names the damage. A run that was
        lengthened since is another one.
        """
        directories = (run_directory(runs_dir, run) for runs_dir in self.runs_dirs)
        found: list[Files] = [
            each for each in directories if each.manifest.exists() and committed.is_of(each, run)
        ]
        for results_dir in self.results_dirs:
            there: Files | None = committed.committed_run(run, results_dir)
            there = there or tabled_run(run, results_dir)
            found += [] if there is None else [there]
        return next((files for files in found if files.is_finished()), next(iter(found), None))

    def find_whole(self, run: ResolvedRun) -> Files | None:
        """Returns the files of a finished run without damage; None if there are none."""
        files = self.find(run)
        return files if files is not None and files.is_finished() else None

    def all(self) -> Iterator[Files]:
        """Yields the files of all finished runs, damaged ones too, without those of tables."""
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
                found.add(RunConfiguration.from_json(files.configuration.read_text()).seeds.data)
        for results_dir in self.results_dirs:
            found |= seeds_of_tables(results_dir)
        return tuple(sorted(found))


def planned_run(run: ArtifactRun, find: Find) -> ResolvedRun | None:
    """Returns a planned run as it is trained, with what it takes of runs before it.

    That is another run's steps, or the settings of the best of its candidates. It is None until
    the runs that it depends on are finished.

    Raises:
        ValueError: If the other run's steps do not fit.
    """
    if run.candidates:
        try:
            return run.tuned(_best(run.candidates, run.chosen_by, find))
        except LookupError:
            return None
    if run.step_budget_of is None:
        return run.resolved
    leader = find(run.step_budget_of)
    return None if leader is None else step_budget(read_once(leader)).apply(run.resolved)


@functools.cache  # Many runs ask. An error is not kept.
def _best(candidates: tuple[ResolvedRun, ...], by: str, find: Find) -> ResolvedRun:
    """Returns the first of the best candidates.

    Raises:
        LookupError: If one is not finished.
        ValueError: If a result has no number of this name.
    """
    scores = []
    for candidate in candidates:
        files = find(candidate)
        if files is None:
            raise LookupError(candidate)
        result = files.read_result() or {}
        if by not in result:
            raise ValueError(f"by must be one of {sorted(result)}, got {by!r}")
        score = float(result[by])
        # As tables of runs have them, so that they choose alike.
        scores.append(-math.inf if math.isnan(score) else round(score, DECIMALS))
    return candidates[scores.index(max(scores))]


def tabled_runs(results_dir: pathlib.Path) -> Iterator[TabledRun]:
    """Yields the artifacts' runs that a folder of results keeps as rows of tables."""
    seeds, find = seeds_of_tables(results_dir), RunFolders((), (results_dir,)).find
    artifacts = [each for each in catalogue.artifacts().values() if seeds and each.tuning]
    runs = (run for each in artifacts for run in artifact_runs(each, SCALES[-1], tuple(seeds)))
    # Those of one artifact have most of their candidates in common with another's.
    every = dict.fromkeys(
        each for run in runs for each in (*run.candidates, planned_run(run, find)) if each
    )
    for each in every:
        tabled = tabled_run(each, results_dir)
        if tabled is not None:
            yield tabled


def find_planned(run: ArtifactRun, find: Find) -> Files | None:
    """Returns the files of a planned run if it is finished; else None."""
    resolved = planned_run(run, find)
    return None if resolved is None else find(resolved)


def read_once(files: Files) -> RunRecord:
    """Reads a finished run, which stays cached while others need it.

    Raises:
        ValueError: If it is damaged.
    """
    if isinstance(files, TabledRun):
        return read_record(files)
    return _read_once(isinstance(files, CommittedRun), files.path, files.path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=512)  # Artifacts share runs, to which a commit may add columns.
def _read_once(is_committed: bool, path: pathlib.Path, _: int) -> RunRecord:
    return read_record(CommittedRun(path) if is_committed else RunDirectory(path))
