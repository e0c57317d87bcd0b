"""Programs that are killed at random moments, and started again."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import psutil
import pytest
from runs_at_risk import differing, flags_of, tables

_DOCUMENTED = {
    signal.SIGKILL: -signal.SIGKILL,
    signal.SIGTERM: -signal.SIGTERM,
    signal.SIGINT: 130,
}
_NAMES = {signal.SIGKILL: "SIGKILL", signal.SIGTERM: "SIGTERM", signal.SIGINT: "Ctrl-C"}
pytestmark = pytest.mark.reliability

# A third of the programs is ended while it starts, the others after they have trained a round more.
_SECONDS_OF_START = (0.2, 8.0)
_SECONDS_OF_TRAINING = (0.0, 6.0)
# Of what must come to its end, however busy the machine is.
_TIMEOUT_SECONDS = 3600
# How many times as many kills; 1 for about 60 in all.
_TIMES = int(os.environ.get("TFF_WEIGHTS_RELIABILITY_TIMES", "1"))


@dataclasses.dataclass(frozen=True)
class _Case:
    """A program that is ended again and again.

    Attributes:
        name: As the report calls it.
        algorithm: What it trains.
        settings: With which hyperparameters.
        flags: Flags that change no number.
        kills: How often the program is ended in each way.
        victims: What the processes are called that are killed besides the program itself.
        tolerance: By how much numbers may differ, 0 for not in a byte.
    """

    name: str
    algorithm: str
    settings: dict[str, object]
    kills: int
    flags: tuple[str, ...] = ()
    victims: str | None = None
    tolerance: float = 0.0


_CASES = [
    _Case("train, FedFa", "fed_fa", {"rounds": 300, "epochs": 1}, 5),
    _Case("train, SCAFFOLD", "scaffold", {"rounds": 300, "steps": 5}, 5),
    _Case(
        "train, FedAvg, two Ray actors",
        "fed_avg",
        {"rounds": 60, "epochs": 1},
        2,
        ("--cohort_workers=2",),
        "ray::ClientHost",
        1e-5,
    ),
]


def _wait_for_a_moment(program, table: pathlib.Path, generator: random.Random) -> float:
    """Waits until the program shall be ended; returns how many seconds it had."""
    began = time.monotonic()
    if generator.random() < 1 / 3:
        time.sleep(generator.uniform(*_SECONDS_OF_START))
    else:
        rows = _rows(table)
        while program.running and _rows(table) <= rows:
            time.sleep(0.05)
        time.sleep(generator.uniform(*_SECONDS_OF_TRAINING))
    return time.monotonic() - began


def _rows(table: pathlib.Path) -> int:
    return table.read_bytes().count(b"\n") if table.exists() else 0


def _faults_of_end(program, number: int) -> list[str]:
    """What is wrong with the end of a program that was sent a signal."""
    try:
        ended = program.finish()
    except AssertionError as error:
        return [f"something was {error}".splitlines()[0]]
    faults = []
    if _is_pythons_own_end(ended, number):
        return []
    if ended.status not in (_DOCUMENTED[number], 0):
        faults.append(f"status {ended.status} by {_NAMES[number]}: {ended.errors[-200:]!r}")
    if "Traceback" in ended.errors:
        faults.append(f"a traceback by {_NAMES[number]}")
    if number == signal.SIGINT and ended.status == 130 and "Interrupted." not in ended.errors:
        faults.append("no word by Ctrl-C")
    return faults + _named_damage(ended.errors)


def _is_pythons_own_end(ended, number: int) -> bool:
    """Whether Ctrl-C came before the first line of the program: Python says so in its own words."""
    is_ours = f"{os.sep}experiments{os.sep}" in ended.errors
    return number == signal.SIGINT and ended.status == -signal.SIGINT and not is_ours


def _named_damage(errors: str) -> list[str]:
    words = ("beginning again", "going on after", "checksum")
    return [f"a damage was named: {errors[-200:]!r}"] if any(w in errors for w in words) else []


def _processes_called(program, name: str) -> list[psutil.Process]:
    """Those of a program that have a word in their name; one may end while it is looked at."""
    found = []
    for process in program.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            if name in process.name():
                found.append(process)
    return found


def _kill_one_of(program, name: str) -> bool:
    victims = _processes_called(program, name)
    if victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            random.choice(victims).send_signal(signal.SIGKILL)
    return bool(victims)


def _differences(path: pathlib.Path, expected: dict[str, bytes], tolerance: float) -> list[str]:
    found = tables(path)
    if not tolerance:
        return differing(found, expected)
    ours, theirs = (pd.read_csv(io.BytesIO(one["metrics.csv"])) for one in (found, expected))
    numbers = theirs.select_dtypes("number").columns
    close = np.allclose(
        ours[numbers], theirs[numbers], rtol=tolerance, atol=tolerance, equal_nan=True
    )
    return [] if close else ["metrics.csv differs"]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_a_run_that_is_ended_ends_as_if_it_never_was(case, start, undisturbed, ledger, tmp_path):
    expected = undisturbed(case.algorithm, **case.settings)
    generator = random.Random(case.name)
    path = tmp_path / "run"
    flags = [*flags_of(case.algorithm, path, **case.settings), *case.flags]
    numbers = [number for number in _NAMES for _ in range(case.kills * _TIMES)]
    generator.shuffle(numbers)
    tries: list[tuple[str, float, list[str]]] = []
    for number in numbers:
        program = start("train", *flags, "--rounds_per_checkpoint=3")
        seconds = _wait_for_a_moment(program, path / "metrics.csv", generator)
        program.signal(number, whole_group=number == signal.SIGINT)
        faults = _faults_of_end(program, number)
        tries.append((_NAMES[number], seconds, faults))
        print(*tries[-1], flush=True)
    for _ in range(case.kills * _TIMES if case.victims else 0):
        tries.append(
            (f"SIGKILL of {case.victims}", *_without_a_part(start, flags, case, generator))
        )
    program = start("train", *flags, "--rounds_per_checkpoint=3")
    ended = program.finish(timeout_seconds=_TIMEOUT_SECONDS)
    faults = _named_damage(ended.errors)
    if ended.status != 0:
        faults.append(f"does not go on: {ended.errors[-300:]!r}")
    else:
        faults += _differences(path, expected, case.tolerance)
    for how, seconds, of_try in tries:
        ledger.add("Killed", case.name, how, faults=[*of_try, *faults], after_seconds=seconds)
    assert not [fault for *_, of_try in tries for fault in of_try] + faults


def _without_a_part(
    start: Callable, flags: list[str], case: _Case, generator: random.Random
) -> tuple[float, list[str]]:
    """Kills an actor once it is there: the program says so in a sentence."""
    began = time.monotonic()
    program = start("train", *flags, "--rounds_per_checkpoint=3")
    while program.running and not _processes_called(program, case.victims):
        time.sleep(0.1)
    time.sleep(generator.uniform(0.5, 4.0))
    hit = _kill_one_of(program, case.victims)
    try:
        ended = program.finish()
    except AssertionError as error:
        return time.monotonic() - began, [f"something was {error}"]
    faults = _named_damage(ended.errors)
    if "Traceback" in ended.errors:
        faults.append("a traceback")
    if hit and ended.status not in (0, 1):
        faults.append(f"status {ended.status}")
    return time.monotonic() - began, faults


_SWEEP = ("--artifact=fedfa/table3", "--scale=smoke", "--fresh")
_OF_SWEEP = pathlib.Path("fedfa", "table3", "smoke")


def _sweep_tables(path: pathlib.Path) -> dict[str, bytes]:
    names = ("cells.csv", "verdicts.csv", "rounds.csv")
    return {name: (path / _OF_SWEEP / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def sweep_undisturbed(tmp_path_factory) -> dict[str, bytes]:
    """The tables of a sweep that nothing disturbs."""
    path = tmp_path_factory.mktemp("sweep")
    command = [sys.executable, "-m", "experiments.reproduce", *_SWEEP, "--workers=1"]
    subprocess.run([*command, f"--output_dir={path}"], check=True, timeout=_TIMEOUT_SECONDS)
    return _sweep_tables(path)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_that_is_ended_ends_as_if_it_never_was(
    workers, start, sweep_undisturbed, ledger, tmp_path
):
    generator = random.Random(workers)
    name = f"reproduce fedfa/table3, {workers} worker{'s' * (workers > 1)}"
    flags = (*_SWEEP, f"--workers={workers}", f"--output_dir={tmp_path / 'b'}")
    tries: list[tuple[str, float, list[str]]] = []
    numbers = [number for number in _NAMES for _ in range((4 - workers) * _TIMES)]
    generator.shuffle(numbers)
    for number in numbers:
        program = start("reproduce", *flags)
        seconds = generator.uniform(0.2, 60.0)
        time.sleep(seconds)
        program.signal(number, whole_group=number == signal.SIGINT)
        faults = _faults_of_end(program, number)
        tries.append((_NAMES[number], seconds, faults))
        print(*tries[-1], flush=True)
    if workers > 1:
        program = start("reproduce", *flags)
        began = time.monotonic()
        while program.running and not _kill_one_of(program, "ray::run_remotely"):
            time.sleep(0.2)
        seconds = time.monotonic() - began
        ended = program.finish()
        faults = ["a traceback"] if "Traceback" in ended.errors else []
        tries.append(("SIGKILL of a Ray process", seconds, faults))
    ended = start("reproduce", *flags).finish(timeout_seconds=_TIMEOUT_SECONDS)
    faults = _named_damage(ended.errors)
    if ended.status != 0:
        faults.append(f"does not go on: {ended.output[-300:]!r}")
    elif _sweep_tables(tmp_path / "b") != sweep_undisturbed:
        faults.append("tables differ")
    for how, seconds, of_try in tries:
        ledger.add("Killed", name, how, faults=[*of_try, *faults], after_seconds=seconds)
    assert not [fault for *_, of_try in tries for fault in of_try] + faults
