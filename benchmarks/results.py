"""What was measured of a case, judged by what is wanted of it: a row of the table, and JSON."""

from __future__ import annotations

import dataclasses
import statistics
from typing import Any

from benchmarks.case import Case
from benchmarks.measuring import Measurement
from benchmarks.workload import Workload

_MEBIBYTE = 2**20
# The columns' widths; the last is as wide as its text.
_FORMAT = "{:<29} {:>7} {:>7} {:>7} {:>7}  {:<32} {:>8} {:>7}  {:<12} {}"

HEADER = _FORMAT.format(
    *("case", "ours s", "cpu s", "other s", "cpu s"),
    *("median (from - to)", "program", "worker", "models", "target"),
).rstrip()

EXPLANATION = """\
ours s, other s: the median round in seconds, ours and what it is compared with; cpu s beside each:
processor seconds of a round, the mean, program and worker together.
median (from - to): over the pairs of neighbouring rounds.
program, worker: peak memory in MiB while both ran. Every case that needs TFF's worker has one of
its own; the program also holds what the cases before have left.
models: how far apart both updates are, as a part of an update's length, after one round (of the
CNN's after a few steps, before rounding parts them)."""


@dataclasses.dataclass(frozen=True)
class Result:
    """One measured case.

    Attributes:
        name: The case's name.
        case: The case.
        workload: The size that was measured.
        measurement: What was measured.
    """

    name: str
    case: Case
    workload: Workload
    measurement: Measurement

    @property
    def values(self) -> tuple[float, ...]:
        """The case's quantity, of each pair of rounds."""
        return self.measurement.values(self.case.target.quantity)

    @property
    def value(self) -> float:
        """The median of `values`."""
        return statistics.median(self.values)

    @property
    def agrees(self) -> bool | None:
        """Whether the models are as near each other as they must be; None where they need not."""
        if self.case.tolerance is None or self.measurement.difference is None:
            return None
        return self.measurement.difference <= self.case.tolerance

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None where there is no limit."""
        return self.case.target.is_met(self.value)

    def row(self) -> str:
        """Returns the table's row."""
        measurement, target = self.measurement, self.case.target
        other = measurement.reference
        verdict = {None: "", True: ": met", False: ": NOT MET"}[self.is_met]
        return _FORMAT.format(
            self.name,
            f"{measurement.subject.median:.3f}",
            f"{measurement.subject.processor:.3f}",
            "-" if other is None else f"{other.median:.3f}",
            "-" if other is None else f"{other.processor:.3f}",
            f"{self.value:.2f} {target.quantity.value} "
            f"({min(self.values):.2f} - {max(self.values):.2f})",
            f"{measurement.memory.program / _MEBIBYTE:.0f}",
            f"{measurement.memory.worker / _MEBIBYTE:.0f}",
            self._models(),
            f"{target}{verdict}",
        )

    def _models(self) -> str:
        if self.agrees is None:
            return "-"
        word = "agree" if self.agrees else "DIFFER"
        return f"{word} {self.measurement.difference:.0e}"

    def numbers(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        return {
            "case": self.name,
            "title": self.case.title,
            "workload": dataclasses.asdict(self.workload),
            "size": None if self.case.size is None else self.case.size(self.workload),
            **dataclasses.asdict(self.measurement),
            "quantity": self.case.target.quantity.value,
            "values": self.values,
            "value": self.value,
            "limit": self.case.target.limit,
            "is_met": self.is_met,
            "tolerance": self.case.tolerance,
            "agrees": self.agrees,
        }
