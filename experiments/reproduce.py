"""Reproduces tables and figures of the papers, and says where they agree.

    python -m experiments.reproduce --artifact=fedfa/table2 --scale=short
    python -m experiments.reproduce --artifact=fedfa,beyond/overview
    python -m experiments.reproduce --list

Runs that are already below --output_dir with the same configuration, or that came with the
software, are not run again, and interrupted ones go on from their last checkpoint.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import platform
import time
import traceback
from collections.abc import Sequence

from absl import flags

from experiments import command_line
from experiments.command_line import data_folders, papers_flag, runtime_flags
from experiments.declaration import SCALES, Artifact
from experiments.papers import catalogue
from experiments.reporting.artifact_files import ArtifactFiles, write_artifact, write_rounds
from experiments.reporting.committing import commit_artifact
from experiments.runs import committed
from experiments.runs.durations import measured_durations
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.status import artifact_status
from experiments.runs.sweep import Outcome, SweepOptions, sweep_in_order
from tff_weights.runtime.cluster.ray_session import check_ray_address

_ARTIFACT = flags.DEFINE_list(
    "artifact",
    None,
    "Tables and figures, papers for all of theirs, or all; what they share is run once.",
)
_LIST = flags.DEFINE_bool(
    "list", False, "List all artifacts with what is done and what the rest takes, and end."
)
_SCALE = flags.DEFINE_enum(
    "scale",
    "short",
    SCALES,
    "smoke ends in about a minute and shows nothing but that it works; short is the smallest that "
    "can show the paper's ranking; paper is the paper's own size.",
)
_SEEDS = flags.DEFINE_list(
    "seeds", ["1"], "Whole numbers; each seeds data, cohorts, initial weights and shuffling."
)
_WORKERS = flags.DEFINE_integer(
    "workers", os.cpu_count() or 1, "How many runs are trained at once.", lower_bound=1
)
_RAY_ADDRESS = flags.DEFINE_string(
    "ray_address", None, "A Ray cluster to train on; it must share --output_dir."
)
_TENSORBOARD = flags.DEFINE_bool(
    "tensorboard",
    False,
    "Write every run for TensorBoard, too; a small model's takes twice as long.",
)
_FRESH = flags.DEFINE_bool(
    "fresh", False, "Run anew what came with the software; what is below --output_dir stays."
)
_COMMIT_RESULTS = flags.DEFINE_bool(
    "commit_results", False, "Write the artifacts and their runs below --results_dir as well."
)
_RESULTS_DIR = flags.DEFINE_string(
    "results_dir", str(committed.RESULTS_DIR), "The folder of results that travel with software."
)
_OUTPUT_DIR = flags.DEFINE_string("output_dir", "results", "The folder of runs and tables.")
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
flags.adopt_module_key_flags(runtime_flags)
flags.adopt_module_key_flags(papers_flag)


def main() -> None:
    """Lists the artifacts, or reproduces some."""
    with command_line.bad_input_ends_the_program():
        papers_flag.add_papers()
        seeds = _parse_seeds(_SEEDS.value)
        options = _sweep_options()
    if _LIST.value:
        _print_list(seeds, options)
        return
    with command_line.bad_input_ends_the_program():
        if _ARTIFACT.value is None:
            raise ValueError("--artifact is needed, or --list, which shows what there is")
        artifacts = catalogue.select_artifacts(_ARTIFACT.value)
        if _RAY_ADDRESS.value is not None:
            check_ray_address(_RAY_ADDRESS.value)
        planned = {a.name: list(artifact_runs(a, _SCALE.value, seeds)) for a in artifacts}
        options.runs_dir.mkdir(parents=True, exist_ok=True)
    runs = [run for of_artifact in planned.values() for run in of_artifact]
    started = time.monotonic()
    outcomes = sweep_in_order(
        [run.configuration for run in runs],
        options,
        step_budgets_of=[run.step_budget_of for run in runs],
        names={run.configuration.to_json(): run.variant for run in reversed(runs)},
    )
    minutes = (time.monotonic() - started) / 60
    failures: dict[str, None] = {}
    remaining = iter(outcomes)
    for artifact in artifacts:
        of_artifact = list(itertools.islice(remaining, len(planned[artifact.name])))
        try:
            files = _write(artifact, planned[artifact.name], of_artifact, minutes=minutes)
        except Exception as error:  # One artifact's fault must not keep the others from being.
            traceback.print_exc()
            failures[f"{artifact.name}: {type(error).__name__}: {error}"] = None
        else:
            _print_written(artifact, of_artifact, files, is_only_one=len(artifacts) == 1)
        for outcome in of_artifact:
            if outcome.error is not None:
                failures[f"{outcome.files.path}: {outcome.error}"] = None
    for failure in failures:
        print(f"Failed: {failure}")
    if failures:
        raise SystemExit(1)


def _sweep_options() -> SweepOptions:
    return SweepOptions(
        runs_dir=pathlib.Path(_OUTPUT_DIR.value).resolve() / "runs",
        data_dir=_DATA_DIR.value,
        prepared_dir=_PREPARED_DIR.value,
        workers=_WORKERS.value,
        ray_address=_RAY_ADDRESS.value,
        runtime=runtime_flags.runtime_options(runs_at_once=_WORKERS.value),
        for_tensorboard=_TENSORBOARD.value,
        papers=catalogue.added_modules(),
        results_dir=None if _FRESH.value else pathlib.Path(_RESULTS_DIR.value).resolve(),
    )


def _write(
    artifact: Artifact, runs: Sequence[ArtifactRun], outcomes: Sequence[Outcome], *, minutes: float
) -> ArtifactFiles:
    """Writes the artifact's files."""
    folder = pathlib.Path(_OUTPUT_DIR.value).resolve() / artifact.name / _SCALE.value
    records = [outcome.read_record() for outcome in outcomes]
    num_committed = sum(outcome.is_committed for outcome in outcomes)
    facts = [
        f"{minutes:.1f} minutes for the runs that were not there already, on {os.cpu_count()} "
        f"cores ({platform.machine()}, Python {platform.python_version()})."
    ]
    if num_committed:
        facts.append(
            f"{num_committed} of {len(runs)} runs came with the software; --fresh runs them anew."
        )
    files = write_artifact(artifact, runs, records, folder, scale=_SCALE.value, facts=facts)
    write_rounds(runs, records, folder / "rounds.csv")
    if _COMMIT_RESULTS.value:
        commit_artifact(
            artifact, runs, outcomes, pathlib.Path(_RESULTS_DIR.value), scale=_SCALE.value
        )
    return files


def _print_written(
    artifact: Artifact, outcomes: Sequence[Outcome], files: ArtifactFiles, *, is_only_one: bool
) -> None:
    if is_only_one:
        print(
            f"{files.text}\n\nWritten: {files.table}, cells.csv, verdicts.csv, rounds.csv and "
            f"{files.figure.name} beside it."
        )
        return
    num_finished = sum(outcome.result is not None for outcome in outcomes)
    print(f"{artifact.name}: {num_finished} of {len(outcomes)} runs, written: {files.table}")


def _parse_seeds(texts: list[str]) -> tuple[int, ...]:
    try:
        seeds = tuple(int(text) for text in texts)
    except ValueError:
        seeds = ()
    if not seeds or len(set(seeds)) != len(seeds):
        raise ValueError(
            f"--seeds must be different whole numbers separated by commas, got {','.join(texts)!r}"
        )
    return seeds


def _print_list(seeds: tuple[int, ...], options: SweepOptions) -> None:
    durations = measured_durations(options.runs_dir, options.results_dir)
    for artifact in catalogue.artifacts().values():
        print(f"{artifact.name}\n    {artifact.title}\n    {', '.join(artifact.datasets)}")
        for scale in SCALES:
            print(f"    {scale}: {artifact_status(artifact, scale, seeds, options, durations)}")
        print()


if __name__ == "__main__":
    command_line.run(main)
