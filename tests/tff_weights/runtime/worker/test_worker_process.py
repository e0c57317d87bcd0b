from __future__ import annotations

import os
import pathlib
import signal
import socket

import psutil
import pytest
import tensorflow_federated as tff

from tff_weights.runtime import WorkerError, WorkerOptions
from tff_weights.runtime.worker.process import WorkerProcess, _reserve_port

_BINARY = pathlib.Path(tff.__file__).parent / "data" / "worker_binary"


@pytest.fixture
def process():
    process = WorkerProcess(binary=_BINARY, options=WorkerOptions())
    yield process
    process.stop()


def _wait_for_worker(process: WorkerProcess) -> psutil.Process:
    """Returns the worker itself once it listens."""
    while process.alive:
        try:
            socket.create_connection(("127.0.0.1", process.port), timeout=1).close()
            break
        except OSError:
            continue
    (worker,) = psutil.Process(process.supervisor_pid).children()
    return worker


def test_the_worker_has_a_session_and_files_of_its_own(process, tmp_path):
    with open(tmp_path / "held", "w") as held:
        os.set_inheritable(held.fileno(), True)
        worker = _wait_for_worker(process)
        assert os.getsid(worker.pid) == process.supervisor_pid != os.getsid(0)
        assert worker.open_files() == []


def test_stop_ends_worker_and_supervisor_and_can_be_repeated(process):
    worker = _wait_for_worker(process)
    process.stop()
    process.stop()
    assert not process.alive
    assert not worker.is_running()
    assert not psutil.pid_exists(process.supervisor_pid)


def test_stop_ends_the_worker_of_a_supervisor_that_was_killed(process):
    worker = _wait_for_worker(process)
    os.kill(process.supervisor_pid, signal.SIGKILL)
    assert process.wait(timeout_seconds=5)
    assert "supervisor was ended by signal 9" in process.describe()
    process.stop()
    psutil.wait_procs([worker], timeout=5)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(signal.SIGKILL, "runs out of memory"), (signal.SIGABRT, "ended by signal 6")],
)
def test_an_unexpected_end_is_described(process, number, sentence):
    _wait_for_worker(process).send_signal(number)
    assert process.wait(timeout_seconds=5)
    assert sentence in process.describe()


def test_the_messages_of_a_worker_that_refuses_to_start_are_told(tmp_path):
    binary = tmp_path / "worker_binary"
    binary.write_text("#!/bin/sh\necho no such instruction >&2\nexit 4\n")
    binary.chmod(0o755)
    process = WorkerProcess(binary=binary, options=WorkerOptions())
    assert process.wait(timeout_seconds=5)
    assert "exit status 4" in process.describe()
    assert "no such instruction" in process.describe()
    process.stop()


def test_an_absent_binary_is_named(tmp_path):
    with pytest.raises(WorkerError, match="absent"):
        WorkerProcess(binary=tmp_path / "absent", options=WorkerOptions())


def test_ports_are_given_once():
    reservations = [_reserve_port() for _ in range(500)]
    try:
        ports = {reservation.getsockname()[1] for reservation in reservations}
    finally:
        for reservation in reservations:
            reservation.close()
    assert len(ports) == 500


def test_nobody_else_can_take_the_workers_port(process):
    _wait_for_worker(process)
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "")):
        with socket.socket(family) as other, pytest.raises(OSError):
            other.bind((host, process.port))
