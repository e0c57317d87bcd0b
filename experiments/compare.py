"""Compares algorithms on data sets: the fairness table and its figure, without declaring anything.

    python -m experiments.compare --algorithms=fed_avg,fed_fa,trained_alone --seeds=1,2,3
    python -m experiments.compare --algorithms=fed_avg,my_package:build_mine --dataset=mnist
    python -m experiments.compare --algorithms=fed_avg,fed_fa:alpha=1:beta=0,fed_fa:alpha=0:beta=1
    python -m experiments.compare --algorithms=fed_avg,fed_prox --grid=learning_rate=0.01,0.1

An algorithm of your own is module:name, of a module that is installed or lies in this folder: a
builder (model, *, local_training, ...) as those in tff_weights/algorithms/, or a weighting.
Settings that differ from an algorithm's recipe follow it after colons; a flag counts for all
algorithms. With trained_alone among them the table says who gains by taking part.

Runs below --output_dir with the same configuration and source are not trained again; nor are runs
that came with the software. Interrupted runs go on from their last checkpoint.
"""

from __future__ import annotations

import dataclasses
import shlex
import sys
from typing import Any

from absl import flags

from experiments import command_line
from experiments.command_line import methods, setting_flags, sweep_flags
from experiments.declaration import ONLY_SCALE
from experiments.reporting.own_comparisons import Comparison
from experiments.runs.configuration import RunConfiguration
from experiments.runs.options import options
from experiments.runs.plan import ArtifactRun, artifact_runs

_ALGORITHMS = flags.DEFINE_list(
    "algorithms",
    None,
    "The algorithms, by commas: names, or module:name of your own; each with what differs from its "
    "recipe after colons, as in fed_fa:alpha=1:beta=0.",
    required=True,
)
_DATASET = setting_flags.define_datasets(["synthetic_1_1"], "The federated data sets, by commas:")
_NAME = flags.DEFINE_string(
    "name",
    "",
    "What the comparison's folder below --output_dir is called; by default the data sets and a "
    "digest of methods, rounds, settings and seeds. It must not hold another comparison.",
)
_GRID = flags.DEFINE_multi_string(
    "grid",
    [],
    "name=value,value,...: every algorithm is run with each value of a setting or hyperparameter; "
    "may be repeated, for all combinations. The figure shows curves over the rounds.",
)
setting_flags.define(RunConfiguration)
flags.adopt_module_key_flags(sweep_flags)


def read_flags() -> tuple[Comparison, list[ArtifactRun]]:
    """Returns the comparison that the flags describe, and its runs."""
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
        methods=methods.parse(methods.with_grid(_ALGORITHMS.value, _GRID.value)),
        datasets=tuple(_DATASET.value),
        rounds=settings.pop("rounds", options(RunConfiguration)["rounds"].default),
        seeds=sweep_flags.seeds(),
        settings=settings,
        command=shlex.join(["python", "-m", "experiments.compare", *sys.argv[1:]]),
        name=_NAME.value,
        with_curves=bool(_GRID.value),
    )
    return comparison, list(artifact_runs(comparison.artifact(), ONLY_SCALE, comparison.seeds))


def main(planned: tuple[Comparison, list[ArtifactRun]]) -> None:
    """Makes the comparison."""
    from experiments.command_line import making
    from experiments.runs import sweep_check

    comparison, runs = planned
    with command_line.bad_input_ends_the_program():
        sweep_options = sweep_flags.sweep_options()
        sweep_flags.check_cluster()
        is_regression = sweep_check.check_methods(runs, sweep_options)
        comparison = dataclasses.replace(comparison, is_regression=is_regression)
        sweep_options.runs_dir.mkdir(parents=True, exist_ok=True)
        comparison.write(sweep_flags.output_dir())
    making.make(
        [(comparison.artifact(), runs)],
        sweep_options,
        scale=ONLY_SCALE,
        output_dir=sweep_flags.output_dir(),
    )


if __name__ == "__main__":
    command_line.run(main, read_flags)
