"""Trains committed runs again and compares them to the last digit."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import math
import pathlib
import random
from collections.abc import Iterator, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.runs import committed
from experiments.runs.committed import CommittedRun
from experiments.runs.configure import ResolvedRun
from experiments.runs.environment import environment, read_environment, recorded_arithmetic
from experiments.runs.plan import ArtifactRun
from experiments.runs.progress import SweepProgress, TimeEstimate
from experiments.runs.record import RunRecord, read_record
from experiments.runs.run_directory import RunDirectory, run_name
from experiments.runs.run_folders import tabled_runs
from experiments.runs.run_table import TabledRun
from experiments.runs.sweep import EndedRun, SweepOptions, sweep

Committed = Union[CommittedRun, TabledRun]
_ACCURACIES = ("train_accuracy", "test_accuracy")
# Facts that last digits depend on, and that older runs have not recorded.
_OFTEN_UNKNOWN = {"processor": "its kind of processor", "revision": "the software's revision"}


def choose(
    results_dir: pathlib.Path,
    *,
    patterns: Sequence[str],
    most_minutes: float = math.inf,
    other_processors: bool = False,
    draw: int | None = None,
    draw_seed: int = 0,
) -> list[tuple[Committed, RunRecord]]:
    """Returns committed runs with their records: all, or a random draw.

    Their names fit the patterns, such as `mnist*`. Runs that took longer than `most_minutes` are
    left out; so are those of another kind of processor, unless `other_processors` asks for them.

    Raises:
        ValueError: If there is none of a name, none is left, or one is damaged.
        FileNotFoundError: If there are none at all.
    """
    here = environment()["processor"]
    runs = _named(results_dir, patterns)
    if not other_processors:
        recorded = ((run, read_environment(run.environment)) for run in runs)
        runs = [run for run, made_on in recorded if made_on.get("processor") in (None, here)]
    if not math.isinf(most_minutes):
        timed = ((run, run.read_seconds()) for run in runs)
        most = 60 * most_minutes
        runs = [run for run, seconds in timed if seconds is not None and seconds.total <= most]
    if not runs:
        raise ValueError(
            "--runs: all that are named took longer than --most_minutes or were made on another "
            "kind of processor; --other_processors takes these, too"
        )
    if draw is not None:
        runs = random.Random(draw_seed).sample(runs, min(draw, len(runs)))
    return [(run, read_record(run)) for run in runs]


def verify(
    chosen: Sequence[tuple[Committed, RunRecord]], options: SweepOptions
) -> Iterator[tuple[str, bool, str]]:
    """Trains runs with the threads that they were made with, with or without oneDNN, and compares.

    Yields each run's name, whether all its numbers are equal, and a sentence about it.
    """
    runs = [record.resolved for _, record in chosen]
    made_with = [recorded_arithmetic(read_environment(run.environment)) for run, _ in chosen]
    ended: dict[ResolvedRun, EndedRun] = {}
    names: dict[ResolvedRun | ArtifactRun, str]
    names = {each: pathlib.Path(run_name(each)).name for each in runs}
    estimate = TimeEstimate(run for run, _ in chosen)
    with SweepProgress(names, 0, estimate, workers=options.workers) as progress:
        for arithmetic in dict.fromkeys(made_with):
            alike = [each for each, of_it in zip(runs, made_with) if of_it == arithmetic]
            as_made = dataclasses.replace(options, arithmetic=arithmetic)
            ended.update(zip(alike, sweep(alike, as_made, progress=progress)))
    for (committed_run, record), run in zip(chosen, runs):
        again = ended[run]
        ours = again.read_record()
        name = run_name(record.resolved)
        if ours is None:
            yield name, False, f"could not be trained: {again.error}"
            continue
        if isinstance(committed_run, TabledRun) and isinstance(again.files, RunDirectory):
            ours = read_record(committed_run.beside(again.files))
        found = differences(ours, record)
        apart = _differing_facts(committed_run, again) if found else []
        earlier = ["trained earlier, below --output_dir"] if again.seconds is None else []
        yield name, not found, "; ".join([sentence(found), *apart, *earlier])


def _named(results_dir: pathlib.Path, patterns: Sequence[str]) -> list[Committed]:
    committed.check_runs(results_dir)
    if not patterns:
        raise ValueError("--runs names no run")
    runs: dict[str, Committed] = {run.name: run for run in committed.all_runs(results_dir)}
    runs.update((run.name, run) for run in tabled_runs(results_dir))
    found = {pattern: fnmatch.filter(runs, pattern) for pattern in patterns}
    for pattern, matching in found.items():
        if not matching:
            folder = committed.runs_dir(results_dir)
            raise ValueError(f"--runs: no committed run below {folder} is named {pattern!r}")
    return [runs[name] for name in sorted(set().union(*found.values()))]


def _differing_facts(run: Committed, again: EndedRun) -> list[str]:
    """Says how the environments of two runs differ, as far as they are recorded."""
    then, now = read_environment(run.environment), read_environment(again.files.environment)
    said = [
        f"{name} {fact} then, {now[name] or 'unknown'} now"
        for name, fact in then.items()
        if fact is not None and name in now and fact != now[name]
    ]
    unknown = [what for name, what in _OFTEN_UNKNOWN.items() if then.get(name) is None]
    return [*said, f"not recorded: {' and '.join(unknown)}"] if unknown else said


@dataclasses.dataclass(frozen=True)
class Difference:
    """One quantity in which two runs differ.

    Attributes:
        quantity: A column of the rounds or of the clients, or a metric of the result.
        relative: The largest difference of two numbers as a fraction of the larger absolute value,
            at most 2; infinite if one of them is not finite.
        first_round: The first round in which they differ; None for measurements after the last
            round.
    """

    quantity: str
    relative: float
    first_round: int | None = None


def differences(ours: RunRecord, theirs: RunRecord) -> list[Difference]:
    """Compares a run with a committed one, which may have fewer columns; clock times do not count.

    Quantities are the columns of the rounds, the accuracies of the clients, and the result. Returns
    the quantities of the committed run that differ, the largest difference first.
    """
    ours_by_name = _quantities(ours)
    found = []
    for name, their_cells in _quantities(theirs).items():
        our_cells = ours_by_name.get(name, their_cells.iloc[:0])
        rows = our_cells.index.union(their_cells.index)
        pairs = zip(our_cells.reindex(rows), their_cells.reindex(rows))
        apart = pd.Series([_apart(_numbers(one), _numbers(other)) for one, other in pairs], rows)
        if apart.any():
            first_round = int(apart.ne(0).idxmax()) if rows.name == "round" else None
            found.append(Difference(name, float(apart.max()), first_round))
    return sorted(found, key=lambda difference: -difference.relative)


def _quantities(record: RunRecord) -> dict[str, pd.Series]:
    """The compared quantities: columns by round, columns by client, and single numbers."""
    clients = record.clients.set_index("client_id")
    return {
        **dict(record.rounds.set_index("round").items()),
        **{f"clients' {name}": clients[name] for name in _ACCURACIES if name in clients},
        **{f"result's {name}": pd.Series([number]) for name, number in record.result.items()},
    }


def sentence(found: Sequence[Difference]) -> str:
    """Says in one line how two runs compare."""
    if not found:
        return "equal to the last digit"
    rounds = [each.first_round for each in found if each.first_round is not None]
    since = f"from round {min(rounds)} on" if rounds else "after the last round"
    worst, number = found[0], "1 quantity" if len(found) == 1 else f"{len(found)} quantities"
    by = f"by {worst.relative:.1e}" if worst.relative < math.inf else "where one is not finite"
    return f"differs {since} in {number}, most in {worst.quantity}, {by}"


def _numbers(cell: Any) -> npt.NDArray[np.float64]:
    """Returns a cell's numbers; those of participants are a list as text."""
    return np.asarray(json.loads(cell) if isinstance(cell, str) else [cell], np.float64)


def _apart(ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]) -> float:
    """Returns the largest relative difference of two arrays."""
    if ours.shape != theirs.shape or (np.isnan(ours) != np.isnan(theirs)).any():
        return math.inf
    differ = (ours != theirs) & ~np.isnan(ours)
    if not differ.any():
        return 0.0
    one, other = ours[differ], theirs[differ]
    with np.errstate(invalid="ignore"):  # Infinities with different signs.
        relative = np.abs(one - other) / np.maximum(np.abs(one), np.abs(other))
    return float(np.nan_to_num(relative, nan=math.inf).max())
