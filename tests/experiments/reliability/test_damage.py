"""Files that are changed behind the programs' back."""

from __future__ import annotations

import os
import pathlib
import random
import shutil
from collections.abc import Callable

import pytest
from made_runs import tables
from runs_at_risk import differing, flags_of

from experiments.runs import training
from experiments.runs.configure import configure

pytestmark = pytest.mark.reliability

_SETTINGS = {"rounds": 12, "steps": 3, "clients_per_round": 4}
_LAST_ROUND = 9
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

    def select_or_crash(round_number, state):
        if round_number > _LAST_ROUND:
            raise _CrashError
        return select(round_number, state)

    object.__setattr__(prepared, "select_cohort", select_or_crash)
    with pytest.raises(_CrashError):
        prepared.execute(rounds_per_checkpoint=3, show_progress=False)
    return path


def _newest(folder: pathlib.Path) -> pathlib.Path:
    """The newest variate that the checkpoint after `_LAST_ROUND` asks for."""
    files = [path for path in folder.glob("*/*") if int(path.name) < _LAST_ROUND]
    return max(files, key=lambda path: int(path.name))


def _files_of_interrupted(path: pathlib.Path) -> dict[str, pathlib.Path]:
    checkpoint = path / "checkpoints" / f"program_state_{_LAST_ROUND}"
    listed = checkpoint / "checksums.json"
    files = sorted(file for file in checkpoint.rglob("*") if file.is_file() and file != listed)
    return {
        **{f"checkpoint, {file.relative_to(checkpoint)}": file for file in files},
        "checksums of the checkpoint": listed,
        **{name: path / name for name in ("metrics.csv", "timings.csv", "configuration.json")},
        "a client's variate": _newest(path / "variates"),
    }


def _files_of_finished(path: pathlib.Path) -> dict[str, pathlib.Path]:
    names = ("metrics.csv", "timings.csv", "clients.csv", "result.json", "manifest.json")
    return {f"{name}, finished": path / name for name in (*names, "configuration.json")}


def _damage(path: pathlib.Path, how: str, seed: str) -> None:
    content = _WAYS[how](path.read_bytes(), random.Random(seed))
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)


def _damage_copies(of: pathlib.Path, files: dict[str, pathlib.Path], folder: pathlib.Path):
    """Yields what, how, and the copy of the run in which it was done."""
    for what, file in files.items():
        for how in _WAYS:
            for seed in _SEEDS if how in ("a bit is flipped", "it is cut short") else (0,):
                copy = folder / f"{len(list(folder.iterdir()))}"
                shutil.copytree(of, copy)
                _damage(copy / file.relative_to(of), how, f"{what} {how} {seed}")
                yield what, how, copy


@pytest.mark.parametrize("state", ["interrupted", "finished"])
def test_what_is_damaged_is_named_and_made_again(
    state, interrupted, run_each, undisturbed, ledger, tmp_path
):
    finished = undisturbed("scaffold", **_SETTINGS)
    of = interrupted if state == "interrupted" else finished
    files = _files_of_interrupted(of) if state == "interrupted" else _files_of_finished(of)
    expected = tables(finished)
    cases = list(_damage_copies(of, files, tmp_path))
    flags = [flags_of("scaffold", copy, **_SETTINGS) for *_, copy in cases]
    for (what, how, copy), ended in zip(cases, run_each("train", flags)):
        faults, remark = _faults(what, how, copy, ended, expected)
        ledger.add("Damaged", what, how, faults=faults, remark=remark)


def _faults(what, how, copy, ended, expected) -> tuple[list[str], str]:
    """What went wrong, and how the program answered."""
    if "Traceback" in ended.errors:
        return ["a traceback"], ""
    if what.startswith("configuration.json"):
        # Nobody can tell whose run it is: refused, and left as it is.
        words = ("holds no run",) if how == "it is gone" else ("configuration",)
        refused = ended.status == 2 and all(word in ended.errors for word in words)
        return ([] if refused else [f"not refused: {ended}"]), "refused"
    if ended.status != 0:
        return [f"does not go on: {ended.errors[-300:]!r}"], ""
    faults = differing(tables(copy), expected)
    if (what, how) in _LIKE_A_KILL:
        return faults, "as if the program had been killed"
    lines = ended.errors.splitlines()
    sentences = [line for line in lines if "%|" not in line and str(copy) in line]
    if len(sentences) != 1:
        return [*faults, f"not named in one sentence: {ended.errors[-300:]!r}"], ""
    return faults, sentences[0].rpartition(": ")[2].rstrip(".")


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
    for number, how in enumerate(_WAYS):
        copy, output = tmp_path / f"results_{number}", tmp_path / f"again_{number}"
        shutil.copytree(results, copy)
        _damage(copy / archives[number].relative_to(results), how, how)
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
        remark = "that run is trained again"
        ledger.add("Damaged", "a committed run", how, faults=faults, remark=remark)
