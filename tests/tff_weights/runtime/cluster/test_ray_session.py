from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import psutil
import pytest

from tff_weights.runtime.cluster.ray_session import RaySession, check_ray_address
from tff_weights.runtime.program import interruption
from tff_weights.runtime.program.interruption import CallThreads, InterruptibleCall

_REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
_TIMEOUT_SECONDS = 240  # Generous: what is tested is that it does not take for ever.


def test_an_address_must_answer():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ValueError, match=f"nothing answers at '{address}'"):
            check_ray_address(address)
        server.listen()
        check_ray_address(address)
        check_ray_address(f"ray://{address}")
    check_ray_address("auto")
    with pytest.raises(ValueError, match="nothing answers at"):
        check_ray_address("head:port")


def test_a_cluster_of_its_own_listens_on_the_loopback_alone(ray_session):
    """Whoever reaches one of its ports runs what he likes as this user: nobody from elsewhere."""
    del ray_session
    listening = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # Ray starts some that end at once.
            listening += [
                connection.laddr
                for connection in process.net_connections("inet")
                if connection.status == psutil.CONN_LISTEN
            ]
    assert listening
    assert {address.ip for address in listening} <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


def test_a_session_is_closed_between_two_calls_of_ray(ray_session):
    del ray_session
    session, ends = RaySession(address=None, num_cpus=1), []
    closer = threading.Thread(target=lambda: (session.close(), ends.append("session")))
    with session.calling():
        closer.start()
        closer.join(0.2)
        ends.append("call")
    closer.join(_TIMEOUT_SECONDS)
    assert ends == ["call", "session"]


def test_a_session_is_closed_after_the_end_of_an_interrupted_call(ray_session, monkeypatch):
    """Which holds references to what Ray keeps for it."""
    del ray_session
    monkeypatch.setattr(interruption, "_PATIENCE_SECONDS", _TIMEOUT_SECONDS)
    session = RaySession(address=None, num_cpus=1)
    threads, may_end = CallThreads(), threading.Event()

    def compute(_):
        os.kill(os.getpid(), signal.SIGINT)
        may_end.wait(_TIMEOUT_SECONDS)

    call = InterruptibleCall(compute, threads)
    with pytest.raises(KeyboardInterrupt):
        call.result()
    threading.Timer(0.1, may_end.set).start()
    session.close()
    assert call.wait(0.0)
    threads.close()


# Leaves the session's end to the program's.
_PROGRAM = """
import sys
from tff_weights.runtime.cluster.ray_session import RaySession

try:
    session = RaySession(address=None, num_cpus=1)
    print("started", flush=True)
    sys.stdin.read()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(130)
"""
# Its computation calls Ray whenever it is interrupted.
_COMPUTING_PROGRAM = """
import sys
import ray
from tff_weights.runtime.cluster.ray_session import RaySession
from tff_weights.runtime.program.interruption import CallThreads, InterruptibleCall

session = RaySession(address=None, num_cpus=1)

@ray.remote
class Host:
    def do(self):
        pass

def compute(_):
    host = Host.remote()
    print("started", flush=True)
    while True:
        with session.calling():
            host.do.remote()

try:
    InterruptibleCall(compute, CallThreads()).result()
except KeyboardInterrupt:
    sys.exit(130)
"""


def _start(program):
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _has_daemon(program):
    with contextlib.suppress(psutil.NoSuchProcess):
        children = psutil.Process(program.pid).children(recursive=True)
        return any("gcs_server" in child.name() for child in children)
    return False


@pytest.mark.parametrize(
    ("number", "seconds", "status"),
    [
        (signal.SIGINT, 0.0, 130),
        pytest.param(signal.SIGINT, 2.0, 130, marks=pytest.mark.long),
        (signal.SIGTERM, 0.0, -signal.SIGTERM),
        pytest.param(signal.SIGTERM, 1.5, -signal.SIGTERM, marks=pytest.mark.long),
    ],
)
def test_a_program_that_is_ended_while_ray_starts_ends_as_others_do(number, seconds, status):
    """Ray would crash at Ctrl-C, and answer SIGTERM by a stack, status 15 or an abort."""
    program = _start(_PROGRAM)
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while program.poll() is None and not _has_daemon(program):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(seconds)  # Whatever Ray does by then.
    program.send_signal(number)
    output, errors = program.communicate(timeout=_TIMEOUT_SECONDS)
    assert program.returncode == status, errors
    assert "SIGTERM" not in errors and "Traceback" not in errors
    assert ("interrupted\n" in output) == (number == signal.SIGINT)


def test_a_program_that_is_interrupted_while_a_thread_of_its_calls_ray_ends_as_others_do():
    """Ray would end it with status 1, at the thread's next call after Ray's end."""
    program = _start(_COMPUTING_PROGRAM)
    assert program.stdout.readline() == "started\n"
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=_TIMEOUT_SECONDS)
    assert program.returncode == 130, errors
    assert "Traceback" not in errors
