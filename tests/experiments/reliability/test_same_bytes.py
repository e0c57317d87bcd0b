"""The same configuration in other circumstances: the same bytes, or how far from them."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest
from made_runs import tables
from runs_at_risk import differing, flags_of, largest_difference

pytestmark = pytest.mark.reliability

_RUNS = {
    "FedFa, 30 rounds": ("fed_fa", {"rounds": 30, "epochs": 2}),
    "SCAFFOLD, 30 rounds": ("scaffold", {"rounds": 30, "steps": 20}),
}
# By circumstance what comes before the program on the command line.
_CIRCUMSTANCES: dict[str, tuple[str, ...]] = {
    "in another process": (),
    "beside eight processes that compute": (),
    "on one core": ("taskset", "-c", "0"),
    **{
        f"with TF_NUM_INTRAOP_THREADS={number}": (
            *("env", f"TF_NUM_INTRAOP_THREADS={number}", f"TF_NUM_INTEROP_THREADS={number}"),
        )
        for number in (1, 2, 4)
    },
}
_ACTORS = {"rounds": 20, "epochs": 1}


@contextlib.contextmanager
def _load(processes: int):
    """So many processes that do nothing but compute."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.parametrize("name", _RUNS)
def test_the_same_bytes(name, start_command, undisturbed, ledger, tmp_path):
    algorithm, settings = _RUNS[name]
    expected = tables(undisturbed(algorithm, **settings))
    for how, before in _CIRCUMSTANCES.items():
        path = tmp_path / how
        train = (*before, sys.executable, "-m", "experiments.train")
        with _load(8 if "eight" in how else 0):
            ended = start_command(*train, *flags_of(algorithm, path, **settings)).finish()
        faults = [f"status {ended.status}"] if ended.status else []
        faults = faults or differing(tables(path), expected)
        ledger.add("Determinism", name, how, faults=faults)


def test_one_and_two_actors_of_ray(start, undisturbed, ledger, tmp_path):
    """Sums are formed in another order: what is equal twice is the same number of actors."""
    expected = tables(undisturbed("fed_avg", **_ACTORS))
    found = {}
    for name, actors in (("one", 1), ("two", 2), ("two again", 2)):
        path = tmp_path / name
        flags = [*flags_of("fed_avg", path, **_ACTORS), f"--cohort_workers={actors}"]
        assert start("train", *flags).finish().status == 0
        found[name] = tables(path)
    for name, other, how in (
        ("one", expected, "one Ray actor and none"),
        ("two", expected, "two Ray actors and none"),
        ("two again", found["two"], "two Ray actors twice"),
    ):
        same = not differing(found[name], other)
        largest = largest_difference(found[name], other)
        ledger.add(
            *("Determinism", "FedAvg, 20 rounds", how),
            faults=[] if same or how != "two Ray actors twice" else ["differs"],
            remark="the same bytes" if same else "the same up to rounding",
            largest_difference=largest,
        )
        assert largest < 1e-3
