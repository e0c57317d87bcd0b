"""Reproduces a table or figure of a paper, and says where it agrees.

    python -m experiments.reproduce --artifact=fedfa/table2 --scale=short
    python -m experiments.reproduce --list

Runs that are already below --output_dir with the same configuration are not run again, and
interrupted ones go on from their last checkpoint.
"""

from __future__ import annotations

import os
import pathlib
import platform
import time

import pandas as pd
from absl import flags

from experiments import command_line
from experiments.command_line import data_folders, papers_flag, runtime_flags
from experiments.declaration import SCALES, Artifact
from experiments.papers import catalogue
from experiments.reporting import comparison, csv_tables, figures, markdown
from experiments.runs.files import write_atomically
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.record import RunRecord, read_record
from experiments.runs.sweep import Outcome, SweepOptions, run_name, sweep_in_order
from tff_weights.runtime.cluster.ray_session import check_ray_address

_ARTIFACT = flags.DEFINE_string("artifact", None, "The table or figure.")
_LIST = flags.DEFINE_bool("list", False, "List all artifacts with their cost, and end.")
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
_OUTPUT_DIR = flags.DEFINE_string("output_dir", "results", "The folder of runs and tables.")
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
flags.adopt_module_key_flags(runtime_flags)
flags.adopt_module_key_flags(papers_flag)


def main() -> None:
    """Lists the artifacts, or reproduces one."""
    if _LIST.value:
        _print_list()
        return
    with command_line.bad_input_ends_the_program():
        if _ARTIFACT.value is None:
            raise ValueError("--artifact is needed, or --list, which shows what there is")
        papers_flag.add_papers()
        artifact = _artifact(_ARTIFACT.value)
        seeds = _parse_seeds(_SEEDS.value)
        if _RAY_ADDRESS.value is not None:
            check_ray_address(_RAY_ADDRESS.value)
        runs = list(artifact_runs(artifact, _SCALE.value, seeds))
        output_dir = pathlib.Path(_OUTPUT_DIR.value).resolve()
        artifact_dir = output_dir / artifact.name / _SCALE.value
        runtime_options = runtime_flags.runtime_options(runs_at_once=_WORKERS.value)
        artifact_dir.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    outcomes = sweep_in_order(
        [run.configuration for run in runs],
        SweepOptions(
            runs_dir=output_dir / "runs",
            data_dir=_DATA_DIR.value,
            prepared_dir=_PREPARED_DIR.value,
            workers=_WORKERS.value,
            ray_address=_RAY_ADDRESS.value,
            runtime=runtime_options,
            for_tensorboard=_TENSORBOARD.value,
            papers=catalogue.added_modules(),
        ),
        step_budgets_of=[run.step_budget_of for run in runs],
    )
    minutes = (time.monotonic() - started) / 60
    _write(artifact, runs, outcomes, artifact_dir, minutes=minutes)
    failures = [outcome for outcome in outcomes if outcome.error is not None]
    for outcome in failures:
        print(f"Failed: {outcome.directory.path}: {outcome.error}")
    if failures:
        raise SystemExit(1)


def _write(
    artifact: Artifact,
    runs: list[ArtifactRun],
    outcomes: list[Outcome],
    artifact_dir: pathlib.Path,
    *,
    minutes: float,
) -> None:
    """Writes the artifact's files and prints the table."""
    records = [
        None if outcome.result is None else read_record(outcome.directory) for outcome in outcomes
    ]
    tables = comparison.compare(artifact, list(zip(runs, records)), scale=_SCALE.value)
    finished = [(run, record) for run, record in zip(runs, records) if record is not None]
    rounds = sorted({run.configuration.rounds for run in runs})
    seeds = sorted({run.seed for run in runs})
    facts = (
        f"Scale {_SCALE.value}: {', '.join(map(str, rounds))} rounds; "
        f"seeds {', '.join(map(str, seeds))}, each for data, cohorts, initial weights, shuffling.",
        f"{minutes:.1f} minutes for the runs that were not there already, on {os.cpu_count()} "
        f"cores ({platform.machine()}, Python {platform.python_version()}).",
    )
    table = artifact_dir / "table.md"
    write_atomically(
        table, markdown.comparison_markdown(artifact, tables, num_seeds=len(seeds), facts=facts)
    )
    write_atomically(artifact_dir / "cells.csv", csv_tables.cells_csv(tables, seeds=seeds))
    write_atomically(artifact_dir / "verdicts.csv", csv_tables.verdicts_csv(tables))
    _write_rounds(finished, artifact_dir / "rounds.csv")
    images = figures.draw(artifact, tables, finished, artifact_dir / "figure")
    print(f"{artifact.name}: {artifact.title}\n")
    print(markdown.compact_text(artifact, tables))
    print()
    for note in (*artifact.notes, *facts):
        print(note)
    print(
        f"\nWritten: {table}, cells.csv, verdicts.csv, rounds.csv and {images[0].name} beside it."
    )


def _write_rounds(finished: list[tuple[ArtifactRun, RunRecord]], path: pathlib.Path) -> None:
    """Writes one row per run and round: the run's metrics, and which run it is."""
    tables = [
        record.rounds.assign(
            dataset=run.dataset,
            variant=run.variant,
            seed=run.seed,
            run=run_name(record.configuration),
        )
        for run, record in finished
    ]
    if tables:
        write_atomically(path, pd.concat(tables, ignore_index=True).to_csv(index=False))


def _artifact(name: str) -> Artifact:
    artifacts = catalogue.artifacts()
    if name not in artifacts:
        raise ValueError(f"--artifact must be one of {', '.join(artifacts)}, got {name!r}")
    return artifacts[name]


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


def _print_list() -> None:
    for artifact in catalogue.artifacts().values():
        print(f"{artifact.name}\n    {artifact.title}\n    {', '.join(artifact.datasets)}\n")


if __name__ == "__main__":
    command_line.run(main)
