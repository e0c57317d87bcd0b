"""A sweep of runs: finished ones are read, the others are trained in separate processes."""

from __future__ import annotations

import dataclasses
import logging
import os
import pathlib
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from experiments.papers import catalogue
from experiments.runs import environment, training
from experiments.runs.committed import Files
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import ResolvedRun, resolve
from experiments.runs.plan import ArtifactRun
from experiments.runs.progress import SweepProgress, TimeEstimate
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import RunDirectory, run_directory
from experiments.runs.run_folders import Find, RunFolders, find_planned, planned_run
from tff_weights import runtime
from tff_weights.runtime import ProgramOptions, RuntimeOptions
from tff_weights.runtime.cluster.ray_session import RaySession, import_ray

# The program is replaced after this many runs: it keeps about 5 MB for every learning process that
# it builds. A new one takes 10 s to start.
_RUNS_PER_PROCESS = 50

_SECONDS_BETWEEN_CHECKPOINTS = 10.0
# A process of Ray continues for seconds after its program was killed, and holds its run's folder.
_LOCK_TIMEOUT_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class SweepOptions:
    """Where and how the runs of a sweep are executed.

    `data_dir` and `prepared_dir` are as for `registry.load`.

    Attributes:
        workers: How many runs are trained at once on this machine. A single one stays in this
            process, unless `arithmetic` differs from this process'.
        ray_address: A Ray cluster to train on instead; `runs_dir` must be shared with it.
        runtime: Where each run computes; changes no number.
        papers: Modules of papers that a training process adds to its catalogue.
        results_dir: A folder of results whose runs also count as finished; None without one.
        datasets: The data sets on which runs are trained; None for all. On others only finished
            runs are read.
        arithmetic: What TensorFlow computes with; None for what this process has.
    """

    runs_dir: pathlib.Path
    data_dir: str | None = None
    prepared_dir: str | None = None
    workers: int = 1
    ray_address: str | None = None
    runtime: RuntimeOptions = ProgramOptions()
    for_tensorboard: bool = False
    papers: tuple[str, ...] = ()
    results_dir: pathlib.Path | None = None
    datasets: tuple[str, ...] | None = None
    arithmetic: environment.Arithmetic | None = None

    @property
    def folders(self) -> RunFolders:
        """Where finished runs are."""
        return RunFolders((self.runs_dir,), () if self.results_dir is None else (self.results_dir,))

    def trains(self, run: ResolvedRun) -> bool:
        """Says whether a run is trained if it is not finished."""
        return self.datasets is None or run.configuration.dataset in self.datasets


@dataclasses.dataclass(frozen=True)
class EndedRun:
    """The outcome of a run of a sweep: its result, or why there is none.

    Attributes:
        result: The result of `PreparedRun.execute`; None if the run failed, or was not to be
            trained.
        error: Why it failed; None if it did not.
        seconds: The seconds from start to end; None if it was finished already.
        recovery: What had been damaged and where the run continued; None if nothing was.
        is_held: Whether it failed because another program holds its folder.
    """

    resolved: ResolvedRun
    files: Files
    result: Mapping[str, Any] | None = None
    error: str | None = None
    seconds: float | None = None
    recovery: str | None = None
    is_held: bool = False

    @property
    def is_committed(self) -> bool:
        """Whether it is a committed run."""
        return not isinstance(self.files, RunDirectory)

    @property
    def is_left_out(self) -> bool:
        """Whether it was neither finished nor to be trained."""
        return self.result is None and self.error is None

    def read_record(self) -> RunRecord | None:
        """Reads the record of the run; None if it has no result."""
        return None if self.result is None else read_record(self.files)


def sweep(
    runs: Sequence[ResolvedRun], options: SweepOptions, *, progress: SweepProgress | None = None
) -> list[EndedRun]:
    """Trains unfinished runs, equal ones once, and returns all in their order.

    An interrupted run continues from its last checkpoint. A failed run does not stop the others.
    """
    ended: dict[ResolvedRun, EndedRun] = {}
    missing = []
    for run in dict.fromkeys(runs):
        files = options.folders.find_whole(run)  # A damaged run is trained again.
        if files is None and options.trains(run):
            missing.append(run)
            continue
        result = None if files is None else files.read_result()
        files = files or run_directory(options.runs_dir, run)
        ended[run] = EndedRun(run, files, result)
        if progress is not None:
            progress.skipped(run)
    # TensorFlow reads this once and for all.
    is_as_here = options.arithmetic in (None, environment.arithmetic())
    stays_here = options.workers == 1 and options.ray_address is None and is_as_here
    here = (_run(run, options) for run in missing)
    trained = here if stays_here or not missing else _in_ray(missing, options)
    for each in _held_last(trained, options):
        ended[each.resolved] = each
        if progress is not None:
            progress.ended(each)
    return [ended[run] for run in runs]


def _held_last(ended: Iterable[EndedRun], options: SweepOptions) -> Iterator[EndedRun]:
    """Yields runs as they end; at last those of other programs, which may be finished by then."""
    held = []
    for each in ended:
        if each.is_held:
            held.append(each)
        else:
            yield each
    for each in held:
        files = options.folders.find_whole(each.resolved)
        yield each if files is None else EndedRun(each.resolved, files, files.read_result())


def sweep_planned(runs: Sequence[ArtifactRun], options: SweepOptions) -> list[EndedRun]:
    """Trains unfinished runs; runs that depend on other runs come after them.

    The runs that give steps or try settings need not be among them. Progress is shown on standard
    error. All are returned in their order, with the settings that they were trained with.
    """
    find = options.folders.find_whole
    first = list(dict.fromkeys(each for run in runs for each in run.first or (run.resolved,)))
    names: dict[ResolvedRun | ArtifactRun, str]
    names = {each: each.configuration.algorithm for each in first if options.trains(each)}
    trained = [run for run in reversed(runs) if options.trains(run.resolved)]
    names.update((run if run.first else run.resolved, run.variant) for run in trained)
    shown = {each: name for each, name in names.items() if not _is_finished(each, find)}
    estimate = TimeEstimate(options.folders.all())
    num_finished = len(names) - len(shown)
    with SweepProgress(shown, num_finished, estimate, workers=options.workers) as progress:
        before = {each.resolved: each for each in sweep(first, options, progress=progress)}
        ended: dict[int, EndedRun] = {}
        actual: dict[int, ResolvedRun] = {}
        for place, run in enumerate(runs):
            if not run.first:
                ended[place] = before[run.resolved]
                continue
            failed = next(filter(None, (before[each].error for each in run.first)), None)
            error = failed and f"a run on which its settings depend failed: {failed}"
            try:
                follower = planned_run(run, find)
            except ValueError as fault:
                follower, error = None, str(fault)
            if follower is None:
                directory = run_directory(options.runs_dir, run.resolved)
                is_held = any(before[each].is_held for each in run.first)
                ended[place] = EndedRun(run.resolved, directory, error=error, is_held=is_held)
                progress.skipped(run)
            else:
                actual[place] = follower
                progress.becomes(run, follower)
        ended.update(zip(actual, sweep([*actual.values()], options, progress=progress)))
    return [ended[place] for place in range(len(runs))]


def _is_finished(run: ResolvedRun | ArtifactRun, find: Find) -> bool:
    if isinstance(run, ResolvedRun):
        return find(run) is not None
    try:
        return find_planned(run, find) is not None
    except ValueError:  # Its settings do not fit, which `sweep_planned` says.
        return False


def _run(run: ResolvedRun, options: SweepOptions) -> EndedRun:
    # When run after run is trained in one process, TensorFlow warns that it traces functions again.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    directory = run_directory(options.runs_dir, run)
    started = time.monotonic()
    try:
        # A separate runtime, so that everything it has compiled is freed.
        with runtime.using(options.runtime):
            prepared = training.prepare(
                run,
                directory.path,
                resume=True,
                data_dir=options.data_dir,
                prepared_dir=options.prepared_dir,
                lock_timeout_seconds=_LOCK_TIMEOUT_SECONDS,
            )
            result = prepared.execute(
                # A checkpoint takes as long as several rounds of a small model.
                rounds_per_checkpoint=1,
                seconds_between_checkpoints=_SECONDS_BETWEEN_CHECKPOINTS,
                show_progress=False,
                for_tensorboard=options.for_tensorboard,
            )
            seconds = time.monotonic() - started
            return EndedRun(run, directory, result, None, seconds, prepared.recovery)
    except Exception as error:  # A failed run is reported and must not end the sweep.
        is_held = isinstance(error.__cause__, BlockingIOError)  # As `RunDirectory.claim` says it.
        said = f"{type(error).__name__}: {error}"
        return EndedRun(run, directory, error=said, is_held=is_held)


def _in_ray(runs: Sequence[ResolvedRun], options: SweepOptions) -> Iterator[EndedRun]:
    with RaySession(address=options.ray_address, num_cpus=options.workers):
        ray = import_ray()
        # The other process must find the same packages of the user.
        import_paths = [os.path.abspath(path) for path in sys.path]
        variables = (options.arithmetic or environment.arithmetic()).variables()

        @ray.remote(num_cpus=1, max_calls=_RUNS_PER_PROCESS, runtime_env={"env_vars": variables})
        def run_remotely(configuration: RunConfiguration) -> EndedRun:
            sys.path.extend(path for path in import_paths if path not in sys.path)
            catalogue.add(options.papers)
            return _run(resolve(configuration), options)

        pending = {run_remotely.remote(run.configuration): run for run in runs}
        while pending:
            (done,), _ = ray.wait(list(pending), num_returns=1)
            run = pending.pop(done)
            try:
                yield ray.get(done)
            except ray.exceptions.RayError as error:  # The process died.
                fault = getattr(error, "cause", None) or error
                directory = run_directory(options.runs_dir, run)
                yield EndedRun(run, directory, error=f"{type(fault).__name__}: {fault}")
