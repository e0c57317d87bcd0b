"""Checks of a sweep before it trains anything: its progress, and whether data and settings fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.declaration import Artifact
from experiments.runs import training
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.progress import TimeEstimate, time_text
from experiments.runs.run_directory import RunDirectory, run_directory
from experiments.runs.run_folders import find_planned, read_once
from experiments.runs.sweep import SweepOptions
from leaf_data import extensions
from leaf_data.fingerprint import fingerprint
from leaf_data.tasks import Task
from tff_weights import runtime


def artifact_status(
    artifact: Artifact,
    scale: str,
    seeds: tuple[int, ...],
    options: SweepOptions,
    estimate: TimeEstimate,
) -> str:
    """Says in a line how much of an artifact is finished; trains nothing and loads no data."""
    planned = list(artifact_runs(artifact, scale, seeds))
    found = [find_planned(run, options.folders.find_whole) for run in planned]
    left = [run.resolved for run, files in zip(planned, found) if files is None]
    tried = dict.fromkeys(each for run in planned for each in run.candidates)
    trials = [each for each in tried if options.folders.find_whole(each) is None]
    num_committed = sum(not isinstance(files, (RunDirectory, type(None))) for files in found)
    runs = f"{len(planned)} {'run' if len(planned) == 1 else 'runs'}"
    committed = f" ({num_committed} committed)" if num_committed else ""
    if not left:
        return f"done, {runs}{committed}"
    to_do = [*trials, *left]
    time = time_text(estimate.total(to_do), min(options.workers, len(to_do)))
    time += f", {len(trials)} trials of settings with them" if trials else ""
    if len(left) == len(planned):
        return f"not started, {runs}, {time}"
    return f"{len(planned) - len(left)} of {runs} done{committed}, {time} left"


def check_data(runs: Sequence[ArtifactRun], options: SweepOptions) -> dict[str, Task]:
    """Loads once every data set on which runs will be trained, and returns them by name.

    Raises:
        ValueError: If some cannot be loaded: the message names each of them, and why. Or if a
            finished run had other data of the user's than are there now.
    """
    _check_unchanged(runs, options)
    return _load_each(_to_be_trained(runs, options), options)


def _check_unchanged(runs: Sequence[ArtifactRun], options: SweepOptions) -> None:
    """Raises a `ValueError` if a finished run had other data of a user's than can be loaded now."""
    now: dict[str, str | None] = {}
    for planned in runs:
        if not _is_of_user(planned):
            continue
        files = find_planned(planned, options.folders.find_whole)
        if files is None:
            continue
        asked = planned.resolved.configuration.asked_data
        if asked not in now:
            try:
                dataset = _load(planned, options).dataset
                now[asked] = fingerprint(dataset.train, dataset.test)
            except (ValueError, OSError):
                now[asked] = None
        had = read_once(files).data_fingerprint
        if None not in (had, now[asked]) and had != now[asked]:
            raise ValueError(
                f"{planned.variant} on {planned.dataset}: seed {planned.seed} is finished, on "
                "other data, which have changed since; restore them, or choose another --output_dir"
            )


def check_methods(runs: Sequence[ArtifactRun], options: SweepOptions) -> bool:
    """Builds a run of every method on one data set and on each user's data set; trains none.

    On the other data sets it checks that there are enough clients for every cohort. So a wrong
    setting gives one sentence at once, instead of one for every run hours later.

    Returns:
        Whether the labels are numbers.

    Raises:
        ValueError: If a data set cannot be loaded, a cohort is larger than it, a hyperparameter is
            unknown or out of range, or only some of the data sets have numbers as labels.
    """
    with runtime.using(options.runtime):
        tasks = check_data(runs, options)
        built: set[str] = set()
        for planned in _to_be_trained(runs, options):
            run, name = planned.resolved, planned.dataset
            place = f"{planned.variant} on {name}" if _is_of_user(planned) else planned.variant
            try:
                if place in built:
                    run.algorithm.part("cohorts")(run, tasks[name])
                else:
                    directory = run_directory(options.runs_dir, run)
                    training.build_run(run, tasks[name], directory)
            except ValueError as error:
                raise ValueError(f"{planned.variant} on {name}: {error}") from error
            built.add(place)
        own = [run for run in runs if extensions.is_reference(run.resolved.configuration.dataset)]
        tasks |= _load_each([run for run in own if run.dataset not in tasks], options)
    datasets = dict.fromkeys(run.dataset for run in runs)
    numbers = [name for name in datasets if name in tasks and tasks[name].metrics]
    if numbers and len(numbers) < len(datasets):
        raise ValueError(
            "the data sets must all have classes as labels, or all numbers; only "
            f"{', '.join(numbers)} has numbers"
        )
    return bool(numbers)


def _to_be_trained(runs: Sequence[ArtifactRun], options: SweepOptions) -> list[ArtifactRun]:
    find = options.folders.find_whole
    return [run for run in runs if options.trains(run.resolved) and find_planned(run, find) is None]


def _is_of_user(run: ArtifactRun) -> bool:
    own = run.resolved.configuration  # An artifact may name an entry point instead of its function.
    return extensions.is_reference(own.dataset) or own.leaf_dir is not None


def _load(run: ArtifactRun, options: SweepOptions) -> Task:
    return training.load_data(
        run.resolved, data_dir=options.data_dir, prepared_dir=options.prepared_dir
    )


def _load_each(runs: Iterable[ArtifactRun], options: SweepOptions) -> dict[str, Task]:
    tasks: dict[str, Task] = {}
    faults: dict[str, str] = {}
    for run in runs:
        if run.dataset not in {**tasks, **faults}:
            try:
                tasks[run.dataset] = _load(run, options)
            except (ValueError, OSError) as error:
                faults[run.dataset] = str(error).rstrip(".")
    if faults:
        raise ValueError("; ".join(f"{dataset}: {fault}" for dataset, fault in faults.items()))
    return tasks
