"""The flags that spread a run's clients over a Ray cluster, and change no result of it."""

from __future__ import annotations

import contextlib

from absl import flags

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


def chosen_runtime() -> contextlib.AbstractContextManager[None]:
    """Returns the context of a runtime on the cluster of the flags, if they name one.

    Raises:
        ConnectionError: If there is no cluster at the address.
        ValueError: If nothing answers there, the cluster is too small, or there is an address and
            no number of workers.
    """
    if _COHORT_WORKERS.value is None:
        if _RAY_ADDRESS.value is not None:
            raise ValueError("--ray_address says where --cohort_workers run: give both")
        return contextlib.nullcontext()
    return runtime.using(
        runtime.ClusterOptions(workers=_COHORT_WORKERS.value, address=_RAY_ADDRESS.value)
    )
