"""Programs that are killed at random moments, and started again."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import signal
import time
from collections.abc import Callable

import psutil
import pytest
from made_runs import tables
from runs_at_risk import differing, flags_of, largest_difference

_DOCUMENTED = {signal.SIGKILL: -9, signal.SIGTERM: -15, signal.SIGINT: 130}
_NAMES = {signal.SIGKILL: "SIGKILL", signal.SIGTERM: "SIGTERM", signal.SIGINT: "Ctrl-C"}
pytestmark = pytest.mark.reliability

# A third of the programs is ended while it starts, the others after they have trained a round more.
_SECONDS_OF_START = (0.2, 8.0)
_SECONDS_OF_TRAINING = (0.0, 6.0)
# Of what must come to its end, however busy the machine is.
_TIMEOUT_SECONDS = 3600
# How many times as many kills; 1 for about 60 in all.
_TIMES = int(os.environ.get("TFF_WEIGHTS_RELIABILITY_TIMES", "1"))


# Algorithm, settings, how often it is ended in each way; flags that change no number, what the
# processes are called that are killed besides, and by how much numbers may differ.
_CASES = {
    "train, FedFa": ("fed_fa", {"rounds": 300, "epochs": 1}, 5, (), None, 0.0),
    "train, SCAFFOLD": ("scaffold", {"rounds": 300, "steps": 5}, 5, (), None, 0.0),
    "train, FedAvg, two Ray actors": (
        *("fed_avg", {"rounds": 60, "epochs": 1}, 2),
        *(("--cohort_workers=2",), "ray::ClientHost", 1e-5),
    ),
}
# In which way a program was ended, how many seconds it had, and what was wrong with its end.
_Try = tuple[str, float, list[str]]


def _wait_for_a_moment(program, table: pathlib.Path, generator: random.Random) -> None:
    """Waits until the program shall be ended."""
    if generator.random() < 1 / 3:
        time.sleep(generator.uniform(*_SECONDS_OF_START))
    else:
        rows = _rows(table)
        while program.running and _rows(table) <= rows:
            time.sleep(0.05)
        time.sleep(generator.uniform(*_SECONDS_OF_TRAINING))


def _rows(table: pathlib.Path) -> int:
    return table.read_bytes().count(b"\n") if table.exists() else 0


def _faults_of_end(program, number: int) -> list[str]:
    """What is wrong with the end of a program that was sent a signal."""
    try:
        ended = program.finish()
    except AssertionError as error:
        return [f"something was {error}".splitlines()[0]]
    is_ours = f"{os.sep}experiments{os.sep}" in ended.errors
    if number == signal.SIGINT and ended.status == -signal.SIGINT and not is_ours:
        return []  # It came before the first line of the program: Python says so in its own words.
    faults = []
    if ended.status not in (_DOCUMENTED[number], 0):
        faults.append(f"status {ended.status} by {_NAMES[number]}: {ended.errors[-200:]!r}")
    if "Traceback" in ended.errors:
        faults.append(f"a traceback by {_NAMES[number]}")
    if number == signal.SIGINT and ended.status == 130 and "Interrupted." not in ended.errors:
        faults.append("no word by Ctrl-C")
    return faults + _named_damage(ended.errors)


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


def _end_again_and_again(
    begin: Callable, wait: Callable, kills: int, generator: random.Random
) -> list[_Try]:
    numbers = [number for number in _NAMES for _ in range(kills * _TIMES)]
    generator.shuffle(numbers)
    tries = []
    for number in numbers:
        program, began = begin(), time.monotonic()
        wait(program)
        seconds = time.monotonic() - began
        program.signal(number, whole_group=number == signal.SIGINT)
        tries.append((_NAMES[number], seconds, _faults_of_end(program, number)))
        print(*tries[-1], flush=True)
    return tries


def _without_a_part(begin: Callable, name: str, generator: random.Random) -> _Try:
    """Kills one of the processes of a name once it is there: the program says so in a sentence."""
    program, began = begin(), time.monotonic()
    while program.running and not _processes_called(program, name):
        time.sleep(0.1)
    time.sleep(generator.uniform(0.5, 4.0))
    for victim in _processes_called(program, name)[:1]:
        with contextlib.suppress(psutil.NoSuchProcess):
            victim.send_signal(signal.SIGKILL)
    seconds = time.monotonic() - began
    try:
        ended = program.finish()
    except AssertionError as error:
        return f"SIGKILL of {name}", seconds, [f"something was {error}"]
    faults = ["a traceback"] if "Traceback" in ended.errors else []
    faults += [] if ended.status in (0, 1) else [f"status {ended.status}"]
    return f"SIGKILL of {name}", seconds, faults + _named_damage(ended.errors)


def _check(ledger, name: str, tries: list[_Try], ended, differences: Callable) -> None:
    """Whether the last program, which nobody ended, came to the end of an undisturbed one."""
    faults = _named_damage(ended.errors)
    if ended.status == 0:
        faults += differences()
    else:
        faults.append(f"does not go on: {ended.errors[-300:]!r}")
    for how, seconds, of_try in tries:
        ledger.add("Killed", name, how, faults=[*of_try, *faults], after_seconds=seconds)


def _differences(path: pathlib.Path, expected: dict[str, bytes], tolerance: float) -> list[str]:
    found = tables(path)
    if not tolerance:
        return differing(found, expected)
    return [] if largest_difference(found, expected) <= tolerance else ["metrics.csv differs"]


@pytest.mark.parametrize("name", _CASES)
def test_a_run_that_is_ended_ends_as_if_it_never_was(name, start, undisturbed, ledger, tmp_path):
    algorithm, settings, kills, flags, victims, tolerance = _CASES[name]
    expected = tables(undisturbed(algorithm, **settings))
    generator = random.Random(name)
    path = tmp_path / "run"
    flags = (*flags_of(algorithm, path, **settings), *flags, "--rounds_per_checkpoint=3")

    def begin():
        return start("train", *flags)

    def wait(program):
        _wait_for_a_moment(program, path / "metrics.csv", generator)

    tries = _end_again_and_again(begin, wait, kills, generator)
    for _ in range(kills * _TIMES if victims else 0):
        tries.append(_without_a_part(begin, victims, generator))
    ended = begin().finish(timeout_seconds=_TIMEOUT_SECONDS)
    _check(ledger, name, tries, ended, lambda: _differences(path, expected, tolerance))


_SWEEP = ("--artifact=fedfa/table3", "--scale=smoke", "--fresh")


def _sweep_tables(path: pathlib.Path) -> dict[str, bytes]:
    folder = path / "fedfa" / "table3" / "smoke"
    return {name: (folder / name).read_bytes() for name in ("cells.csv", "verdicts.csv")}


@pytest.fixture(scope="module")
def sweep_undisturbed(run, tmp_path_factory) -> dict[str, bytes]:
    """The tables of a sweep that nothing disturbs."""
    path = tmp_path_factory.mktemp("sweep")
    assert run("reproduce", *_SWEEP, "--workers=1", f"--output_dir={path}").status == 0
    return _sweep_tables(path)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_that_is_ended_ends_as_if_it_never_was(
    workers, start, sweep_undisturbed, ledger, tmp_path
):
    generator = random.Random(workers)
    name = f"reproduce fedfa/table3, {workers} worker{'s' * (workers > 1)}"

    def begin():
        return start("reproduce", *_SWEEP, f"--workers={workers}", f"--output_dir={tmp_path}")

    def wait(program):
        time.sleep(generator.uniform(0.2, 60.0))

    tries = _end_again_and_again(begin, wait, 4 - workers, generator)
    if workers > 1:
        tries.append(_without_a_part(begin, "ray::run_remotely", generator))
    ended = begin().finish(timeout_seconds=_TIMEOUT_SECONDS)
    _check(
        *(ledger, name, tries, ended), lambda: differing(_sweep_tables(tmp_path), sweep_undisturbed)
    )
