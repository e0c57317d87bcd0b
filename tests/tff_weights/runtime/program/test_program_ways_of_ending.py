"""However a program ends, it ends: nothing TensorFlow still computes holds it up."""

from __future__ import annotations

import shlex
import signal
import sys
import time

import psutil
import pytest

_START_TIMEOUT_SECONDS = 240
_EXIT_TIMEOUT_SECONDS = 60  # Generous: what is tested is that it does not take for ever.

# Runs a computation, says so on standard output, and goes on as its argument tells it.
_PROGRAM = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from tff_weights import runtime

@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
def total(values):
    return tff.federated_sum(values)

def compute_for_ever(compiled):
    @tff.tensorflow.computation(tff.SequenceType(np.str_))
    def work(folders):
        folder = folders.reduce("", lambda _, folder: folder)
        with tf.control_dependencies([tf.io.write_file(folder + "/computing", "")]):
            start = tf.identity(tf.strings.length(folder))
        def loop(start):
            return tf.while_loop(lambda i: i > 0, lambda i: 1 + i % 7, [start])[0]
        return tf.function(loop, jit_compile=compiled)(start)

    @tff.federated_computation(tff.FederatedType(work.type_signature.parameter, tff.CLIENTS))
    def work_everywhere(folders):
        return tff.federated_map(work, folders)

    folder = tf.data.Dataset.from_tensors(tf.constant(sys.argv[2]))
    return work_everywhere([folder] * 5)

runtime.use()
print("total", total([1, 2, 3]), flush=True)
ending = sys.argv[1]
if ending == "exception":
    raise ValueError("deliberate")
compute_for_ever(compiled=ending == "compiled")
"""


@pytest.fixture
def start_computing(start_command, tmp_path):
    """Starts a program, and returns it as soon as its clients compute."""

    def start(ending):
        program = start_command(sys.executable, "-c", _PROGRAM, ending, str(tmp_path))
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while not (tmp_path / "computing").exists():
            assert program.running and time.monotonic() < deadline
            time.sleep(0.01)
        return program

    return start


def test_an_exception_ends_a_pipe_after_the_program_and_keeps_its_status(start_command):
    program = shlex.join([sys.executable, "-c", _PROGRAM, "exception"])
    ended = start_command("/bin/bash", "-c", f"set -o pipefail; {program} | tail -n 1").finish()
    assert (ended.status, ended.output) == (1, "total 6\n")
    assert ended.errors.endswith("ValueError: deliberate\n")


@pytest.mark.parametrize("kind", [pytest.param("uncompiled", marks=pytest.mark.long), "compiled"])
def test_ctrl_c_ends_a_program_whose_clients_compute(start_computing, kind):
    program = start_computing(kind)
    program.signal(signal.SIGINT, whole_group=True)
    ended = program.finish(timeout_seconds=_EXIT_TIMEOUT_SECONDS)
    assert (ended.status, ended.output) == (128 + signal.SIGINT, "total 6\n")
    assert ended.errors.endswith("KeyboardInterrupt\n")


def test_a_program_that_computes_has_no_port_and_no_other_process_and_ends_by_sigterm(
    start_computing,
):
    program = start_computing("uncompiled")
    (process,) = program.processes()
    assert [c for c in process.net_connections() if c.status == psutil.CONN_LISTEN] == []
    program.signal(signal.SIGTERM)
    ended = program.finish(timeout_seconds=_EXIT_TIMEOUT_SECONDS)
    assert (ended.status, ended.output, ended.errors) == (-signal.SIGTERM, "total 6\n", "")
