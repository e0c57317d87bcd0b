"""A case of the benchmark: a round of one contender beside a round of another."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable

from benchmarks.contenders import BuildContender
from benchmarks.workload import Workload
from leaf_data.tasks import Task


class Quantity(enum.Enum):
    """What is computed from the times of a pair of neighbouring rounds."""

    TIMES_AS_FAST = "x as fast"
    TIMES_AS_LONG = "x as long"
    SECONDS = "s"


@dataclasses.dataclass(frozen=True)
class Case:
    """A contender, and usually another that it is compared with, on one task.

    Attributes:
        title: One line.
        workload: The usual size.
        build_task: From the workload to the clients and the model.
        subject: Builds the contender that is measured.
        reference: Builds the one it is compared with; None where the seconds say enough.
        quantity: What is shown.
        limit: The least `TIMES_AS_FAST`, or the most of the others, that is wanted; None where the
            number is only shown.
        limits_processor: Whether the limit holds for the processor seconds, too.
        on_tffs_worker: Whether the reference computes in TFF's own context, on its worker process;
            the subject does so inside the program.
        tolerance: How far the two updates may be apart after one round, as a part of an update's
            length; None where the two compute different things.
        checked_steps: Compares the models after so many steps of each client instead of a round,
            where rounding parts them in time: a ReLU that opens for one of the two alone gives
            them different gradients.
        fixed: The sizes that cannot be chosen.
    """

    title: str
    workload: Workload
    build_task: Callable[[Workload], Task]
    subject: BuildContender
    reference: BuildContender | None
    quantity: Quantity
    limit: float | None = None
    limits_processor: bool = False
    on_tffs_worker: bool = False
    tolerance: float | None = None
    checked_steps: int | None = None
    fixed: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The limit as the table shows it."""
        if self.limit is None:
            return "–"
        sign = "≥" if self.quantity is Quantity.TIMES_AS_FAST else "≤"
        return f"{sign} {self.limit:g}"

    def is_met(self, value: float) -> bool | None:
        """Returns whether a measured value keeps to the limit; None where there is none."""
        if self.limit is None:
            return None
        if self.quantity is Quantity.TIMES_AS_FAST:
            return value >= self.limit
        return value <= self.limit

    def resized(self, **sizes: int) -> Workload:
        """Returns the workload with other sizes.

        Raises:
            ValueError: If one of them cannot be chosen, or is out of range.
        """
        for name in self.fixed:
            if name in sizes:
                raise ValueError(f"{name} cannot be chosen for {self.title!r}")
        return self.workload.resized(**sizes)
