from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import signal
import threading
import time

import grpc
import numpy as np
import psutil
import pytest
import tensorflow as tf
import tensorflow_federated as tff
from tensorflow.python.eager import context as eager_context
from waiting import TIMEOUT_SECONDS, announce_and_wait, once_they_wait, wait_for_file, waited_for

from tff_weights import runtime
from tff_weights.runtime.program import interpreter, interruption

_FEDERATED_INT = tff.FederatedType(np.int32, tff.CLIENTS)


@tff.federated_computation(_FEDERATED_INT)
def _total(values):
    return tff.federated_sum(values)


@contextlib.contextmanager
def _interrupted_once_they_wait(folder, computations):
    interrupter = once_they_wait(
        folder, lambda: os.kill(os.getpid(), signal.SIGINT), computations=computations
    )
    with pytest.raises(KeyboardInterrupt):
        yield
    interrupter.join()


def _let_end(folder):
    """Lets the computations end that wait for files of the folder."""
    for path in waited_for(folder):
        path.touch()
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while interruption.still_computing() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not interruption.still_computing()


def test_a_wrong_argument_is_an_error_and_the_next_call_runs():
    with pytest.raises(TypeError):
        _total([1.5])
    with pytest.raises(TypeError):
        _total(3)
    assert _total([3]) == 3


def test_an_operation_that_fails_ends_one_call_with_an_error_of_tensorflow_and_of_grpc():
    @tff.tensorflow.computation(tff.SequenceType(np.int32))
    def divide(numbers):
        return numbers.reduce(0, lambda state, number: state + tf.math.floordiv(6, number))

    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero") as raised:
        divide([1, 0])
    for error in (raised.value, pickle.loads(pickle.dumps(raised.value))):
        assert isinstance(error, grpc.RpcError) and isinstance(error, tf.errors.OpError)
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT and "by zero" in error.details()
    assert divide([1, 2]) == 9


def test_threads_compute_at_the_same_time():
    context = tff.framework.get_context_stack().current
    totals = []

    def compute():
        tff.framework.set_default_context(context)  # TFF has one default per thread.
        totals.extend(_total([1] * clients) for clients in range(1, 30))

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(totals) == sorted(list(range(1, 30)) * 4)


def test_an_interrupt_ends_the_waiting_and_the_next_computation_runs(tmp_path):
    with _interrupted_once_they_wait(tmp_path, 1):
        wait_for_file(str(tmp_path / "file"))
    assert _total([1, 2, 3]) == 6
    _let_end(tmp_path)


def test_the_clients_that_are_left_do_not_start_after_an_interrupt(tmp_path):
    """Two clients of six wait for a file each; the others would as well."""

    @tff.tensorflow.computation(tff.SequenceType(np.str_))
    def work(paths):
        return paths.reduce(tf.constant(0), lambda state, path: state + announce_and_wait(path))

    @tff.federated_computation(tff.FederatedType(work.type_signature.parameter, tff.CLIENTS))
    def work_everywhere(paths):
        return tff.federated_map(work, paths)

    cohort = [
        tf.data.Dataset.from_tensors(tf.constant(str(tmp_path / f"client_{n}"))) for n in range(6)
    ]
    with (
        runtime.using(runtime.ProgramOptions(client_threads=2)),
        _interrupted_once_they_wait(tmp_path, 2),
    ):
        work_everywhere(cohort)
    # Closed, the runtime has not waited for them.
    _let_end(tmp_path)
    assert len(waited_for(tmp_path)) == 2


def test_a_closed_runtime_says_what_to_do(monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    with runtime.using():
        context = tff.framework.get_context_stack().current
        assert os.environ["XLA_FLAGS"] == "--xla_cpu_multi_thread_eigen=false"
        assert _total([1]) == 1
    with pytest.raises(RuntimeError, match=r"runtime\.use\(\)"):
        context.invoke(_total, [1])


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())
    with runtime.using(runtime.ProgramOptions(client_threads=3)):
        # Kept: with it the threads would end as well, but only some time later.
        context = tff.framework.get_context_stack().current

        @tff.tensorflow.computation(tff.SequenceType(np.int64))
        def count(numbers):
            return numbers.reduce(np.int64(0), lambda x, _: x + 1)

        @tff.federated_computation(tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS))
        def total(clients):
            return tff.federated_sum(tff.federated_map(count, clients))

        assert total([tf.data.Dataset.range(n) for n in range(5)]) == 10
        assert set(threading.enumerate()) - before
    assert set(threading.enumerate()) <= before
    del context


def test_a_computation_that_is_gone_leaves_no_memory():
    """Three computations that return 10 MB of constants leave less than 25 MB each.

    TensorFlow keeps such constants five times.
    """

    def compute():
        constants = np.ones(2_500_000, np.float32)

        @tff.tensorflow.computation
        def constant():
            return tf.constant(constants)

        assert np.array_equal(constant(), constants)

    def memory_bytes():
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # What is free already goes back to the system.
        return psutil.Process().memory_info().rss

    compute()
    before = memory_bytes()
    for _ in range(3):
        compute()
    assert memory_bytes() - before < 75e6


def test_a_computation_that_is_gone_leaves_no_function():
    """Those with which TensorFlow calls its own operations stay; they are the same for all."""

    def left():
        gc.collect()
        names = map(tf.compat.as_str, eager_context.context().list_function_names())
        return {name for name in names if not name.startswith("__wrapped__")}

    def compute():
        @tff.tensorflow.computation(tff.SequenceType(np.int64))
        def total(numbers):
            doubled = numbers.map(tf.function(lambda number: 2 * number))
            return doubled.reduce(np.int64(0), lambda state, number: state + number)

        @tff.federated_computation(tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS))
        def total_of_all(clients):
            return tff.federated_sum(tff.federated_map(total, clients))

        assert total_of_all([tf.data.Dataset.range(3)] * 3) == 18

    before = left()
    compute()
    assert left() == before


def test_the_number_of_clients_where_no_argument_says_it():
    @tff.federated_computation
    def total():
        return tff.federated_sum(tff.federated_value(1, tff.CLIENTS))

    assert total() == 0
    with runtime.using(runtime.ProgramOptions(default_num_clients=3)):
        assert total() == 3
        assert _total([1]) == 1


def test_secure_sums_are_simulated_only_when_asked_for():
    @tff.federated_computation(_FEDERATED_INT)
    def secure_total(values):
        return tff.federated_secure_sum_bitwidth(values, 8)

    with runtime.using(runtime.ProgramOptions(simulate_secure_aggregation=True)):
        assert secure_total([1, 2, 3]) == 6
    with pytest.raises(ValueError, match="simulate_secure_aggregation=True"):
        secure_total([1, 2, 3])


def test_what_is_not_interpreted_is_refused(monkeypatch):
    monkeypatch.setattr(interpreter, "INTRINSICS", {})

    @tff.federated_computation(_FEDERATED_INT)
    def total(values):
        return tff.federated_sum(values)

    with pytest.raises(runtime.UnsupportedComputationError, match="federated_.*set_sync_local_cpp"):
        total([1, 2, 3])


def test_functions_are_neither_taken_nor_given():
    @tff.tensorflow.computation(np.int32)
    def increment(x):
        return x + 1

    @tff.federated_computation
    def give():
        return (1, increment)

    @tff.federated_computation(tff.FunctionType(np.int32, np.int32))
    def take(function):
        return function(1)

    for call in (give, lambda: take(increment)):
        with pytest.raises(runtime.UnsupportedComputationError, match="function"):
            call()


@pytest.mark.long  # A fork of a threaded process may crash the whole test worker.
def test_a_forked_child_is_told_to_spawn(tmp_path):
    answer = tmp_path / "answer"
    _total([1])
    child = os.fork()
    if child == 0:
        try:
            _total([1])
        except RuntimeError as error:
            answer.write_text(str(error))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert "spawn" in answer.read_text()
