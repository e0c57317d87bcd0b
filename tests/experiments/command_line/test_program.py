from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "fault",
    [
        "allocate(2**50)",
        pytest.param("(_ for _ in ()).throw(MemoryError())", marks=pytest.mark.long),
    ],
    ids=["tensor", "python"],
)
def test_a_lack_of_memory_is_a_sentence_and_status_1(run_python, fault):
    program = f"""
import numpy as np, tensorflow as tf, tensorflow_federated as tff
from experiments import command_line

@tff.tensorflow.computation(np.int64)
def allocate(size):
    return tf.reduce_sum(tf.random.stateless_uniform([size], [0, size]))

command_line.run(lambda: {fault})
"""
    ended = run_python(program)
    assert ended.status == 1
    last_line = ended.errors.splitlines()[-1]
    assert "Out of memory: " in last_line and "--resume" in last_line
    assert "Traceback" not in ended.errors
