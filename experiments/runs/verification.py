"""Committed runs trained again and compared to the last digit."""

from __future__ import annotations

import dataclasses
import fnmatch
import pathlib
import random
from collections.abc import Iterator, Sequence
from typing import Any

from experiments.runs import committed
from experiments.runs.committed import CommittedRun
from experiments.runs.configuration import RunConfiguration
from experiments.runs.environment import (
    environment,
    read_environment,
    recorded_intra_op_threads,
)
from experiments.runs.progress import SweepProgress
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_differences import differences, sentence
from experiments.runs.run_directory import run_name
from experiments.runs.run_folders import RunFolders
from experiments.runs.sweep import Outcome, SweepOptions, sweep
from experiments.runs.time_estimate import TimeEstimate
from leaf_data.sources.stand_ins import option_for

# What last digits depend on and runs have not always recorded.
_OFTEN_UNKNOWN = {"processor": "its kind of processor", "revision": "the software's revision"}


def choose(
    results_dir: pathlib.Path,
    *,
    patterns: Sequence[str],
    most_minutes: float | None = None,
    other_processors: bool = False,
    draw: int | None = None,
    draw_seed: int = 0,
) -> list[tuple[CommittedRun, RunRecord]]:
    """Returns committed runs with their records.

    Args:
        results_dir: The folder of results.
        patterns: Names of runs, or patterns such as `mnist*`.
        most_minutes: Runs that took longer are left out; None for none.
        other_processors: Whether runs of another kind of processor are there, too.
        draw: How many of them are drawn at random; None for all.
        draw_seed: Seeds the drawing.

    Raises:
        ValueError: If there is none of a name, none is left, or one is damaged.
        FileNotFoundError: If there are none at all.
    """
    here = environment()["processor"]
    runs = []
    for run in _named(results_dir, patterns):
        made_on = read_environment(run.environment).get("processor")
        if (other_processors or made_on in (None, here)) and _is_short(run, most_minutes):
            runs.append(run)
    if not runs:
        raise ValueError(
            "--runs: all that are named took longer than --most_minutes or were made on another "
            "kind of processor; --other_processors takes these, too"
        )
    if draw is not None:
        runs = random.Random(draw_seed).sample(runs, min(draw, len(runs)))
    return [(run, read_record(run)) for run in runs]


def verify(
    chosen: Sequence[tuple[CommittedRun, RunRecord]], options: SweepOptions
) -> Iterator[tuple[str, bool, str]]:
    """Trains runs with as many threads as they were made with, and compares them.

    Yields:
        For each the name, whether every number came out again, and what there is to say of it.
    """
    configurations = [_with_its_data(record) for _, record in chosen]
    threads = [recorded_intra_op_threads(read_environment(run.environment)) for run, _ in chosen]
    outcomes: dict[RunConfiguration, Outcome] = {}
    names = {each: pathlib.Path(run_name(each)).name for each in configurations}
    known = RunFolders((options.runs_dir,)).all()
    with SweepProgress(
        names, num_finished=0, estimate=TimeEstimate(known), workers=options.workers
    ) as progress:
        for number in dict.fromkeys(threads):
            alike = [each for each, of_it in zip(configurations, threads) if of_it == number]
            ended = sweep(
                alike, dataclasses.replace(options, intra_op_threads=number), progress=progress
            )
            outcomes.update((each.configuration, each) for each in ended)
    for (run, record), configuration in zip(chosen, configurations):
        outcome = outcomes[configuration]
        ours = outcome.read_record()
        name = run_name(record.configuration)
        if ours is None:
            yield name, False, f"could not be trained: {outcome.error}"
            continue
        found = differences(ours, record)
        apart = _differing_facts(run, outcome) if found else []
        yield name, not found, "; ".join([sentence(found), *apart])


def _with_its_data(record: RunRecord) -> RunConfiguration:
    """Returns a run's configuration, which asks for the letters that were read before it could."""
    configuration = record.configuration
    options = {**option_for(record.data_origin), **configuration.dataset_options}
    return dataclasses.replace(configuration, dataset_options=options)


def _named(results_dir: pathlib.Path, patterns: Sequence[str]) -> list[CommittedRun]:
    committed.check_runs(results_dir)
    runs = {run.name: run for run in committed.all_runs(results_dir)}
    found: set[str] = set()
    for pattern in patterns:
        matching = fnmatch.filter(runs, pattern)
        if not matching:
            folder = committed.runs_dir(results_dir)
            raise ValueError(f"--runs: no committed run below {folder} is named {pattern!r}")
        found.update(matching)
    return [runs[name] for name in sorted(found)]


def _is_short(run: CommittedRun, most_minutes: float | None) -> bool:
    if most_minutes is None:
        return True
    seconds = run.read_seconds()
    return seconds is not None and seconds.total <= 60 * most_minutes


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
