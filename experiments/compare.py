"""Compares algorithms on data sets: the fairness table and its figure, without declaring anything.

    python -m experiments.compare --algorithms=fed_avg,fed_fa,trained_alone --seeds=1,2,3
    python -m experiments.compare --algorithms=fed_avg,my_package:build_mine --dataset=mnist
    python -m experiments.compare --algorithms=fed_avg,fed_fa:alpha=1:beta=0,fed_fa:alpha=0:beta=1

An algorithm of your own is module:name, of a module that is installed or lies in this folder: a
builder (model, *, local_training, ...) as those in tff_weights/algorithms/, or a weighting. What
differs from an algorithm's recipe follows it after colons; a flag counts for all of them. With
trained_alone among them the table says who gains by taking part.

Runs that are already below --output_dir with the same configuration and the same source, or that
came with the software, are not run again, and interrupted ones go on from their last checkpoint.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

from absl import flags

from experiments import command_line
from experiments.command_line import (
    dataset_options,
    making,
    methods,
    papers_flag,
    setting_flags,
    sweep_flags,
)
from experiments.declaration import ONLY_SCALE
from experiments.reporting.own_comparisons import Comparison
from experiments.runs import training
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.run_directory import run_directory
from experiments.runs.sweep import SweepOptions, finished_run
from leaf_data import extensions
from leaf_data.tasks import Task
from tff_weights import runtime

_ALGORITHMS = flags.DEFINE_list(
    "algorithms",
    None,
    "The algorithms, by commas: names, or module:name of your own; each with what differs from its "
    "recipe after colons, as in fed_fa:alpha=1:beta=0.",
    required=True,
)
_DATASET = dataset_options.define_datasets(["synthetic_1_1"], "The federated data sets, by commas:")
_NAME = flags.DEFINE_string(
    "name",
    "",
    "What the comparison's folder below --output_dir is called; by default the data sets and a "
    "digest of all that decides the table.",
)
flags.adopt_module_key_flags(setting_flags)
flags.adopt_module_key_flags(sweep_flags)
flags.adopt_module_key_flags(papers_flag)


def main() -> None:
    """Makes the comparison that the flags describe."""
    with command_line.bad_input_ends_the_program():
        papers_flag.add_papers()
        for flag in (_ALGORITHMS, _DATASET):
            if not flag.value:
                raise ValueError(f"--{flag.name} must name one at least, got none")
        if len(set(_DATASET.value)) < len(_DATASET.value):
            raise ValueError(
                f"--dataset must name different data sets, got {','.join(_DATASET.value)!r}"
            )
        settings: dict[str, Any] = {}
        for dataset in _DATASET.value:
            settings.update(setting_flags.given(dataset))
        comparison = Comparison(
            methods=methods.parse(_ALGORITHMS.value),
            datasets=tuple(_DATASET.value),
            rounds=settings.pop("rounds"),
            seeds=sweep_flags.seeds(),
            settings=settings,
            command=shlex.join(["python", "-m", "experiments.compare", *sys.argv[1:]]),
            name=_NAME.value,
        )
        artifact = comparison.artifact()
        runs = list(artifact_runs(artifact, ONLY_SCALE, comparison.seeds))
        options = sweep_flags.sweep_options()
        sweep_flags.check_cluster()
        _check_runs(runs, options)
        options.runs_dir.mkdir(parents=True, exist_ok=True)
        comparison.write(sweep_flags.output_dir())
    making.make([(artifact, runs)], options, scale=ONLY_SCALE, output_dir=sweep_flags.output_dir())


def _check_runs(runs: Sequence[ArtifactRun], options: SweepOptions) -> None:
    """Builds a run of every method on one data set, and on each of one's own, and trains none.

    On the other data sets it is looked at whether there are enough clients for every cohort. What
    is wrong with a setting is then one sentence, and not one for every run, hours later.

    Raises:
        ValueError: If a data set cannot be loaded, a cohort is larger, or a hyperparameter is
            unknown or out of range.
    """
    tasks: dict[str, Task] = {}
    built: set[str] = set()
    with runtime.using(options.runtime):
        for run in runs:
            configuration, name = run.configuration, run.dataset
            is_own = extensions.is_reference(name) or configuration.leaf_dir is not None
            place = f"{run.variant} on {name}" if is_own else run.variant
            if finished_run(configuration, options) is not None:
                continue
            if name not in tasks:
                tasks[name] = training.load_configured_task(
                    configuration, data_dir=options.data_dir, prepared_dir=options.prepared_dir
                )
            try:
                if place in built:
                    training.build_sampling(configuration, tasks[name])
                    continue
                directory = run_directory(options.runs_dir, configuration)
                training.build_run(configuration, tasks[name], directory)
            except ValueError as error:
                raise ValueError(f"{run.variant} on {name}: {error}") from error
            built.add(place)


if __name__ == "__main__":
    command_line.run(main)
