"""What can be chosen about spreading a cohort over a Ray cluster."""

from __future__ import annotations

import dataclasses

from tff_weights.runtime.program.options import ProgramOptions


@dataclasses.dataclass(frozen=True)
class ClusterOptions:
    """The options of a runtime on a Ray cluster.

    Attributes:
        workers: The number of actors over which the clients are spread.
        address: The address of a running cluster, as `HOST:PORT`. If None, the actors run on this
            machine, in a cluster that ends with the runtime.
        program: How each actor computes, and this program for the server. An actor takes as many
            processors as it has client threads, and a GPU to itself if `device` is `gpu`.

    Raises:
        TypeError: If an option has the wrong type.
        ValueError: If an option has a value that is not allowed.
    """

    workers: int
    address: str | None = None
    program: ProgramOptions = ProgramOptions(device="cpu", client_threads=1)

    def __post_init__(self) -> None:
        """Checks the options."""
        if isinstance(self.workers, bool) or not isinstance(self.workers, int):
            raise TypeError(f"workers must be an integer, but is {self.workers!r}.")
        if self.workers < 1:
            raise ValueError(f"workers must be at least 1, but is {self.workers!r}.")
        if self.address is not None and not isinstance(self.address, str):
            raise TypeError(f"address must be a string or None, but is {self.address!r}.")
        if self.address == "":
            raise ValueError("address must be HOST:PORT or None, but is empty.")
        if not isinstance(self.program, ProgramOptions):
            raise TypeError(f"program must be ProgramOptions, but is {self.program!r}.")
