from __future__ import annotations

import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest

from tff_weights.runtime.program import interruption
from tff_weights.runtime.program.interruption import (
    CallThreads,
    InterruptedCallError,
    InterruptibleCall,
)

_TIMEOUT_SECONDS = 60  # Generous: what is tested is that something does not take for ever.


@pytest.fixture
def threads():
    threads = CallThreads()
    yield threads
    threads.close()


def _this_thread(_: InterruptibleCall) -> threading.Thread:
    return threading.current_thread()


def _interrupt_when(event: threading.Event) -> threading.Thread:
    def interrupt():
        event.wait(_TIMEOUT_SECONDS)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


def test_two_calls_at_once_have_two_threads_and_both_are_used_again(threads):
    def both():
        meet = threading.Barrier(2)

        def meet_on_thread(_):
            meet.wait(_TIMEOUT_SECONDS)
            return threading.current_thread()

        calls = [InterruptibleCall(meet_on_thread, threads) for _ in range(2)]
        return {call.result() for call in calls}

    first = both()
    assert len(first) == 2
    assert both() == first


def test_a_thread_that_waits_keeps_nothing_of_the_last_call(threads):
    class Value:
        pass

    value = Value()
    call = InterruptibleCall(lambda _, value=value: value, threads)
    assert call.result() is value
    reference = weakref.ref(value)
    del value, call
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while reference() is not None and time.monotonic() < deadline:
        gc.collect()
    assert reference() is None


def test_a_thread_that_computes_while_they_are_closed_ends_after_that():
    threads, may_end = CallThreads(), threading.Event()

    def wait(call):
        may_end.wait()
        return _this_thread(call)

    call = InterruptibleCall(wait, threads)
    idle = InterruptibleCall(_this_thread, threads).result()
    threads.close()
    may_end.set()
    for thread in (idle, call.result()):
        thread.join(_TIMEOUT_SECONDS)
        assert not thread.is_alive()


def test_an_interrupted_call_learns_of_it_and_is_counted_until_its_thread_ends(threads):
    started, interrupted, errors = threading.Event(), threading.Event(), []

    def compute(call):
        call.raise_if_given_up()
        started.set()
        interrupted.wait(_TIMEOUT_SECONDS)
        try:
            call.raise_if_given_up()
        except InterruptedCallError as error:
            errors.append(str(error))
            raise

    interrupter = _interrupt_when(started)
    call = InterruptibleCall(compute, threads)
    with pytest.raises(KeyboardInterrupt):
        call.result()
    interrupter.join()
    assert interruption.still_computing()
    assert not call.wait(0.01)
    interrupted.set()
    assert call.wait(_TIMEOUT_SECONDS)
    assert errors == ["the computation was interrupted"]
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while interruption.still_computing() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not interruption.still_computing()


def test_who_ends_what_calls_use_waits_for_them_but_not_for_ever(threads, monkeypatch):
    monkeypatch.setattr(interruption, "_PATIENCE_SECONDS", 0.01)
    assert interruption.wait_for_what_was_given_up() is None
    started, may_end = threading.Event(), threading.Event()

    def compute(_):
        started.set()
        may_end.wait(_TIMEOUT_SECONDS)

    interrupter = _interrupt_when(started)
    call = InterruptibleCall(compute, threads)
    with pytest.raises(KeyboardInterrupt):
        call.result()
    interrupter.join()
    assert interruption.wait_for_what_was_given_up() == 128 + signal.SIGINT
    monkeypatch.setattr(interruption, "_PATIENCE_SECONDS", _TIMEOUT_SECONDS)
    threading.Timer(0.1, may_end.set).start()
    assert interruption.wait_for_what_was_given_up() is None
    assert call.wait(0.0)


def test_a_call_that_ends_while_its_caller_is_interrupted_is_not_counted(threads, monkeypatch):
    call = InterruptibleCall(lambda _: None, threads)
    assert call.result() is None

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(call._has_ended, "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        call.result()
    assert not interruption.still_computing()


# The module is loaded by itself: it needs nothing that takes long to import.
_PROGRAM = """
import atexit, importlib.util, os, signal, sys, threading, time

patience_seconds, handler, takes_seconds = sys.argv[2:]
spec = importlib.util.spec_from_file_location("interruption", sys.argv[1])
interruption = sys.modules["interruption"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(interruption)
interruption._PATIENCE_SECONDS = float(patience_seconds)
if handler != "default":
    signal.signal(signal.SIGINT, lambda *_: sys.exit(eval(handler)))
ends = threading.Event()

@atexit.register  # Called before what the module has registered.
def end():
    sys.stdout.write("said")
    sys.stderr.write("told")
    ends.set()

def compute(call):
    os.kill(os.getpid(), signal.SIGINT)
    ends.wait()
    time.sleep(float(takes_seconds))

interruption.InterruptibleCall(compute, interruption.CallThreads()).result()
"""
_FOR_EVER = "100000"


def _run(patience_seconds, handler, takes_seconds):
    path = str(pathlib.Path(interruption.__file__))
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, path, str(patience_seconds), handler, takes_seconds],
        env={**os.environ, "PYTHONUNBUFFERED": ""},  # What is not flushed is to be lost.
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
    )


@pytest.mark.parametrize(
    ("handler", "status"),
    [
        ("default", 128 + signal.SIGINT),
        ("3", 3),
        ("None", 0),
        ("'a reason'", 1),
        ("1 / 0", 1),  # What a handler of an alarm raises, say.
    ],
)
def test_a_program_ends_in_the_middle_of_a_call_with_the_status_of_what_interrupted_it(
    handler, status
):
    ended = _run(0.1, handler, _FOR_EVER)
    assert ended.returncode == status
    assert ended.stdout == "said"
    assert ended.stderr.endswith("told")
    assert ("a reason" in ended.stderr) == (handler == "'a reason'")


def test_a_program_waits_a_little_for_an_interrupted_call_and_ends_as_python_does():
    ended = _run(_TIMEOUT_SECONDS, "default", "0.2")
    assert ended.returncode == -signal.SIGINT
    assert ended.stderr.endswith("KeyboardInterrupt\ntold")
