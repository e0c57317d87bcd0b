"""The flags of programs that train many runs: where they go, how many at once, with what seeds."""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING

from absl import flags

from experiments.command_line import shared_flags
from experiments.papers import catalogue

if TYPE_CHECKING:
    from experiments.runs.sweep import SweepOptions

_SEEDS = flags.DEFINE_list(
    "seeds", ["1"], "Whole numbers; each seeds data, cohorts, initial weights and shuffling."
)
_RAY_ADDRESS = flags.DEFINE_string(
    "ray_address", None, "A Ray cluster to train on; it must share --output_dir."
)
_TENSORBOARD = flags.DEFINE_bool(
    "tensorboard",
    False,
    "Write every run that is trained for TensorBoard, too; a small model's takes twice as long.",
)
_FRESH = flags.DEFINE_bool(
    "fresh", False, "Train again what came with the software; what is below --output_dir stays."
)
_OUTPUT_DIR = shared_flags.define_path("output_dir", "results", "The folder of runs and tables.")
shared_flags.define("workers", "results_dir", "data_dir", "prepared_dir", "papers", "device")


def seeds() -> tuple[int, ...]:
    """Returns the seeds; raises a `ValueError` if one is negative or given twice."""
    try:
        numbers = tuple(int(text) for text in _SEEDS.value)
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 0 or len(set(numbers)) != len(numbers):
        raise ValueError(
            "--seeds must be different whole numbers from 0 on separated by commas, got "
            f"{','.join(_SEEDS.value)!r}"
        )
    return numbers


def sweep_options(*, results_dir_is_made: bool = False) -> SweepOptions:
    """Returns where and how runs are trained.

    If no results came with the software, a message on standard error says so. A `ValueError` is
    raised for an unknown --device, and a `FileNotFoundError` if --results_dir names a folder that
    has no runs, unless `results_dir_is_made`.
    """
    from experiments.runs import committed  # Deferred: they take seconds.
    from experiments.runs.sweep import SweepOptions

    try:
        committed.check_runs(shared_flags.results_dir())
    except FileNotFoundError as error:
        if flags.FLAGS["results_dir"].present and not results_dir_is_made:
            raise
        if not _FRESH.value:
            print(f"All runs are trained here; {error}.", file=sys.stderr)
    workers = flags.FLAGS["workers"].value
    if _RAY_ADDRESS.value is not None and flags.FLAGS["workers"].present:
        raise ValueError("--workers is for this machine; a cluster trains as many as it has cores")
    return SweepOptions(
        runs_dir=output_dir() / "runs",
        **shared_flags.data_folders(),
        workers=workers,
        ray_address=_RAY_ADDRESS.value,
        runtime=shared_flags.runtime_options(runs_at_once=workers),
        for_tensorboard=_TENSORBOARD.value,
        papers=catalogue.added_modules(),
        results_dir=None if _FRESH.value else shared_flags.results_dir(),
    )


def check_cluster() -> None:
    """Raises a `ValueError` if a Ray cluster is named and nothing answers."""
    if _RAY_ADDRESS.value is not None:
        from tff_weights.runtime.cluster.ray_session import check_ray_address

        check_ray_address(_RAY_ADDRESS.value)


def output_dir() -> pathlib.Path:
    """Returns the folder of runs and tables."""
    return pathlib.Path(_OUTPUT_DIR.value).resolve()
