"""Trains committed runs anew, and says whether they come out again to the last digit.

    python -m experiments.verify --runs='synthetic_*' --draw=10
    python -m experiments.verify --runs=mnist_entropy/wei_avg-8f3972995166

Each has as many threads as it was made with. One that is already below --output_dir is not trained
again, but compared. Exit status: 1 if one differs or cannot be trained.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import os
import pathlib
import random
from collections.abc import Iterator, Sequence
from typing import Any

from absl import flags

from experiments import command_line
from experiments.command_line import data_folders, papers_flag
from experiments.papers import catalogue
from experiments.runs import committed
from experiments.runs.committed import CommittedRun
from experiments.runs.configuration import RunConfiguration
from experiments.runs.differences import differences, sentence
from experiments.runs.durations import measured_durations, read_duration
from experiments.runs.environment import (
    environment,
    read_environment,
    recorded_intra_op_threads,
)
from experiments.runs.progress import SweepProgress
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import run_name
from experiments.runs.sweep import Outcome, SweepOptions, sweep
from leaf_data.sources.stand_ins import option_for
from tff_weights.runtime import ProgramOptions

_RUNS = flags.DEFINE_list(
    "runs", ["*"], "Names of committed runs, DATA_SET/ALGORITHM-DIGEST, or patterns such as mnist*."
)
_DRAW = flags.DEFINE_integer(
    "draw", None, "How many of them are drawn at random; all if not given.", lower_bound=1
)
_DRAW_SEED = flags.DEFINE_integer("draw_seed", 1, "Seeds the drawing.", lower_bound=0)
_MOST_MINUTES = flags.DEFINE_float(
    "most_minutes", None, "Leave out runs that took longer when they were made.", lower_bound=0.0
)
_OTHER_PROCESSORS = flags.DEFINE_bool(
    "other_processors",
    False,
    "Train also what was made on another kind of processor, whose last digits may differ.",
)
_WORKERS = flags.DEFINE_integer(
    "workers", os.cpu_count() or 1, "How many runs are trained at once.", lower_bound=1
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", "results/verified", "The folder of the runs that are trained."
)
_RESULTS_DIR = flags.DEFINE_string(
    "results_dir", str(committed.RESULTS_DIR), "The folder of results that travel with software."
)
_DATA_DIR = data_folders.define_data_dir()
_PREPARED_DIR = data_folders.define_prepared_dir()
flags.adopt_module_key_flags(papers_flag)

# What last digits depend on and runs have not always recorded.
_OFTEN_UNKNOWN = {"processor": "its kind of processor", "revision": "the software's revision"}


def main() -> None:
    """Trains the runs that the flags name, and compares them."""
    with command_line.bad_input_ends_the_program():
        papers_flag.add_papers()
        chosen = _drawn(list(_chosen()))
        records = [read_record(run) for run in chosen]  # What is damaged is said before training.
        options = _options()
        options.runs_dir.mkdir(parents=True, exist_ok=True)
    num_equal = 0
    outcomes = _train(chosen, list(map(_with_its_data, records)), options)
    for run, record, outcome in zip(chosen, records, outcomes):
        is_equal, said = _compared(run, record, outcome)
        num_equal += is_equal
        print(f"{run_name(record.configuration)}: {said}", flush=True)
    print(f"{num_equal} of {len(chosen)} runs came out again to the last digit.")
    if num_equal < len(chosen):
        raise SystemExit(1)


def _with_its_data(record: RunRecord) -> RunConfiguration:
    """Returns a run's configuration, which asks for the letters that were read before it could."""
    configuration = record.configuration
    options = {**option_for(record.data_origin), **configuration.dataset_options}
    return dataclasses.replace(configuration, dataset_options=options)


def _chosen() -> Iterator[CommittedRun]:
    """Yields the runs that are named and not left out."""
    here = environment()["processor"]
    for run in _named():
        made_on = read_environment(run.environment).get("processor")
        is_of_here = _OTHER_PROCESSORS.value or made_on in (None, here)
        if is_of_here and _is_short_enough(run):
            yield run


def _is_short_enough(run: CommittedRun) -> bool:
    if _MOST_MINUTES.value is None:
        return True
    duration = read_duration(run)
    return duration is not None and duration.seconds <= 60 * _MOST_MINUTES.value


def _named() -> list[CommittedRun]:
    """Returns the finished runs that --runs names.

    Raises:
        ValueError: If there is none of a name.
        FileNotFoundError: If there are none at all.
    """
    results_dir = pathlib.Path(_RESULTS_DIR.value).resolve()
    committed.check_runs(results_dir)
    runs = {run.name: run for run in committed.all_runs(results_dir)}
    found: set[str] = set()
    for pattern in _RUNS.value:
        matching = fnmatch.filter(runs, pattern)
        if not matching:
            folder = committed.runs_dir(results_dir)
            raise ValueError(f"--runs: no committed run below {folder} is named {pattern!r}")
        found.update(matching)
    return [runs[name] for name in sorted(found)]


def _drawn(runs: Sequence[CommittedRun]) -> list[CommittedRun]:
    if not runs:
        raise ValueError(
            "--runs: all that are named took longer than --most_minutes or were made on another "
            "kind of processor; --other_processors takes these, too"
        )
    if _DRAW.value is None:
        return list(runs)
    return random.Random(_DRAW_SEED.value).sample(runs, min(_DRAW.value, len(runs)))


def _options() -> SweepOptions:
    client_threads = max(1, (os.cpu_count() or 1) // _WORKERS.value)
    return SweepOptions(
        runs_dir=pathlib.Path(_OUTPUT_DIR.value).resolve() / "runs",
        data_dir=_DATA_DIR.value,
        prepared_dir=_PREPARED_DIR.value,
        workers=_WORKERS.value,
        runtime=ProgramOptions(device="cpu", client_threads=client_threads),
        papers=catalogue.added_modules(),
    )


def _train(
    runs: Sequence[CommittedRun],
    configurations: Sequence[RunConfiguration],
    options: SweepOptions,
) -> list[Outcome]:
    """Trains the runs, those with one number of threads after those with another."""
    threads = [recorded_intra_op_threads(read_environment(run.environment)) for run in runs]
    outcomes: dict[str, Outcome] = {}
    with SweepProgress(
        len(runs),
        configurations,
        names={each.to_json(): pathlib.Path(run_name(each)).name for each in configurations},
        durations=measured_durations(options.runs_dir, pathlib.Path(_RESULTS_DIR.value)),
        workers=options.workers,
    ) as progress:
        for number in dict.fromkeys(threads):
            alike = [each for each, of_it in zip(configurations, threads) if of_it == number]
            ended = sweep(
                alike, dataclasses.replace(options, intra_op_threads=number), progress=progress
            )
            outcomes.update((each.configuration.to_json(), each) for each in ended)
    return [outcomes[configuration.to_json()] for configuration in configurations]


def _compared(run: CommittedRun, record: RunRecord, outcome: Outcome) -> tuple[bool, str]:
    """Returns whether a run is what was committed, and what there is to say of it."""
    ours = outcome.read_record()
    if ours is None:
        return False, f"could not be trained: {outcome.error}"
    found = differences(ours, record)
    apart = _differing_facts(run, outcome) if found else []
    return not found, "; ".join([sentence(found), *apart])


def _differing_facts(run: CommittedRun, outcome: Outcome) -> list[str]:
    """Says in what the two were made differently, as far as it is recorded."""
    then, now = read_environment(run.environment), read_environment(outcome.files.environment)
    said = [
        f"{name} {_text(then[name])} then, {_text(now[name])} now"
        for name in then
        if then[name] is not None and name in now and then[name] != now[name]
    ]
    unknown = [what for name, what in _OFTEN_UNKNOWN.items() if then.get(name) is None]
    return [*said, f"not recorded: {' and '.join(unknown)}"] if unknown else said


def _text(fact: Any) -> str:
    return "unknown" if fact is None else str(fact)


if __name__ == "__main__":
    command_line.run(main)
