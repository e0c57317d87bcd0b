from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import tensorflow as tf

from tff_weights.runtime.program import devices

_TRAINS, _SMALL, _SUMS = (
    SimpleNamespace(reads_sequences=True, is_xla_program=False),
    SimpleNamespace(reads_sequences=True, is_xla_program=True),
    SimpleNamespace(reads_sequences=False, is_xla_program=False),
)


@pytest.mark.parametrize(
    ("choice", "on_gpu"),
    [("auto", (True, False, False)), ("gpu", (True, True, True)), ("cpu", (False, False, False))],
)
def test_what_a_gpu_is_given(monkeypatch, choice, on_gpu):
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: [f"one {kind}"])
    chosen = [devices.device_of(choice)(graph) for graph in (_TRAINS, _SMALL, _SUMS)]
    assert [device == "/device:GPU:0" for device in chosen] == list(on_gpu)


def test_without_a_gpu_nothing_is_placed(monkeypatch):
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: [])
    assert devices.device_of("auto")(_TRAINS) is None
    with pytest.raises(ValueError, match="sees no GPU"):
        devices.device_of("gpu")


def test_devices_can_be_configured_until_the_first_computation():
    """Two logical CPUs, one thread and no GPU, all set after `runtime.use()`."""
    program = """
import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from tff_weights import runtime

runtime.use()
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.set_visible_devices([], "GPU")
print(tff.tensorflow.computation(lambda x: x + 1, np.int32)(1))
print(len(tf.config.list_logical_devices("CPU")))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.stdout.split() == ["2", "2"], ended.stderr


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, "--xla_cpu_multi_thread_eigen=false"),
        ("--xla_a=b", "--xla_a=b --xla_cpu_multi_thread_eigen=false"),
        ("--xla_cpu_multi_thread_eigen=true", "--xla_cpu_multi_thread_eigen=true"),
    ],
)
def test_the_users_own_flags_are_kept(monkeypatch, given, expected):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    if given is not None:
        monkeypatch.setenv("XLA_FLAGS", given)
    for _ in range(2):
        devices.keep_xla_single_threaded()
        assert os.environ["XLA_FLAGS"] == expected
