"""What is large: rounds, clients, cohorts, files, sweeps."""

from __future__ import annotations

import contextlib
import json
import pathlib
import random
import shlex
import sys
import time

import psutil
import pytest
from runs_at_risk import flags_of

from experiments.runs.run_directory import RunDirectory

pytestmark = pytest.mark.reliability

_MEBIBYTE = 2**20


def _watched(start_command, name: str, flags, folder: pathlib.Path) -> tuple[float, float]:
    """Runs a program to its end: its seconds, and its memory in MiB at most."""
    command = shlex.join([sys.executable, "-m", f"experiments.{name}", *flags])
    # A pipe that nobody reads would be full of the progress bar long before the end.
    errors = folder / "errors"
    program = start_command("sh", "-c", f"exec {command} 2> {shlex.quote(str(errors))}")
    began, most = time.monotonic(), 0.0
    while program.running:
        resident = 0.0
        for process in program.processes():
            with contextlib.suppress(psutil.Error):
                resident += process.memory_info().rss / _MEBIBYTE
        most = max(most, resident)
        time.sleep(1.0)
    assert program.finish().status == 0, errors.read_text()[-1000:]
    return time.monotonic() - began, most


def _add(ledger, what: str, how: str, path: pathlib.Path, seconds: float, most: float) -> None:
    of_round = RunDirectory(path).read_seconds().training
    ledger.add(*("Load", what, how), minutes=seconds / 60, seconds_per_round=of_round, MiB=most)


@pytest.mark.parametrize(
    ("what", "rounds", "settings"),
    [
        ("10,000 rounds", 10_000, {"rounds_per_evaluation": 100}),
        (
            *("100,000 clients", 10),
            {
                "dataset_option": ("num_clients=100000", "num_features=5"),
                "clients_per_evaluation": 1000,
            },
        ),
        (
            *("a cohort of 1,000", 10),
            {"clients_per_round": 1000, "dataset_option": "num_clients=1000"},
        ),
    ],
)
def test_large_runs(what, rounds, settings, start_command, ledger, tmp_path):
    path = tmp_path / "run"
    flags = flags_of("fed_fa", path, rounds=rounds, steps=5, **settings)
    seconds, most = _watched(start_command, "train", flags, tmp_path)
    _add(ledger, what, f"train fed_fa, {rounds:,} rounds", path, seconds, most)


def _write_leaf(folder: pathlib.Path, gigabytes: float) -> float:
    """Writes LEAF's JSON of about so many gigabytes; returns how many they are."""
    generator = random.Random(0)
    rows = [json.dumps([round(generator.gauss(0, 1), 6) for _ in range(100)]) for _ in range(200)]
    clients = max(1, int(gigabytes * 1e6 / (sum(map(len, rows)) / len(rows) + 2)))
    names = [f"client_{number}" for number in range(clients)]
    total = 0
    for split, count in (("train", 900), ("test", 100)):
        x = ", ".join(rows[i % len(rows)] for i in range(count))
        y = ", ".join(str(i % 10) for i in range(count))
        (folder / split).mkdir(parents=True)
        with open(folder / split / "data.json", "w") as file:
            total += file.write(f'{{"users": {json.dumps(names)}, ')
            total += file.write(f'"num_samples": {[count] * clients}, "user_data": {{')
            for number, name in enumerate(names):
                separator = ", " if number else ""
                total += file.write(f'{separator}"{name}": {{"x": [{x}], "y": [{y}]}}')
            total += file.write("}}")
    return total / 1e9


@pytest.mark.parametrize("gigabytes", [1.0, 5.0])
def test_a_large_leaf_json(gigabytes, start_command, ledger, tmp_path):
    written = _write_leaf(tmp_path / "leaf", gigabytes)
    leaf = ("--dataset=leaf", f"--leaf_dir={tmp_path / 'leaf'}")
    what = f"LEAF JSON of {written:.1f} GB"
    flags = (*leaf, f"--output_dir={tmp_path / 'd'}")
    seconds, most = _watched(start_command, "describe", flags, tmp_path)
    ledger.add("Load", what, "describe", minutes=seconds / 60, MiB=most)
    flags = ["--algorithm=fed_avg", *leaf, f"--output_dir={tmp_path / 'run'}", "--steps=10"]
    flags += ["--rounds=5", "--clients_per_evaluation=100", "--learning_rate=0.1"]
    seconds, most = _watched(start_command, "train", flags, tmp_path)
    _add(ledger, what, "train fed_avg, 5 rounds", tmp_path / "run", seconds, most)


def test_many_runs_through_ray(start_command, ledger, tmp_path):
    """An artifact with as many seeds as make at least 64 runs, on all cores."""
    flags = ("--artifact=fedfa/table3", "--scale=smoke", "--fresh", f"--output_dir={tmp_path}")
    seconds, most = _watched(start_command, "reproduce", (*flags, "--seeds=1,2,3,4"), tmp_path)
    runs = len(list((tmp_path / "runs").rglob("manifest.json")))
    assert runs >= 64
    how = "reproduce through Ray"
    ledger.add("Load", f"{runs} runs", how, minutes=seconds / 60, MiB=most)
