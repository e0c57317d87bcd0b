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
from collections.abc import Callable, Iterator

import psutil
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
# Every process that a program starts inherits it, however far it detaches itself.
_MARK = "TFF_WEIGHTS_TEST_PROGRAM"
# Libraries that tests import set them for this process and all that it starts.
_LOG_LEVELS = ("TF_CPP_MIN_LOG_LEVEL", "GRPC_VERBOSITY")
_END_TIMEOUT_SECONDS = 240

# Imports once what takes programs seconds to import, and forks a process for each program. That is
# safe since nothing has been computed: TensorFlow starts its threads with its first computation.
_FORKING_SERVER = """
import atexit, gc, importlib, json, multiprocessing, os, pkgutil, sys
inherited = set(os.environ)
sys.argv[0] = "-m"  # As a program of this package starts.
import experiments.runs.sweep, experiments.reporting.artifact_files, experiments.reporting.pages
from experiments import papers
for module in pkgutil.iter_modules(papers.__path__, "experiments.papers."):
    importlib.import_module(module.name)
imported = {name: os.environ[name] for name in set(os.environ) - inherited}
gc.freeze()  # Else a fork would copy all objects when it looks for garbage.

def run(program, arguments, files, environment):
    os.setsid()
    os.environ.clear()
    os.environ.update({**imported, **environment})
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    for number, path in enumerate((os.devnull, *files)):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.argv = ["-c", *arguments]
    try:
        exec(program, {"__name__": "__main__"})
    finally:
        atexit._run_exitfuncs()

for line in sys.stdin:
    child = multiprocessing.get_context("fork").Process(target=run, kwargs=json.loads(line))
    child.start()
    child.join()
    print(child.exitcode, flush=True)
os._exit(0)
"""
_MODULE = """
import runpy
runpy.run_module({!r}, run_name="__main__", alter_sys=True)
"""
_GONE_TIMEOUT_SECONDS = 60  # What is left must go by itself, however busy the machine is.


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a program ended."""

    status: int
    output: str
    errors: str


class _Traces:
    """A program's processes and temporary files, by a mark in their environment."""

    def __init__(self) -> None:
        self._mark = uuid.uuid4().hex
        self._temporary = pathlib.Path(tempfile.mkdtemp(prefix="tff-weights-test-"))
        self.environment = {**os.environ, _MARK: self._mark, "TMPDIR": str(self._temporary)}

    def processes(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if (
                    process.environ().get(_MARK) == self._mark
                    and process.status() != psutil.STATUS_ZOMBIE
                ):
                    found.append(process)
        return found

    def wait_until_gone(self) -> None:
        deadline = time.monotonic() + _GONE_TIMEOUT_SECONDS
        while left := [*self.processes(), *self._temporary.iterdir()]:
            assert time.monotonic() < deadline, f"left: {left}"
            time.sleep(0.1)

    def remove(self) -> None:
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()
        shutil.rmtree(self._temporary, ignore_errors=True)


class Program:
    """A program in a process group of its own, as a shell starts it."""

    def __init__(self, *command: str):
        self._traces = _Traces()
        self.processes = self._traces.processes
        of_program = self._traces.environment.items()
        self._process = subprocess.Popen(
            command,
            cwd=_REPOSITORY,
            env={name: value for name, value in of_program if name not in _LOG_LEVELS},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

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
        self._traces.wait_until_gone()
        return Ended(self._process.returncode, output, errors)

    def end(self) -> None:
        """Kills what is left of it."""
        self.signal(signal.SIGKILL, whole_group=True)
        self._traces.remove()
        self._process.communicate(timeout=_END_TIMEOUT_SECONDS)


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


@pytest.fixture(scope="session")
def run_python(tmp_path_factory) -> Iterator[Callable[..., Ended]]:
    """Runs `python -c` with a program's text and its arguments to its end, in a fork."""
    files = [tmp_path_factory.mktemp("programs") / name for name in ("output", "errors")]
    server = subprocess.Popen(
        [sys.executable, "-c", _FORKING_SERVER],
        cwd=_REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def run_forked(program: str, *arguments: str) -> Ended:
        traces = _Traces()
        given = {
            "program": program,
            "arguments": arguments,
            "files": list(map(str, files)),
            "environment": traces.environment,
        }
        for file in files:
            file.write_text("")
        try:
            print(json.dumps(given), file=server.stdin, flush=True)
            status = int(server.stdout.readline())
            traces.wait_until_gone()
        finally:
            traces.remove()
        return Ended(status, *(file.read_text() for file in files))

    yield run_forked
    server.communicate(timeout=_END_TIMEOUT_SECONDS)


@pytest.fixture(scope="session")
def run(run_python) -> Callable[..., Ended]:
    """Runs `python -m experiments.<name>` with flags to its end, in a fork.

    A name with a dot is the whole name of a module.
    """

    def run_program(name: str, *flags: str) -> Ended:
        return run_python(_MODULE.format(name if "." in name else f"experiments.{name}"), *flags)

    return run_program


@pytest.fixture(scope="session")
def run_each(run) -> Callable[..., list[Ended]]:
    """Runs `python -m experiments.<name>` with each of several lists of flags."""
    return lambda name, cases: [run(name, *flags) for flags in cases]
