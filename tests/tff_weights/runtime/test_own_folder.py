from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from tff_weights.runtime import own_folder
from tff_weights.runtime.own_folder import OwnFolder

_GONE_TIMEOUT_SECONDS = 60

# Without the package, whose import takes seconds.
_PROGRAM = """
import os, pathlib, runpy, signal, sys
folder = runpy.run_path(sys.argv[1])["OwnFolder"]("own-", parent=sys.argv[2])
nested = pathlib.Path(folder.path, "a folder", "nested")
nested.mkdir(parents=True)
(nested / "file").write_text("content")
print(folder.path, flush=True)
ending = sys.argv[3]
if ending == "exit":
    os._exit(3)
if ending != "return":
    os.kill(os.getpid(), getattr(signal, ending))
"""


def _end(parent: pathlib.Path, ending: str) -> subprocess.CompletedProcess[str]:
    """Runs the program, and waits until its folder is gone."""
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, own_folder.__file__, str(parent), ending],
        capture_output=True,
        text=True,
        timeout=_GONE_TIMEOUT_SECONDS,
        check=False,
    )
    path = ended.stdout.strip()
    assert path.startswith(str(parent / "own-"))
    deadline = time.monotonic() + _GONE_TIMEOUT_SECONDS
    while os.path.exists(path):
        assert time.monotonic() < deadline, path
        time.sleep(0.02)
    return ended


@pytest.mark.parametrize("ending", ["return", "exit", "SIGTERM", "SIGINT", "SIGKILL", "SIGABRT"])
def test_it_is_gone_with_its_program(tmp_path, ending):
    _end(tmp_path, ending)


def test_it_lies_where_temporary_files_go(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = OwnFolder("own-")
    assert pathlib.Path(folder.path).parent == tmp_path
    assert pathlib.Path(folder.path).stat().st_mode & 0o077 == 0
    (pathlib.Path(folder.path) / "file").touch()
    folder.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_a_shell_would_read_is_a_name(tmp_path):
    """Neither `$(…)` nor a leading minus is anything but a name."""
    parent = tmp_path / "-rf $(touch evil) ; *"
    parent.mkdir()
    kept = parent / "kept"
    kept.touch()
    assert _end(parent, "SIGKILL").returncode == -signal.SIGKILL
    assert list(parent.iterdir()) == [kept]
