"""What can be chosen about running computations inside the program."""

from __future__ import annotations

import dataclasses
import os

DEVICES = ("auto", "cpu", "gpu")


@dataclasses.dataclass(frozen=True)
class ProgramOptions:
    """The options of a runtime inside the program.

    Attributes:
        device: Where graphs run: `cpu`, `gpu`, or `auto`. With `auto`, a GPU, if TensorFlow sees
            one, runs the clients' computations that are not compiled as a whole, such as
            convolutions and LSTMs. Small compiled models and the server's sums stay on the CPU.
        client_threads: How many clients compute at the same time. Twice as many as cores keep the
            cores busy, since a client waits for its data at times.
        default_num_clients: The number of clients in a computation whose argument has no values at
            clients.
        simulate_secure_aggregation: Whether TFF's secure sums are computed in the clear, as
            `tff.backends.test` does; they are refused otherwise.

    Raises:
        TypeError: If an option has the wrong type.
        ValueError: If an option has a value that is not allowed.
    """

    device: str = "auto"
    client_threads: int = 2 * (os.cpu_count() or 1)
    default_num_clients: int = 0
    simulate_secure_aggregation: bool = False

    def __post_init__(self) -> None:
        """Checks the options."""
        if self.device not in DEVICES:
            raise ValueError(f"device must be one of {', '.join(DEVICES)}, but is {self.device!r}.")
        for name, least in (("client_threads", 1), ("default_num_clients", 0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int):
                raise TypeError(f"{name} must be an integer, but is {number!r}.")
            if number < least:
                raise ValueError(f"{name} must be at least {least}, but is {number!r}.")
        if not isinstance(self.simulate_secure_aggregation, bool):
            raise TypeError(
                "simulate_secure_aggregation must be True or False, but is "
                f"{self.simulate_secure_aggregation!r}."
            )
