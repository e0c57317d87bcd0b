"""What can be known of a sweep before it trains anything: whether its data is there, and fits."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.runs import training
from experiments.runs.plan import ArtifactRun
from experiments.runs.resolution import ResolvedRun, resolve
from experiments.runs.run_directory import run_directory
from experiments.runs.run_folders import find_planned
from experiments.runs.sweep import SweepOptions
from leaf_data import extensions
from leaf_data.tasks import Task
from tff_weights import runtime


def check_data(runs: Sequence[ArtifactRun], options: SweepOptions) -> None:
    """Loads every data set once that runs are to be trained on.

    Raises:
        ValueError: If some cannot be loaded: the message names each of them, and why.
    """
    faults: dict[str, str] = {}
    checked: set[str] = set()
    for run in _to_be_trained(runs, options):
        if run.dataset not in checked:
            checked.add(run.dataset)
            try:
                _load(resolve(run.configuration), options)
            except (ValueError, OSError) as error:
                faults[run.dataset] = str(error).rstrip(".")
    if faults:
        raise ValueError("; ".join(f"{dataset}: {fault}" for dataset, fault in faults.items()))


def have_numbers_as_labels(runs: Sequence[ArtifactRun], options: SweepOptions) -> bool:
    """Says whether the labels are numbers, as those of one's own data sets may be.

    Raises:
        ValueError: If they are of some of the data sets alone, or one cannot be loaded.
    """
    one_of_each = {run.dataset: run for run in runs}
    with runtime.using(options.runtime):
        are_numbers = {
            name: extensions.is_reference(name)
            and bool(_load(resolve(run.configuration), options).metrics)
            for name, run in one_of_each.items()
        }
    if len(set(are_numbers.values())) > 1:
        raise ValueError(
            "the data sets must all have classes as labels, or all numbers: "
            f"{', '.join(name for name, is_so in are_numbers.items() if is_so)} has numbers, "
            f"{', '.join(name for name, is_so in are_numbers.items() if not is_so)} classes"
        )
    return any(are_numbers.values())


def check_methods(runs: Sequence[ArtifactRun], options: SweepOptions) -> None:
    """Builds a run of every method on one data set, and on each of one's own, and trains none.

    On the other data sets it is checked whether there are enough clients for every cohort. What is
    wrong with a setting is then one sentence, and not one for every run, hours later.

    Raises:
        ValueError: If a data set cannot be loaded, a cohort is larger, or a hyperparameter is
            unknown or out of range.
    """
    check_data(runs, options)
    tasks: dict[str, Task] = {}
    built: set[str] = set()
    with runtime.using(options.runtime):
        for planned in _to_be_trained(runs, options):
            configuration, name = planned.configuration, planned.dataset
            is_own = extensions.is_reference(name) or configuration.leaf_dir is not None
            place = f"{planned.variant} on {name}" if is_own else planned.variant
            run = resolve(configuration)
            if name not in tasks:
                tasks[name] = _load(run, options)
            try:
                if place in built:
                    run.algorithm.part("cohorts")(run, tasks[name])
                    continue
                directory = run_directory(options.runs_dir, configuration)
                training.build_run(run, tasks[name], directory)
            except ValueError as error:
                raise ValueError(f"{planned.variant} on {name}: {error}") from error
            built.add(place)


def _to_be_trained(runs: Sequence[ArtifactRun], options: SweepOptions) -> list[ArtifactRun]:
    find = options.folders.find_whole
    return [
        run for run in runs if options.trains(run.configuration) and find_planned(run, find) is None
    ]


def _load(run: ResolvedRun, options: SweepOptions) -> Task:
    return training.load_data(run, data_dir=options.data_dir, prepared_dir=options.prepared_dir)
