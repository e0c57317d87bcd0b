from __future__ import annotations

import os
import pathlib
import signal
import threading
import time

import numpy as np
import psutil
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from waiting import once_they_wait, wait_for_file

from tff_weights.runtime import WorkerError, WorkerOptions, local_worker
from tff_weights.runtime.worker import supervisor

_FEDERATED_INT = tff.FederatedType(np.int32, tff.CLIENTS)


@tff.federated_computation(_FEDERATED_INT)
def _total(values):
    return tff.federated_sum(values)


@tff.tensorflow.computation(np.str_)
def _die_unless_file(path):
    """Ends the worker, having made a file at `path`, if there is none."""

    def make_and_die():
        with tf.control_dependencies([tf.io.write_file(path, "")]):
            end = tf.raw_ops.Abort(error_msg="deliberate end")
        with tf.control_dependencies([end]):
            return tf.constant(0)

    present = tf.greater(tf.size(tf.io.matching_files(path)), 0)
    return tf.cond(present, lambda: tf.constant(42), make_and_die)


@tff.tensorflow.computation(np.int32)
def _die_always(value):
    with tf.control_dependencies([tf.raw_ops.Abort(error_msg="deliberate end")]):
        return tf.identity(value)


def _workers() -> set[psutil.Process]:
    """The workers that belong to this process."""
    return {
        worker
        for child in psutil.Process().children()
        if supervisor.__file__ in child.cmdline()
        for worker in child.children()
    }


@pytest.fixture
def worker():
    """The worker of the contexts in these tests; it has computed something."""
    others = _workers()
    with local_worker():
        assert _total([1, 2, 3]) == 6
        (worker,) = _workers() - others
        yield worker


def _kill(process: psutil.Process) -> None:
    process.kill()
    process.wait(5)


def test_computations_share_one_worker(worker):
    before = _workers()
    assert _total([1, 2]) == 3
    assert _total([1, 2, 3, 4]) == 10
    assert _workers() == before


def test_the_worker_starts_at_the_first_computation():
    before = _workers()
    with local_worker():
        assert _workers() == before
        start = time.monotonic()
        _total([1])
        assert time.monotonic() - start < 10
        assert len(_workers()) == len(before) + 1
    assert _workers() == before


def test_a_worker_that_died_while_idle_is_replaced(worker):
    _kill(worker)
    assert _total([1, 2, 3]) == 6
    # As many clients as before the death, and others: no executor of the dead worker is used.
    assert _total([1, 2]) == 3


def test_a_computation_whose_worker_dies_once_is_tried_again(worker, tmp_path, caplog):
    assert _die_unless_file(str(tmp_path / "file")) == 42
    assert not worker.is_running()
    assert "Trying once more on a new worker" in caplog.text
    assert "deliberate end" in caplog.text


def test_a_computation_whose_worker_is_killed_is_tried_again(worker, tmp_path):
    file: pathlib.Path = tmp_path / "file"

    def kill_then_allow():
        _kill(worker)
        file.touch()

    killer = once_they_wait(tmp_path, kill_then_allow)
    wait_for_file(str(file))
    killer.join()
    assert not worker.is_running()


def test_threads_share_the_worker_and_all_survive_its_death(worker):
    context = tff.framework.get_context_stack().current
    totals = []

    def compute():
        tff.framework.set_default_context(context)  # TFF has one default per thread.
        totals.extend(_total([1] * clients) for clients in range(1, 30))

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    _kill(worker)
    for thread in threads:
        thread.join(60)
    assert sorted(totals) == sorted(list(range(1, 30)) * 4)


@pytest.mark.usefixtures("worker")
def test_a_computation_that_always_ends_its_worker_is_an_error():
    with pytest.raises(WorkerError, match="(?s)failed twice.*deliberate end"):
        _die_always(0)
    assert _total([1, 2, 3]) == 6


def test_an_interrupt_stops_the_worker_and_the_next_computation_runs(worker, tmp_path):
    interrupter = once_they_wait(tmp_path, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        wait_for_file(str(tmp_path / "never"))
    interrupter.join()
    assert not worker.is_running()
    assert _total([1, 2, 3]) == 6


@pytest.mark.usefixtures("worker")
def test_an_error_of_the_computation_is_not_the_workers():
    @tff.tensorflow.computation(np.int32)
    def divide(value):
        return tf.math.floordiv(1, value)

    before = _workers()
    with pytest.raises(Exception, match="(?i)division by zero"):
        divide(0)
    assert _workers() == before


@pytest.mark.long  # A fork of a threaded process may crash the whole test worker.
@pytest.mark.usefixtures("worker")
def test_a_forked_child_is_told_to_spawn(tmp_path):
    answer = tmp_path / "answer"
    child = os.fork()
    if child == 0:
        try:
            _total([1])
        except WorkerError as error:
            answer.write_text(str(error))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert "spawn" in answer.read_text()
    assert _total([1, 2, 3]) == 6


def test_secure_sums_are_simulated_only_when_asked_for():
    @tff.federated_computation(_FEDERATED_INT)
    def secure_total(values):
        return tff.federated_secure_sum_bitwidth(values, 8)

    with local_worker(WorkerOptions(simulate_secure_aggregation=True)):
        assert secure_total([1, 2, 3]) == 6
    with (
        local_worker(),
        pytest.raises(ValueError, match=r"federated_secure_sum_bitwidth.*WorkerOptions"),
    ):
        secure_total([1, 2, 3])


def test_the_workers_heaps_are_as_few_as_processors_unless_the_user_says_otherwise(monkeypatch):
    for chosen, expected in ((None, str(os.cpu_count())), ("7", "7")):
        if chosen is None:
            monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
        else:
            monkeypatch.setenv("MALLOC_ARENA_MAX", chosen)
        others = _workers()
        with local_worker():
            _total([1])
            (worker,) = _workers() - others
            assert worker.environ()["MALLOC_ARENA_MAX"] == expected


def test_calls_at_a_time_can_be_limited():
    with local_worker(WorkerOptions(max_concurrent_computation_calls=1)):
        assert _total(list(range(10))) == 45


def test_a_worker_that_is_too_slow_is_an_error(monkeypatch):
    # On a busy machine it may be ready before it is asked for the first time.
    monkeypatch.setattr(tff.framework.RemoteExecutorGrpcStub, "is_ready", False)
    options = WorkerOptions(startup_timeout_seconds=1e-9)
    with local_worker(options), pytest.raises(WorkerError, match="startup_timeout_seconds"):
        _total([1])
