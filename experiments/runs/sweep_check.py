"""What can be known of a sweep before it trains anything: whether its data is there, and fits."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.runs import training
from experiments.runs.plan import ArtifactRun
from experiments.runs.run_directory import run_directory
from experiments.runs.sweep import SweepOptions, finished_run
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
                _load(run, options)
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
            name: extensions.is_reference(name) and bool(_load(run, options).metrics)
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
        for run in _to_be_trained(runs, options):
            configuration, name = run.configuration, run.dataset
            is_own = extensions.is_reference(name) or configuration.leaf_dir is not None
            place = f"{run.variant} on {name}" if is_own else run.variant
            if name not in tasks:
                tasks[name] = _load(run, options)
            try:
                if place in built:
                    training.build_sampling(configuration, tasks[name])
                    continue
                directory = run_directory(options.runs_dir, configuration)
                training.build_run(configuration, tasks[name], directory)
            except ValueError as error:
                raise ValueError(f"{run.variant} on {name}: {error}") from error
            built.add(place)


def _to_be_trained(runs: Sequence[ArtifactRun], options: SweepOptions) -> list[ArtifactRun]:
    return [
        run
        for run in runs
        if options.trains(run.configuration) and finished_run(run.configuration, options) is None
    ]


def _load(run: ArtifactRun, options: SweepOptions) -> Task:
    return training.load_configured_task(
        run.configuration, data_dir=options.data_dir, prepared_dir=options.prepared_dir
    )
