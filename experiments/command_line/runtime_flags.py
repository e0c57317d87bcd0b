"""The flag that says where computations run; it changes no result, and is written nowhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from absl import flags

if TYPE_CHECKING:
    from tff_weights import runtime

_DEVICE = flags.DEFINE_string(
    "device",
    "auto",
    "What trains: cpu, gpu or auto, which gives a GPU, if there is one, everything but small "
    "models.",
)


def runtime_options(*, runs_at_once: int = 1) -> runtime.ProgramOptions:
    """Returns the runtime that the flag describes, where runs share this machine's processors.

    Raises:
        ValueError: If --device is none of its devices.
    """
    from tff_weights import runtime  # Deferred: it takes seconds.

    client_threads = max(1, (os.cpu_count() or 1) // runs_at_once)
    return runtime.ProgramOptions(device=_DEVICE.value, client_threads=client_threads)
