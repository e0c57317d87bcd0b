"""The supervisor with ordinary commands in the place of a worker."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tff_weights.runtime.worker import supervisor

_TIMEOUT_SECONDS = 10


@pytest.fixture
def supervise(tmp_path):
    """Starts supervisors whose log is the file `log`; ends them after the test."""
    started = []

    def start(*command: str) -> subprocess.Popen:
        with open(tmp_path / "log", "wb") as log:
            started.append(
                subprocess.Popen(
                    [sys.executable, "-I", "-S", supervisor.__file__, *command],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            )
        return started[-1]

    yield start
    for process in started:
        process.stdin.close()
        process.wait(_TIMEOUT_SECONDS)


def _child(process: subprocess.Popen) -> psutil.Process:
    for _ in range(_TIMEOUT_SECONDS * 100):
        children = psutil.Process(process.pid).children()
        if children and children[0].name() == "sleep":
            return children[0]
        time.sleep(0.01)
    raise AssertionError("The supervisor has started nothing.")


def _wait_for_the_end(worker: psutil.Process) -> None:
    """Until it is dead; who reaps it then, and when, is not the supervisor's affair."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    with contextlib.suppress(psutil.NoSuchProcess):
        while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 0", 0), ("exit 7", 7), ("kill -ABRT $$", 128 + signal.SIGABRT)],
)
def test_the_status_is_the_workers(supervise, command, status):
    assert supervise("sh", "-c", command).wait(_TIMEOUT_SECONDS) == status


def test_the_worker_is_killed_when_the_pipe_closes(supervise):
    process = supervise("sleep", "600")
    worker = _child(process)
    process.stdin.close()
    assert process.wait(_TIMEOUT_SECONDS) == 128 + signal.SIGKILL
    _wait_for_the_end(worker)


def test_the_worker_is_killed_when_the_supervisor_is_asked_to_end(supervise):
    process = supervise("sleep", "600")
    worker = _child(process)
    process.terminate()
    assert process.wait(_TIMEOUT_SECONDS) == 128 + signal.SIGTERM
    _wait_for_the_end(worker)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux offers this")
def test_the_worker_is_killed_when_the_supervisor_is_killed(supervise):
    process = supervise("sleep", "600")
    worker = _child(process)
    process.kill()
    _wait_for_the_end(worker)


def test_both_outputs_are_logged(supervise, tmp_path):
    supervise("sh", "-c", "echo out; echo err >&2").wait(_TIMEOUT_SECONDS)
    assert (tmp_path / "log").read_text() == "out\nerr\n"


def test_of_a_long_log_the_end_is_kept(supervise, tmp_path):
    # One mebibyte, four times the limit.
    loud = "import sys; [print('%015d' % line) for line in range(65536)]"
    supervise(sys.executable, "-c", loud).wait(_TIMEOUT_SECONDS)
    log = (tmp_path / "log").read_text()
    assert log.endswith("000000000065535\n")
    assert 128 * 1024 <= len(log) <= 256 * 1024
    assert "\0" not in log
