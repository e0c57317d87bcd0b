"""Where graphs run, and how XLA uses the processors."""

from __future__ import annotations

import functools
import os

import tensorflow as tf

from tff_weights.runtime.program.graphs import DeviceOf, Graph

_CPU, _GPU = "/device:CPU:0", "/device:GPU:0"
_XLA_FLAG = "xla_cpu_multi_thread_eigen"


def device_of(choice: str) -> DeviceOf:
    """Returns the function from a graph to the device it runs on.

    Args:
        choice: As `ProgramOptions.device`.

    Raises:
        ValueError: If a GPU is wanted and TensorFlow sees none.
    """
    if choice == "gpu" and not _sees_gpu():
        raise ValueError(
            "device must be auto or cpu: TensorFlow sees no GPU here. For one, install "
            "requirements-gpu.txt beside an NVIDIA driver."
        )

    sees_gpu = functools.cache(_sees_gpu)  # Read at the first graph: until then it may change.

    def device(graph: Graph) -> str | None:
        if not sees_gpu():
            return None  # TensorFlow need not choose.
        if choice == "auto":
            return _GPU if graph.reads_sequences and not graph.is_xla_program else _CPU
        return _GPU if choice == "gpu" else _CPU

    return device


def _sees_gpu() -> bool:
    # Unlike the list of logical devices, this one leaves TensorFlow's devices configurable.
    return bool(tf.config.get_visible_devices("GPU"))


def keep_xla_single_threaded() -> None:
    """Asks XLA to compute each operation on one thread, unless `XLA_FLAGS` sets it already.

    A small model's matrix products take less time than handing them to other threads, and clients
    already compute at the same time. So 12,000 steps of logistic regression with 60 features took
    24 ms instead of 36. XLA reads the variable once, at its first compilation in a process.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _XLA_FLAG not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} --{_XLA_FLAG}=false".lstrip()
