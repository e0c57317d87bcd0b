"""However a program ends, it ends: nothing TensorFlow still computes holds it up."""

from __future__ import annotations

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

import psutil
import pytest

_REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
_START_TIMEOUT_SECONDS = 240
_EXIT_TIMEOUT_SECONDS = 60  # Generous: what is tested is that it does not take for ever.

# Runs a computation, says so on standard output, and goes on as its argument tells it.
_PROGRAM = """
import sys
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

_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(_REPOSITORY), "TF_CPP_MIN_LOG_LEVEL": "3"}


@pytest.fixture
def start(tmp_path):
    """Starts a program; it is not left after the test."""
    programs = []

    def start_program(ending: str) -> subprocess.Popen:
        program = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, ending, str(tmp_path)],
            cwd=tmp_path,
            env=_ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        programs.append(program)
        return program

    yield start_program
    for program in programs:
        program.kill()
        program.communicate()


def _wait_until_it_computes(program: subprocess.Popen, folder: pathlib.Path) -> None:
    assert program.stdout.readline() == "total 6\n", program.stderr.read()
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while not (folder / "computing").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_exception_ends_a_pipe_after_the_program_and_keeps_its_status():
    program = shlex.join([sys.executable, "-c", _PROGRAM, "exception"])
    result = subprocess.run(
        f"set -o pipefail; {program} | tail -n 1",
        shell=True,
        executable="/bin/bash",
        env=_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_START_TIMEOUT_SECONDS,
    )
    assert (result.returncode, result.stdout) == (1, "total 6\n")
    assert result.stderr.endswith("ValueError: deliberate\n")


@pytest.mark.parametrize("kind", [pytest.param("uncompiled", marks=pytest.mark.long), "compiled"])
def test_ctrl_c_ends_a_program_whose_clients_compute(start, tmp_path, kind):
    program = start(kind)
    _wait_until_it_computes(program, tmp_path)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=_EXIT_TIMEOUT_SECONDS)
    assert program.returncode == 128 + signal.SIGINT
    assert errors.endswith("KeyboardInterrupt\n")


def test_a_program_that_computes_has_no_port_and_no_other_process_and_ends_by_sigterm(
    start, tmp_path
):
    program = start("uncompiled")
    _wait_until_it_computes(program, tmp_path)
    process = psutil.Process(program.pid)
    assert process.children(recursive=True) == []
    assert [c for c in process.net_connections() if c.status == psutil.CONN_LISTEN] == []
    program.terminate()
    output, errors = program.communicate(timeout=_EXIT_TIMEOUT_SECONDS)
    assert (program.returncode, output, errors) == (-signal.SIGTERM, "", "")
