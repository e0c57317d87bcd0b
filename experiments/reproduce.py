"""Reproduces tables and figures of the papers, and says where they agree.

    python -m experiments.reproduce --artifact=fedfa/table2 --scale=short
    python -m experiments.reproduce --artifact=fedfa,beyond/overview
    python -m experiments.reproduce --artifact=beyond/language --datasets=sent140
    python -m experiments.reproduce --list

Runs below --output_dir with the same configuration are not trained again; nor are runs that came
with the software. Interrupted runs go on from their last checkpoint.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from absl import flags

from experiments import command_line
from experiments.command_line import shared_flags, sweep_flags
from experiments.declaration import SCALES, Artifact, Metric
from experiments.papers import catalogue
from experiments.runs.plan import ArtifactRun, artifact_runs
from leaf_data import registry

if TYPE_CHECKING:
    from experiments.reporting.finished import FinishedArtifact
    from experiments.runs.sweep import EndedRun, SweepOptions

_ARTIFACT = flags.DEFINE_list(
    "artifact",
    None,
    "Tables and figures, papers for all of theirs, or all; what they share is run once.",
)
_LIST = flags.DEFINE_bool(
    "list", False, "List --artifact's, or all, with what is done and what the rest takes, and end."
)
_SCALE = flags.DEFINE_enum(
    "scale",
    "short",
    SCALES,
    "smoke ends in about a minute and shows nothing but that it works; short is the smallest that "
    "can show the paper's ranking; paper is the paper's own size.",
)
_DATASETS = flags.DEFINE_list(
    "datasets",
    None,
    "Those of the artifacts' data sets on which runs are trained; all if not given. Tables have of "
    "the others what is finished.",
)
_COMMIT_RESULTS = flags.DEFINE_bool(
    "commit_results",
    False,
    "Write the artifacts and their runs below --results_dir as well; not one with a failed run. "
    "`report` then brings verdicts and pages up to date.",
)
flags.adopt_module_key_flags(sweep_flags)
_OF_TRAINING = (
    *("datasets", "commit_results", "tensorboard", "ray_address"),
    *("data_dir", "prepared_dir", "device"),
)

Planned = list[tuple[Artifact, list[ArtifactRun]]]


def read_flags() -> Planned:
    """Returns the artifacts with their runs; all artifacts if --list names none."""
    seeds = sweep_flags.seeds()
    for name in _OF_TRAINING if _LIST.value else ():
        if flags.FLAGS[name].present:
            raise ValueError(f"--{name} is for training, and --list trains nothing")
    if not (_ARTIFACT.value or _LIST.value):
        raise ValueError("--artifact is needed, or --list, which shows what there is")
    artifacts = catalogue.select_artifacts(_ARTIFACT.value or [catalogue.ALL])
    for artifact in artifacts:
        artifact.paper_values()  # Bad files are found before the runs, not after them.
        if artifact.tuning and artifact.tuning.seed in seeds and not _LIST.value:
            raise ValueError(f"{artifact.name}: seed {artifact.tuning.seed} chooses its settings")
    return [(a, list(artifact_runs(a, _SCALE.value, seeds))) for a in artifacts]


def main(planned: Planned) -> None:
    """Lists the artifacts, or reproduces some."""
    from experiments.command_line import making
    from experiments.reporting.metrics import definition
    from experiments.runs import committed, sweep_check

    with command_line.bad_input_ends_the_program():
        artifacts = [artifact for artifact, _ in planned]
        names = {artifact.name for artifact in artifacts}
        metrics = [metric for artifact in artifacts for metric in artifact.metrics]
        metrics += [Metric(each.tuning.by, "") for each in artifacts if each.tuning]
        metrics += [claim.metric for claim in catalogue.claims() if claim.artifact in names]
        for metric in metrics:
            definition(metric)  # A bad one is found before the runs, not after them.
        options = sweep_flags.sweep_options(results_dir_is_made=_COMMIT_RESULTS.value)
        if _LIST.value:
            _print_list(artifacts, options)
            return
        options = dataclasses.replace(options, datasets=_chosen_datasets(artifacts))
        if _COMMIT_RESULTS.value and not flags.FLAGS["results_dir"].present:
            committed.check_runs(shared_flags.results_dir())  # Not into a package.
        if _COMMIT_RESULTS.value:
            folder = shared_flags.results_dir()
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise ValueError(f"--results_dir must be a folder to write to, got {folder}")
        sweep_flags.check_cluster()
        sweep_check.check_data([run for _, runs in planned for run in runs], options)
        options.runs_dir.mkdir(parents=True, exist_ok=True)
    making.make(
        planned,
        options,
        scale=_SCALE.value,
        output_dir=sweep_flags.output_dir(),
        after_writing=functools.partial(_commit, runs_dir=options.runs_dir),
    )


def _chosen_datasets(artifacts: Sequence[Artifact]) -> tuple[str, ...] | None:
    """Returns the data sets on which runs are trained, by their runs' names; None for all."""
    if _DATASETS.value is None:
        return None
    there = dict.fromkeys(name for each in artifacts for name in each.datasets_at(_SCALE.value))
    if not _DATASETS.value or not there.keys() >= set(_DATASETS.value):
        raise ValueError(
            f"--datasets must be some of {', '.join(there)}, on which these artifacts are run at "
            f"the scale {_SCALE.value}, got {','.join(_DATASETS.value)!r}"
        )
    if _COMMIT_RESULTS.value and flags.FLAGS["fresh"].value:
        raise ValueError(
            "--fresh, --datasets and --commit_results together would commit a table without the "
            "runs on the other data sets; leave one of them out"
        )
    return tuple(map(registry.dataset_name, _DATASETS.value))


def _commit(
    finished: FinishedArtifact, ended: Sequence[EndedRun], *, runs_dir: pathlib.Path
) -> None:
    if not _COMMIT_RESULTS.value:
        return
    from experiments.reporting.committing import commit_artifact

    num_failed = sum(run.error is not None for run in ended)
    if num_failed:
        failed = f"of whose {len(ended)} runs {num_failed} failed"
        print(f"Not committed: {finished.artifact.name}, {failed}", file=sys.stderr)
    else:
        commit_artifact(finished, ended, shared_flags.results_dir(), runs_dir=runs_dir)


def _print_list(artifacts: Sequence[Artifact], options: SweepOptions) -> None:
    from experiments.runs.progress import TimeEstimate
    from experiments.runs.sweep_check import artifact_status

    estimate = TimeEstimate(options.folders.all())
    seeds = sweep_flags.seeds()
    for artifact in artifacts:
        print(f"{artifact.name}\n    {artifact.title}\n    {', '.join(artifact.datasets)}")
        for scale in [_SCALE.value] if flags.FLAGS["scale"].present else SCALES:
            try:
                status = artifact_status(artifact, scale, seeds, options, estimate)
            except ValueError as error:
                status = f"cannot be read: {error}"
            print(f"    {scale}: {status}")
            if artifact.scales[scale].why_left_out:
                print(f"        {artifact.left_out_at(scale)}")
        print()


if __name__ == "__main__":
    command_line.run(main, read_flags)
