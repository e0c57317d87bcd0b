"""The supervisor with ordinary commands in the place of a worker."""

from __future__ import annotations

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
    assert not worker.is_running()


def test_the_worker_is_killed_when_the_supervisor_is_asked_to_end(supervise, tmp_path):
    process = supervise("sh", "-c", "echo started; exec sleep 600")
    worker = _child(process)
    # Before it copies output it is still starting the worker, and leaves its end to Linux.
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not (tmp_path / "log").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.terminate()
    assert process.wait(_TIMEOUT_SECONDS) == 128 + signal.SIGTERM
    assert not worker.is_running()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux offers this")
def test_the_worker_is_killed_when_the_supervisor_is_killed(supervise):
    process = supervise("sleep", "600")
    worker = _child(process)
    process.kill()
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)


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
