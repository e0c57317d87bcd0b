from __future__ import annotations

import os
import signal
import stat

import pytest

from experiments.runs import files
from experiments.runs.files import FolderLock, write_atomically


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, "old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_have_the_users_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", "text")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_program_that_is_killed_holds_no_lock(tmp_path):
    holder = os.fork()
    if not holder:
        held = FolderLock(tmp_path)  # noqa: F841
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(holder, 0)[1] == signal.SIGKILL
    FolderLock(tmp_path)
