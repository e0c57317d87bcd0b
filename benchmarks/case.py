"""What a case of the benchmark is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from benchmarks.contenders import BuildContender
from benchmarks.targets import Quantity, Target
from benchmarks.workload import Workload
from leaf_data.tasks import Task
from tff_weights.runtime import ProgramOptions, RuntimeOptions


@dataclasses.dataclass(frozen=True)
class Case:
    """A contender, and usually another that it is compared with, on one task.

    Attributes:
        title: One line.
        workload: The usual size.
        build_task: From the workload to the clients and the model.
        subject: Builds the contender that is measured.
        reference: Builds the one it is compared with; None where the seconds say enough.
        reference_runtime: Where the reference computes; the subject does so inside the program.
        target: What is shown, and how much of it is wanted.
        tolerance: How far the two updates may be apart after one round, as a part of an update's
            length; None where the two compute different things.
        checked_steps: Compares the models after so many steps of each client instead of a round,
            where rounding parts them in time: a ReLU that opens for one of the two alone gives
            them different gradients.
        fixed: The sizes that cannot be chosen.
        size: Where a plot puts the case on the axis of its group; None outside `DIMENSIONS`.
    """

    title: str
    workload: Workload
    build_task: Callable[[Workload], Task]
    subject: BuildContender
    reference: BuildContender | None
    target: Target
    reference_runtime: RuntimeOptions = ProgramOptions()
    tolerance: float | None = None
    checked_steps: int | None = None
    fixed: tuple[str, ...] = ()
    size: Callable[[Workload], int] | None = None

    def __post_init__(self) -> None:
        """Checks that there is a reference where one is needed.

        Raises:
            ValueError: If there is none.
        """
        needs_reference = self.target.quantity is not Quantity.SECONDS or self.tolerance is not None
        if needs_reference and self.reference is None:
            raise ValueError(f"{self.title!r} needs a reference")

    def resized(self, **sizes: int) -> Workload:
        """Returns the workload with other sizes.

        Raises:
            ValueError: If one of them cannot be chosen, or is out of range.
        """
        for name in sizes:
            if name in self.fixed:
                raise ValueError(f"{name} cannot be chosen for {self.title!r}")
        return self.workload.resized(**sizes)
