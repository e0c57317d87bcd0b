"""What a case shows, and how much of it is wanted."""

from __future__ import annotations

import dataclasses
import enum


class Quantity(enum.Enum):
    """What is computed from the times of a pair of rounds."""

    TIMES_AS_FAST = "x as fast"
    TIMES_AS_LONG = "x as long"
    SECONDS = "s"


@dataclasses.dataclass(frozen=True)
class Target:
    """The number of a case that is shown, and its limit.

    Attributes:
        quantity: Which number it is.
        limit: The least `TIMES_AS_FAST`, or the most of the others; None where the number is only
            shown.
    """

    quantity: Quantity
    limit: float | None = None

    def __post_init__(self) -> None:
        """Checks the limit.

        Raises:
            ValueError: If the limit is not positive.
        """
        if self.limit is not None and not self.limit > 0:
            raise ValueError(f"limit must be a number > 0, got {self.limit!r}")

    def is_met(self, value: float) -> bool | None:
        """Returns whether a measured value keeps to the limit; None where there is none."""
        if self.limit is None:
            return None
        if self.quantity is Quantity.TIMES_AS_FAST:
            return value >= self.limit
        return value <= self.limit

    def __str__(self) -> str:
        """Returns the limit as the table shows it."""
        if self.limit is None:
            return "-"
        sign = ">=" if self.quantity is Quantity.TIMES_AS_FAST else "<="
        return f"{sign} {self.limit:g} {self.quantity.value}"
