"""What can be chosen about a worker."""

from __future__ import annotations

import dataclasses
import math
import os


@dataclasses.dataclass(frozen=True)
class WorkerOptions:
    """The options of a local worker.

    Attributes:
        max_concurrent_computation_calls: How many calls of one computation, for example the clients
            of one cohort, the worker runs at a time; -1 sets no limit. By default twice the number
            of processors: more were not faster, for logistic regression as for a convolutional
            network, and each keeps a session of its own in memory.
        startup_timeout_seconds: How long a worker may take until it answers.
        simulate_secure_aggregation: Whether TFF's secure sums are computed in the clear, as
            `tff.backends.test` does. The native runtime refuses them otherwise.

    Raises:
        TypeError: If an option has the wrong type.
        ValueError: If an option has a value that is not allowed.
    """

    max_concurrent_computation_calls: int = 2 * (os.cpu_count() or 1)
    startup_timeout_seconds: float = 60.0
    simulate_secure_aggregation: bool = False

    def __post_init__(self) -> None:
        """Checks the options."""
        calls = self.max_concurrent_computation_calls
        if isinstance(calls, bool) or not isinstance(calls, int):
            raise TypeError(
                f"max_concurrent_computation_calls must be an integer, but is {calls!r}."
            )
        if calls != -1 and calls < 1:
            raise ValueError(
                "max_concurrent_computation_calls must be at least 1, or -1 for no limit, "
                f"but is {calls!r}."
            )
        seconds = self.startup_timeout_seconds
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise TypeError(f"startup_timeout_seconds must be a number, but is {seconds!r}.")
        if not (math.isfinite(seconds) and seconds > 0):
            raise ValueError(
                f"startup_timeout_seconds must be positive and finite, but is {seconds!r}."
            )
        if not isinstance(self.simulate_secure_aggregation, bool):
            raise TypeError(
                "simulate_secure_aggregation must be True or False, but is "
                f"{self.simulate_secure_aggregation!r}."
            )
