"""Files that are changed behind the programs' back."""

from __future__ import annotations

import os
import pathlib
import random
import shutil
from collections.abc import Callable

import pytest
from runs_at_risk import differing, flags_of, tables

from experiments.runs import training
from experiments.runs.configure import configure

pytestmark = pytest.mark.reliability

_SETTINGS = {"rounds": 12, "steps": 3, "clients_per_round": 4}
_LAST_ROUND = 9
_TIMEOUT_SECONDS = 3600
_SEEDS = range(int(os.environ.get("TFF_WEIGHTS_RELIABILITY_TIMES", "1")))


def _flip(content: bytes, generator: random.Random) -> bytes:
    changed = bytearray(content)
    changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
    return bytes(changed)


_WAYS: dict[str, Callable[[bytes, random.Random], bytes | None]] = {
    "a bit is flipped": _flip,
    "it is cut short": lambda content, generator: content[: generator.randrange(len(content))],
    "it is empty": lambda content, generator: b"",
    "it is full of zeros": lambda content, generator: bytes(len(content)),
    "it is gone": lambda content, generator: None,
}


class _CrashError(Exception):
    """What ends the run in the middle."""


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A run of SCAFFOLD that ended without a word after round 9; its checkpoints are 6 and 9."""
    path = tmp_path_factory.mktemp("interrupted") / "run"
    prepared = training.prepare(configure("scaffold", "synthetic_1_1", _SETTINGS), path)
    select = prepared.select_cohort

    def select_or_crash(round_number: int):
        if round_number > _LAST_ROUND:
            raise _CrashError
        return select(round_number)

    object.__setattr__(prepared, "select_cohort", select_or_crash)
    with pytest.raises(_CrashError):
        prepared.execute(rounds_per_checkpoint=3, show_progress=False)
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("finished") / "run"
    configuration = configure("scaffold", "synthetic_1_1", _SETTINGS)
    training.prepare(configuration, path).execute(rounds_per_checkpoint=3, show_progress=False)
    return path


def _newest(folder: pathlib.Path) -> pathlib.Path:
    """The newest variate that the checkpoint after `_LAST_ROUND` asks for."""
    files = [path for path in folder.glob("*/*") if int(path.name) < _LAST_ROUND]
    return max(files, key=lambda path: int(path.name))


def _files_of_interrupted(path: pathlib.Path) -> dict[str, pathlib.Path]:
    checkpoint = path / "checkpoints" / f"program_state_{_LAST_ROUND}"
    files = sorted(file for file in checkpoint.rglob("*") if file.is_file())
    return {
        **{f"checkpoint, {file.relative_to(checkpoint)}": file for file in files},
        "checksums of the checkpoint": path / "checkpoints" / f"checksums_{_LAST_ROUND}.json",
        "metrics.csv": path / "metrics.csv",
        "timings.csv": path / "timings.csv",
        "configuration.json": path / "configuration.json",
        "a client's variate": _newest(path / "variates"),
    }


def _files_of_finished(path: pathlib.Path) -> dict[str, pathlib.Path]:
    names = ("metrics", "timings", "clients")
    return {
        **{f"{name}.csv, finished": path / f"{name}.csv" for name in names},
        "result.json, finished": path / "result.json",
        "manifest.json, finished": path / "manifest.json",
        "configuration.json, finished": path / "configuration.json",
    }


def _damage_copies(of: pathlib.Path, files: dict[str, pathlib.Path], folder: pathlib.Path):
    """Yields what, how, and the copy of the run in which it was done."""
    for what, file in files.items():
        for how, change in _WAYS.items():
            for seed in _SEEDS if how in ("a bit is flipped", "it is cut short") else (0,):
                copy = folder / f"{len(list(folder.iterdir()))}"
                shutil.copytree(of, copy)
                damaged = copy / file.relative_to(of)
                content = change(file.read_bytes(), random.Random(f"{what} {how} {seed}"))
                if content is None:
                    damaged.unlink()
                else:
                    damaged.write_bytes(content)
                yield what, how, copy


@pytest.mark.parametrize("state", ["interrupted", "finished"])
def test_what_is_damaged_is_named_and_made_again(
    state, request, run_each, undisturbed, ledger, tmp_path
):
    of = request.getfixturevalue(state)
    files = _files_of_interrupted(of) if state == "interrupted" else _files_of_finished(of)
    expected = undisturbed("scaffold", **_SETTINGS)
    cases = list(_damage_copies(of, files, tmp_path))
    flags = [flags_of("scaffold", copy, **_SETTINGS) for *_, copy in cases]
    all_faults = []
    ends = run_each("train", flags, timeout_seconds=_TIMEOUT_SECONDS)
    for (what, how, copy), ended in zip(cases, ends):
        faults, remark = _faults(what, how, copy, ended, expected)
        ledger.add("Damaged", what, how, faults=faults, remark=remark)
        all_faults += [f"{what}, {how}: {fault}" for fault in faults]
    assert not all_faults


def _faults(what, how, copy, ended, expected) -> tuple[list[str], str | None]:
    """What went wrong, and how the program answered."""
    errors = [line for line in ended.errors.splitlines() if "%|" not in line]
    if "Traceback" in ended.errors:
        return ["a traceback"], None
    if what.startswith("configuration.json") and how != "it is gone":
        # Nobody can tell whose run it is: refused, and left as it is.
        named = ended.status == 2 and len(errors) == 1 and "configuration.json" in errors[0]
        another = ended.status == 2 and "another configuration" in ended.errors
        return ([] if named or another else [f"not refused: {ended}"]), "refused"
    if what.startswith("configuration.json"):
        refused = ended.status == 2 and "holds no run" in ended.errors
        return ([] if refused else [f"not refused: {ended}"]), "refused"
    if ended.status != 0:
        return [f"does not go on: {ended.errors[-300:]!r}"], None
    faults = differing(tables(copy), expected)
    if (what, how) in _LIKE_A_KILL:
        return faults, "as if the program had been killed"
    sentences = [line for line in errors if str(copy) in line]
    if len(sentences) != 1:
        faults.append(f"not named in one sentence: {ended.errors[-300:]!r}")
    remark = None
    if sentences:
        remark = sentences[0].rpartition(": ")[2].rstrip(".")
    return faults, remark


# What a program that is killed may leave behind, too.
_LIKE_A_KILL = {
    ("checksums of the checkpoint", "it is gone"),
    ("manifest.json, finished", "it is gone"),
}


def test_committed_runs_that_are_damaged_are_trained_again(run, ledger, tmp_path):
    """Of an artifact whose runs came with the software, one run has a damaged archive."""
    given = ("--artifact=fedfa/table3", "--scale=smoke", "--workers=1")
    results = tmp_path / "results"
    first = run(
        *("reproduce", *given, "--fresh", "--commit_results"),
        *(f"--results_dir={results}", f"--output_dir={tmp_path / 'first'}"),
    )
    assert first.status == 0, first.errors
    table = (tmp_path / "first/fedfa/table3/smoke/cells.csv").read_bytes()
    archives = sorted((results / "runs").rglob("*.zip"))
    all_faults = []
    for number, (how, change) in enumerate(_WAYS.items()):
        copy, output = tmp_path / f"results_{number}", tmp_path / f"again_{number}"
        shutil.copytree(results, copy)
        damaged = copy / archives[number].relative_to(results)
        content = change(damaged.read_bytes(), random.Random(how))
        if content is None:
            damaged.unlink()
        else:
            damaged.write_bytes(content)
        ended = run("reproduce", *given, f"--results_dir={copy}", f"--output_dir={output}")
        faults = [] if ended.status == 0 else [f"status {ended.status}: {ended.errors[-200:]!r}"]
        if "Traceback" in ended.errors + ended.output:
            faults.append("a traceback")
        made = list((output / "runs").rglob("manifest.json"))
        if len(made) != 1:
            faults.append(f"{len(made)} runs were trained instead of the damaged one")
        if ended.status == 0:
            again = (output / "fedfa/table3/smoke/cells.csv").read_bytes()
            faults += [] if again == table else ["cells.csv differs"]
        ledger.add(
            *("Damaged", "a committed run", how),
            faults=faults,
            remark="that run is trained again",
        )
        all_faults += faults
    assert not all_faults
