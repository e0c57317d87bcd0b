"""Programs run as a user runs them, with nothing of them left afterwards."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence

import psutil
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
# Every process that a program starts inherits it, however far it detaches itself.
_MARK = "TFF_WEIGHTS_TEST_PROGRAM"
# Libraries that tests import set them for this process and all that it starts.
_LOG_LEVELS = ("TF_CPP_MIN_LOG_LEVEL", "GRPC_VERBOSITY")
_END_TIMEOUT_SECONDS = 240

# Runs one program for each list of flags, one after the other in one process: nearly all the time
# of a program that ends at its flags goes into imports. Standard error itself stays empty.
_EACH_PROGRAM = """
import contextlib, importlib, io, json, sys

name, cases = sys.argv[1], json.loads(sys.argv[2])
program = importlib.import_module(name)

from absl import flags
from absl.testing import flagsaver
from experiments import command_line

ends = []
for given in cases:
    output, errors = io.StringIO(), io.StringIO()
    sys.argv = [name.split(".")[-1] + ".py", *given]
    with flagsaver.flagsaver(), contextlib.redirect_stdout(output):
        flags.FLAGS.unparse_flags()
        with contextlib.redirect_stderr(errors):
            try:
                command_line.run(
                    program.main,
                    getattr(program, "read_flags", None),
                    argument=getattr(program, "ARGUMENT", None),
                )
            except SystemExit as end:
                ends.append((end.code or 0, output.getvalue(), errors.getvalue()))
json.dump(ends, sys.stdout)
"""
_GONE_TIMEOUT_SECONDS = 60  # What is left must go by itself, however busy the machine is.
# TensorFlow's logger is not redirected, and speaks of many models that one process builds.
_OF_MANY_MODELS = "triggered tf.function retracing"


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a program ended."""

    status: int
    output: str
    errors: str


class Program:
    """A program in a process group of its own, as a shell starts it."""

    def __init__(self, *command: str):
        self._mark = uuid.uuid4().hex
        self._temporary = pathlib.Path(tempfile.mkdtemp(prefix="tff-weights-test-"))
        inherited = {name: value for name, value in os.environ.items() if name not in _LOG_LEVELS}
        self._process = subprocess.Popen(
            command,
            cwd=_REPOSITORY,
            env={**inherited, _MARK: self._mark, "TMPDIR": str(self._temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def processes(self) -> list[psutil.Process]:
        """All that are left of it, its children included."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if (
                    process.environ().get(_MARK) == self._mark
                    and process.status() != psutil.STATUS_ZOMBIE
                ):
                    found.append(process)
        return found

    def signal(self, number: int, *, whole_group: bool = False) -> None:
        with contextlib.suppress(ProcessLookupError):
            if whole_group:
                os.killpg(self._process.pid, number)
            else:
                os.kill(self._process.pid, number)

    def finish(self, *, timeout_seconds: float = _END_TIMEOUT_SECONDS) -> Ended:
        """Waits for its end and that of its pipes, and then for that of all that it started.

        Nothing is left of its temporary files.
        """
        output, errors = self._process.communicate(timeout=timeout_seconds)
        deadline = time.monotonic() + _GONE_TIMEOUT_SECONDS
        while left := [*self.processes(), *self._temporary.iterdir()]:
            assert time.monotonic() < deadline, f"left: {left}"
            time.sleep(0.1)
        return Ended(self._process.returncode, output, errors)

    def end(self) -> None:
        """Kills what is left of it."""
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()
        self.signal(signal.SIGKILL, whole_group=True)
        self._process.communicate(timeout=_END_TIMEOUT_SECONDS)
        shutil.rmtree(self._temporary, ignore_errors=True)


@pytest.fixture
def start_command() -> Iterator[Callable[..., Program]]:
    """Starts a command; nothing of it is left after the test."""
    programs: list[Program] = []

    def start(*command: str) -> Program:
        programs.append(Program(*command))
        return programs[-1]

    yield start
    for program in programs:
        program.end()


@pytest.fixture
def start(start_command: Callable[..., Program]) -> Callable[..., Program]:
    """Starts `python -m experiments.<name>` with flags."""
    return lambda name, *flags: start_command(sys.executable, "-m", f"experiments.{name}", *flags)


@pytest.fixture
def run(start: Callable[..., Program]) -> Callable[..., Ended]:
    """Runs `python -m experiments.<name>` with flags to its end."""
    return lambda name, *flags: start(name, *flags).finish()


@pytest.fixture(scope="session")
def run_each() -> Callable[..., list[Ended]]:
    """Runs `python -m experiments.<name>` to its end with each of several lists of flags.

    A name with a dot is the whole name of a module.
    """

    def run_them(
        name: str, cases: Iterable[Sequence[str]], *, timeout_seconds: float = _END_TIMEOUT_SECONDS
    ) -> list[Ended]:
        module = name if "." in name else f"experiments.{name}"
        given = json.dumps([list(flags) for flags in cases])
        program = Program(sys.executable, "-c", _EACH_PROGRAM, module, given)
        try:
            ended = program.finish(timeout_seconds=timeout_seconds)
        finally:
            program.end()
        errors = [line for line in ended.errors.splitlines() if _OF_MANY_MODELS not in line]
        assert (ended.status, errors) == (0, []), ended
        return [Ended(*end) for end in json.loads(ended.output)]

    return run_them
