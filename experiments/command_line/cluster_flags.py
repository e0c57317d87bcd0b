"""The flags that spread a run's clients over a Ray cluster, and change no result of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from absl import flags

from experiments.command_line import runtime_flags

if TYPE_CHECKING:
    from tff_weights import runtime

_COHORT_WORKERS = flags.DEFINE_integer(
    "cohort_workers",
    None,
    "Over how many Ray actors the clients are spread, each a process with a processor of its own; "
    "by default they train in this program.",
    lower_bound=1,
)
_RAY_ADDRESS = flags.DEFINE_string(
    "ray_address",
    None,
    "The Ray cluster, HOST:PORT, whose machines run --cohort_workers; this machine by default. "
    "They must have this software, and SCAFFOLD needs --output_dir shared among them.",
)
flags.adopt_module_key_flags(runtime_flags)


def runtime_options() -> runtime.RuntimeOptions:
    """Returns the runtime of these flags and of those of `runtime_flags`.

    Raises:
        ValueError: If there is an address and no number of workers, or a flag is not used.
    """
    from tff_weights import runtime  # Deferred: it takes seconds.

    options = runtime_flags.runtime_options()
    if _COHORT_WORKERS.value is None:
        if _RAY_ADDRESS.value is not None:
            raise ValueError("--ray_address says where --cohort_workers run: give both")
        return options
    # A GPU is an actor's own: it is not taken without being asked for.
    device = "cpu" if options.device == "auto" else options.device
    return runtime.ClusterOptions(
        workers=_COHORT_WORKERS.value,
        address=_RAY_ADDRESS.value,
        program=dataclasses.replace(options, device=device, client_threads=1),
    )
