"""However a program ends, five seconds after its end nothing of its worker is left."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

import psutil
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
_START_TIMEOUT_SECONDS = 120
# Python frees all of TensorFlow's objects before it exits: seconds on a busy machine.
_EXIT_TIMEOUT_SECONDS = 60
_END_TIMEOUT_SECONDS = 5

# Runs a computation, says so on standard output, and goes on as its argument tells it.
_PROGRAM = """
import os, sys, time
import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from tff_weights.runtime import use_local_worker

@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
def total(values):
    return tff.federated_sum(values)

@tff.tensorflow.computation(np.str_)
def compute_for_ever(folder):
    with tf.control_dependencies([tf.io.write_file(folder + "/computing", "")]):
        start = tf.constant(0)
    return tf.while_loop(lambda _: tf.equal(folder, folder), lambda i: i + 1, [start])[0]

use_local_worker()
print("total", total([1, 2, 3]), flush=True)
ending = sys.argv[1]
if ending == "exception":
    sys.stdin.readline()
    raise ValueError("deliberate")
elif ending == "exit":
    sys.stdin.readline()
    sys.exit(3)
elif ending == "idle":
    time.sleep(600)
elif ending == "idle with a forked child":
    if os.fork() == 0:
        print("child", os.getpid(), flush=True)
        time.sleep(600)
        os._exit(0)
    time.sleep(600)
elif ending == "computing":
    compute_for_ever(sys.argv[2])
print("done")
"""

_ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(_REPOSITORY),
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "GRPC_VERBOSITY": "NONE",
}


class _Program:
    """The program, started in a process group of its own, as a shell does."""

    def __init__(self, ending: str, folder: pathlib.Path):
        self._computing = folder / "computing"
        self._waits_for_computing = ending == "computing"
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, ending, str(folder)],
            cwd=folder,
            env=_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait_until_worker_runs(self) -> list[psutil.Process]:
        """Returns the worker and its supervisor."""
        assert self.process.stdout.readline() == "total 6\n", self.process.stderr.read()
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while self._waits_for_computing and not self._computing.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        processes = psutil.Process(self.process.pid).children(recursive=True)
        helpers = [process for process in processes if "worker_binary" in str(process.cmdline())]
        assert len(helpers) == 2
        return helpers

    def finish(self) -> tuple[int, str, str]:
        """Waits for the end of the program and of both its pipes."""
        output, errors = self.process.communicate(timeout=_EXIT_TIMEOUT_SECONDS)
        return self.process.returncode, output, errors


@pytest.fixture
def start(tmp_path):
    """Starts programs; no more of them is left after the test."""
    programs = []

    def start_program(ending: str) -> _Program:
        folder = tmp_path / str(len(programs))
        folder.mkdir()
        programs.append(_Program(ending, folder))
        return programs[-1]

    yield start_program
    for program in programs:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.process.pid, signal.SIGKILL)
        program.process.communicate(timeout=_END_TIMEOUT_SECONDS)


def _assert_gone(processes: list[psutil.Process]) -> None:
    deadline = time.monotonic() + _END_TIMEOUT_SECONDS
    for process in processes:
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline, f"{process} is left."
            time.sleep(0.01)


@pytest.mark.long
def test_return_ends_a_pipe_after_the_program():
    program = shlex.join([sys.executable, "-c", _PROGRAM, "return"])
    result = subprocess.run(
        f"{program} | tail -n 1",
        shell=True,
        env=_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_START_TIMEOUT_SECONDS,
    )
    assert result.stdout == "done\n"
    assert result.stderr == ""


@pytest.mark.long
def test_two_programs_have_a_worker_each_and_end_by_exception_and_exit(start):
    raising, exiting = start("exception"), start("exit")
    helpers_of_raising = raising.wait_until_worker_runs()
    helpers_of_exiting = exiting.wait_until_worker_runs()
    ports = [
        re.findall(r"--port=(\d+)", " ".join(helpers[0].cmdline()))
        for helpers in (helpers_of_raising, helpers_of_exiting)
    ]
    assert ports[0] != ports[1]

    raising.process.stdin.write("\n")
    status, _, errors = raising.finish()
    assert status == 1
    assert errors.startswith("Traceback") and errors.endswith("ValueError: deliberate\n")
    _assert_gone(helpers_of_raising)
    assert all(helper.is_running() for helper in helpers_of_exiting)

    exiting.process.stdin.write("\n")
    assert exiting.finish() == (3, "", "")
    _assert_gone(helpers_of_exiting)


@pytest.mark.long
def test_ctrl_c_reaches_the_program_and_ends_its_worker(start):
    programs = [start("idle"), start("computing")]
    for program in programs:
        helpers = program.wait_until_worker_runs()
        os.killpg(program.process.pid, signal.SIGINT)
        status, _, errors = program.finish()
        assert status == -signal.SIGINT
        assert errors.endswith("KeyboardInterrupt\n")
        _assert_gone(helpers)


@pytest.mark.long
def test_sigterm_ends_the_worker(start):
    programs = [start("idle"), start("computing")]
    for program in programs:
        helpers = program.wait_until_worker_runs()
        program.process.terminate()
        assert program.finish() == (-signal.SIGTERM, "", "")
        _assert_gone(helpers)


def test_sigkill_ends_the_worker(start):
    programs = [start("idle with a forked child"), start("computing")]
    forked_helpers, computing_helpers = (program.wait_until_worker_runs() for program in programs)

    with_child, computing = programs
    child = psutil.Process(int(with_child.process.stdout.readline().split()[1]))
    with_child.process.kill()
    _assert_gone(forked_helpers)
    assert child.is_running()
    child.kill()
    assert with_child.finish() == (-signal.SIGKILL, "", "")

    computing.process.kill()
    assert computing.finish() == (-signal.SIGKILL, "", "")
    _assert_gone(computing_helpers)
