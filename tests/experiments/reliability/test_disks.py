"""Disks that are full, and folders that cannot be written any more, in the middle of a run."""

from __future__ import annotations

import os
import pathlib
import random
import subprocess
import sys
import time

import pytest
from runs_at_risk import differing, flags_of, tables

pytestmark = pytest.mark.reliability

_SETTINGS = {"rounds": 60, "steps": 3}
_FLAGS = ("--rounds_per_checkpoint=2",)
_SIZE_KIBIBYTES = 3 * 1024
_TRIES = 4


def _mount(folder: pathlib.Path) -> bool:
    folder.mkdir()
    options = f"size={_SIZE_KIBIBYTES}k"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        return subprocess.run(mount, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MB; where none may be mounted, the test is skipped."""
    folder = tmp_path / "disk"
    if not _mount(folder):
        pytest.skip("No file system may be mounted here.")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=False)


def _sentence_faults(ended, word: str) -> list[str]:
    faults = []
    if ended.status != 1:
        faults.append(f"status {ended.status}: {ended.errors[-300:]!r}")
    if "Traceback" in ended.errors:
        faults.append("a traceback")
    last = (ended.errors.splitlines() or [""])[-1]
    if word not in last:
        faults.append(f"the last line is {last!r}")
    return faults


def _go_on(start, flags, path, expected) -> list[str]:
    ended = start("train", *flags).finish()
    if ended.status != 0:
        return [f"does not go on: {ended.errors[-300:]!r}"]
    return differing(tables(path), expected)


def test_a_disk_that_is_full(small_disk, start, undisturbed, ledger):
    expected = undisturbed("scaffold", **_SETTINGS)
    generator = random.Random(0)
    all_faults = []
    for number in range(_TRIES):
        path = small_disk / f"run_{number}"
        flags = [*flags_of("scaffold", path, **_SETTINGS), *_FLAGS]
        ballast = small_disk / "ballast"
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        left = generator.randrange(8, 300) * 1024
        ballast.write_bytes(bytes(max(0, free - left)))
        ended = start("train", *flags).finish()
        if ended.status == 0:  # There was room enough.
            faults = differing(tables(path), expected)
            remark = None
        else:
            faults = _sentence_faults(ended, "No space left on device")
            remark = "status 1 and a sentence"
        ballast.unlink()
        faults += _go_on(start, flags, path, expected)
        ledger.add(
            "Disks", "train, SCAFFOLD", "full, of 3 MB", faults=faults, remark=remark,
            room_in_KiB=left / 1024,
        )  # fmt: skip
        subprocess.run(["rm", "-rf", str(path)], check=True)
        all_faults += faults
    assert not all_faults


def test_files_that_must_not_grow(start_command, start, undisturbed, ledger, tmp_path):
    """As on a full disk, wherever no file system may be mounted."""
    expected = undisturbed("scaffold", **_SETTINGS)
    all_faults = []
    for kibibytes in (2, 8, 32):
        path = tmp_path / f"run_{kibibytes}"
        flags = [*flags_of("scaffold", path, **_SETTINGS), *_FLAGS]
        command = " ".join([sys.executable, "-m", "experiments.train", *flags])
        ended = start_command("bash", "-c", f"ulimit -f {kibibytes}; exec {command}").finish()
        faults = [] if ended.status == 0 else _sentence_faults(ended, "File too large")
        faults += _go_on(start, flags, path, expected)
        ledger.add(
            *("Disks", "train, SCAFFOLD", "no file may be larger than 2, 8, 32 KiB"), faults=faults
        )
        all_faults += faults
    assert not all_faults


def test_a_folder_that_becomes_read_only(small_disk, start, undisturbed, ledger):
    expected = undisturbed("scaffold", **_SETTINGS)
    generator = random.Random(1)
    all_faults = []

    def remount(how: str) -> bool:
        command = ["mount", "-o", f"remount,{how}", str(small_disk)]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    for number in range(_TRIES // 2):
        path = small_disk / f"run_{number}"
        flags = [*flags_of("scaffold", path, **_SETTINGS), *_FLAGS]
        program = start("train", *flags)
        while program.running and not (path / "metrics.csv").exists():
            time.sleep(0.02)
        time.sleep(generator.uniform(0.0, 0.5))
        while program.running and not remount("ro"):
            time.sleep(0.001)
        ended = program.finish()
        faults = [] if ended.status == 0 else _sentence_faults(ended, "Read-only file system")
        assert remount("rw")
        faults += _go_on(start, flags, path, expected)
        ledger.add("Disks", "train, SCAFFOLD", "becomes read-only", faults=faults)
        subprocess.run(["rm", "-rf", str(path)], check=True)
        all_faults += faults
    assert not all_faults


def test_two_programs_in_one_folder(start, undisturbed, ledger, tmp_path):
    expected = undisturbed("scaffold", **_SETTINGS)
    all_faults = []
    for number in range(2):
        flags = [*flags_of("scaffold", tmp_path / f"run_{number}", **_SETTINGS), *_FLAGS]
        programs = [start("train", *flags), start("train", *flags)]
        ends = [program.finish() for program in programs]
        statuses = sorted(ended.status for ended in ends)
        faults = [] if statuses in ([0, 2], [0, 0]) else [f"statuses {statuses}"]
        refused = [ended for ended in ends if ended.status == 2]
        if any("another program is writing" not in ended.errors for ended in refused):
            faults.append("not the sentence")
        faults += differing(tables(tmp_path / f"run_{number}"), expected)
        ledger.add(
            *("Two at once", "train", "into one folder"), faults=faults, remark="one is refused"
        )
        all_faults += faults
    assert not all_faults


def test_two_programs_side_by_side(start, undisturbed, ledger, tmp_path):
    expected = undisturbed("scaffold", **_SETTINGS)
    paths = [tmp_path / "a", tmp_path / "b"]
    programs = [start("train", *flags_of("scaffold", path, **_SETTINGS)) for path in paths]
    statuses = [program.finish().status for program in programs]
    faults = [] if statuses == [0, 0] else [f"statuses {statuses}"]
    for path in paths:
        faults += differing(tables(path), expected)
    ledger.add("Two at once", "train", "into two folders", faults=faults)
    assert not faults
