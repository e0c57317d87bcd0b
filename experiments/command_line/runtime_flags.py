"""The flags that say where computations run; they change no result, and are written nowhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from absl import flags

if TYPE_CHECKING:
    from tff_weights import runtime

_RUNTIME = flags.DEFINE_enum(
    "runtime",
    "program",
    ["program", "worker"],
    "Where TFF's computations run: inside this program, or on TFF's own worker process, which has "
    "no XLA and listens on every network interface.",
)
_DEVICE = flags.DEFINE_string(
    "device",
    "auto",
    "What trains, with --runtime=program: cpu, gpu or auto, which gives a GPU, if there is one, "
    "everything but small models.",
)


def runtime_options(*, runs_at_once: int = 1) -> runtime.RuntimeOptions:
    """Returns the runtime that the flags describe.

    Args:
        runs_at_once: How many runs share this machine's processors.

    Raises:
        ValueError: If --device is given and not used.
    """
    from tff_weights import runtime  # Deferred: it takes seconds.

    if _RUNTIME.value == "program":
        client_threads = max(1, (os.cpu_count() or 1) // runs_at_once)
        return runtime.ProgramOptions(device=_DEVICE.value, client_threads=client_threads)
    if _DEVICE.present:
        raise ValueError("--device is used by --runtime=program only")
    return runtime.WorkerOptions()
