"""Disks that are full, and folders that cannot be written any more, in the middle of a run."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time

import pytest
from made_runs import tables
from runs_at_risk import differing, flags_of

pytestmark = pytest.mark.reliability

_SETTINGS = {"rounds": 60, "steps": 3}
_FLAGS = ("--rounds_per_checkpoint=2",)
_SIZE_KIBIBYTES = 3 * 1024
_TRIES = 4


def _mounts(*arguments: str) -> bool:
    """Whether the command `mount` succeeds."""
    try:
        return subprocess.run(["mount", *arguments], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MB; where none may be mounted, the test is skipped."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not _mounts("-t", "tmpfs", "-o", f"size={_SIZE_KIBIBYTES}k", "tmpfs", str(folder)):
        pytest.skip("No file system may be mounted here.")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=False)


@pytest.fixture
def attempt(start, undisturbed, ledger):
    """Tries a run in trouble, and its resumption: `attempt(path, disturb, end, how, word)`.

    `disturb` gets the flags and returns how the program ended; `end` takes the trouble away.
    """
    expected = tables(undisturbed("scaffold", **_SETTINGS))

    def _attempt(path, disturb, end, how: str, word: str, **figures: float) -> None:
        flags = [*flags_of("scaffold", path, **_SETTINGS), *_FLAGS]
        ended = disturb(flags)
        faults, remark = [], ""
        if ended.status != 0:
            remark = "status 1 and a sentence"
            last = (ended.errors.splitlines() or [""])[-1]
            if ended.status != 1 or "Traceback" in ended.errors or word not in last:
                faults.append(f"status {ended.status}: {ended.errors[-300:]!r}")
        end()
        again = start("train", *flags).finish()
        if again.status != 0:
            faults.append(f"does not go on: {again.errors[-300:]!r}")
        else:
            faults += differing(tables(path), expected)
        ledger.add("Disks", "train, SCAFFOLD", how, faults=faults, remark=remark, **figures)
        shutil.rmtree(path)

    return _attempt


def test_a_disk_that_is_full(small_disk, start, attempt):
    generator = random.Random(0)
    ballast = small_disk / "ballast"
    for number in range(_TRIES):
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        left = generator.randrange(8, 300) * 1024
        ballast.write_bytes(bytes(max(0, free - left)))
        attempt(
            small_disk / f"run_{number}",
            lambda flags: start("train", *flags).finish(),
            ballast.unlink,
            "full, of 3 MB",
            "No space left on device",
            room_in_KiB=left / 1024,
        )


def test_files_that_must_not_grow(start_command, attempt, tmp_path):
    """As on a full disk, wherever no file system may be mounted."""
    for kibibytes in (2, 8, 32):

        def limited(flags, kibibytes=kibibytes):
            command = " ".join([sys.executable, "-m", "experiments.train", *flags])
            return start_command("bash", "-c", f"ulimit -f {kibibytes}; exec {command}").finish()

        how = "no file may be larger than 2, 8, 32 KiB"
        attempt(tmp_path / "run", limited, lambda: None, how, "File too large")


def test_a_folder_that_becomes_read_only(small_disk, start, attempt):
    generator = random.Random(1)

    def remount(how: str) -> bool:
        return _mounts("-o", f"remount,{how}", str(small_disk))

    for number in range(_TRIES // 2):
        path = small_disk / f"run_{number}"

        def locked(flags, path=path):
            program = start("train", *flags)
            while program.running and not (path / "metrics.csv").exists():
                time.sleep(0.02)
            time.sleep(generator.uniform(0.0, 0.5))
            while program.running and not remount("ro"):
                time.sleep(0.001)
            return program.finish()

        attempt(path, locked, lambda: remount("rw"), "becomes read-only", "Read-only file system")


@pytest.mark.parametrize("folders", [1, 2])
def test_two_programs_at_once(folders, start, undisturbed, ledger, tmp_path):
    """In one folder one of them is refused, unless the other has ended before it begins."""
    expected = tables(undisturbed("scaffold", **_SETTINGS))
    paths = [tmp_path / f"run_{number % folders}" for number in range(2)]
    programs = [start("train", *flags_of("scaffold", path, **_SETTINGS)) for path in paths]
    ends = [program.finish() for program in programs]
    statuses = sorted(ended.status for ended in ends)
    allowed = ([0, 2], [0, 0]) if folders == 1 else ([0, 0],)
    faults = [] if statuses in allowed else [f"statuses {statuses}"]
    refused = [ended for ended in ends if ended.status == 2]
    if any("another program is writing" not in ended.errors for ended in refused):
        faults.append("not the sentence")
    for path in paths:
        faults += differing(tables(path), expected)
    how, remark = (
        ("into one folder", "one is refused") if folders == 1 else ("into two folders", None)
    )
    ledger.add("Two at once", "train", how, faults=faults, remark=remark)
