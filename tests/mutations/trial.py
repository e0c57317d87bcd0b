"""Runs tests against a changed module, in a fork of a program that has TensorFlow loaded.

TensorFlow takes seconds to import, and most tests that notice a change take less.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

# What takes long to import and is not under test.
import hypothesis  # noqa: F401
import pandas  # noqa: F401
import pytest
import tensorflow  # noqa: F401
import tensorflow_federated  # noqa: F401
import tensorflow_privacy  # noqa: F401


@dataclasses.dataclass(frozen=True)
class Limits:
    """How long tests may take; where they take longer they have not passed."""

    processor_seconds: int  # A change may let a test compute for ever,
    wall_seconds: float  # or wait for ever.


# For tests that should pass.
PLENTY = Limits(processor_seconds=600, wall_seconds=6000)


def copy_of(repository: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Copies what is to be changed, and its tests; returns the copy."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    packages = ["tff_weights", "leaf_data", "experiments/*.py", "benchmarks"]
    wanted = [*packages, "tests", "docs", "*.toml"]
    names = subprocess.run(
        [*listed, "--", *wanted], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repository / name, folder / name)
    return folder


@contextlib.contextmanager
def changed(path: pathlib.Path, source: str) -> Iterator[None]:
    """A module with another source, as long as the context lasts."""
    original = path.read_text()
    path.write_text(source)
    try:
        yield
    finally:
        path.write_text(original)


@dataclasses.dataclass(frozen=True)
class End:
    """How the tests of a file ended."""

    passed: bool  # All of them, in time.
    processor_seconds: float
    wall_seconds: float
    output: str  # The end of what pytest wrote.


def run_tests(copy: pathlib.Path, file: str, limits: Limits) -> End:
    """Runs the tests of a file in a copy of the repository, until the first that fails."""
    log = copy.with_suffix(".log")
    pid = os.fork()
    if pid == 0:
        _run(copy, file, log, limits.processor_seconds)
    start = time.monotonic()
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() - start > limits.wall_seconds:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # Programs that a test started and could not end.
    return End(
        passed=os.waitstatus_to_exitcode(status) == 0,
        processor_seconds=usage.ru_utime + usage.ru_stime,
        wall_seconds=time.monotonic() - start,
        output=log.read_text()[-2000:],
    )


def _run(copy: pathlib.Path, file: str, log: pathlib.Path, processor_seconds: int) -> None:
    """Never returns."""
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds))
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    os.environ["PYTHONPATH"] = str(copy)  # For the programs that tests start.
    import tff_weights

    assert pathlib.Path(tff_weights.__file__).is_relative_to(copy)
    flags = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line"]
    os._exit(int(pytest.main([*flags, file])))
