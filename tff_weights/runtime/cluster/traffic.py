"""What moving data between the program and a cluster's actors costs."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Traffic:
    """What was moved since a runtime on a cluster was chosen.

    Attributes:
        bytes_sent: From the program to the actors: the arguments of all calls, as Ray serialises
            them. What goes to several actors counts for each.
        bytes_received: From the actors to the program: the answers, as Ray serialises them.
        moving_seconds: The time that the program spent on moving data: reading and packing, handing
            data to Ray, unpacking, and waiting for actors beyond the slowest one's computing time.
            This includes the actors' packing and unpacking, Ray's transfers, and the time of other
            processes.
    """

    bytes_sent: int = 0
    bytes_received: int = 0
    moving_seconds: float = 0.0

    def __add__(self, other: Traffic) -> Traffic:
        """Returns both together."""
        return Traffic(
            self.bytes_sent + other.bytes_sent,
            self.bytes_received + other.bytes_received,
            self.moving_seconds + other.moving_seconds,
        )

    def __sub__(self, earlier: Traffic) -> Traffic:
        """Returns what was moved since `earlier`."""
        return Traffic(
            self.bytes_sent - earlier.bytes_sent,
            self.bytes_received - earlier.bytes_received,
            self.moving_seconds - earlier.moving_seconds,
        )
