"""What a case of the benchmark is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from experiments.benchmarks.contenders import BuildContender
from experiments.benchmarks.targets import Quantity, Target
from experiments.benchmarks.workload import Workload
from leaf_data.tasks import Task


@dataclasses.dataclass(frozen=True)
class Case:
    """A contender, and usually another that it is compared with, on one task.

    Attributes:
        title: One line.
        workload: The usual size.
        build_task: From the workload to the clients and the model.
        subject: Builds the contender that is measured.
        reference: Builds the one it is compared with; None where the seconds say enough.
        target: What is shown, and how much of it is wanted.
        tolerance: How far the two updates may be apart after one round, as a part of an update's
            length; None where the two compute different things.
        size: Where a plot puts the case on the axis of its group; None outside `DIMENSIONS`.
    """

    title: str
    workload: Workload
    build_task: Callable[[Workload], Task]
    subject: BuildContender
    reference: BuildContender | None
    target: Target
    tolerance: float | None = None
    size: Callable[[Workload], int] | None = None

    def __post_init__(self) -> None:
        """Checks that there is a reference where one is needed.

        Raises:
            ValueError: If there is none.
        """
        needs_reference = self.target.quantity is not Quantity.SECONDS or self.tolerance is not None
        if needs_reference and self.reference is None:
            raise ValueError(f"{self.title!r} needs a reference")
