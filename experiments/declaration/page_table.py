"""What a table on a page of prose shows: which numbers of which finished runs."""

from __future__ import annotations

import dataclasses
import enum

from experiments.declaration.artifact import ONLY_SCALE, SCALES
from experiments.declaration.metric import Metric


class Shown(enum.Enum):
    """What is shown of a number's values, one for each seed."""

    MEAN = "their mean"
    DEVIATION = "their mean ± their standard deviation"
    PAPER = "the paper's number"
    BESIDE_PAPER = "their mean ± their standard deviation, the paper's number in brackets"
    SEEDS = "each of them"
    DIFFERENCE = "the first method less the second, by seed: their mean and its 95 % t interval"
    RANGE = "the smallest and the largest of all methods, metrics and seeds"


@dataclasses.dataclass(frozen=True)
class Runs:
    """The runs of an artifact that numbers are read from; those of their methods must be finished.

    Attributes:
        artifact: The artifact's name.
        scale: The runs' scale, one of `SCALES`, or `ONLY_SCALE`.
        seeds: The runs' seeds.
    """

    artifact: str
    scale: str
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        """Checks that there can be some.

        Raises:
            ValueError: If there is no seed, or no such scale.
        """
        if self.scale not in (*SCALES, ONLY_SCALE):
            raise ValueError(
                f"runs of {self.artifact}: scale must be one of {(*SCALES, ONLY_SCALE)}, got "
                f"{self.scale!r}"
            )
        if not self.seeds:
            raise ValueError(f"runs of {self.artifact}: seeds must not be empty")

    def __str__(self) -> str:
        """Says it in a line."""
        return f"{self.artifact}, scale {self.scale}, seeds {', '.join(map(str, self.seeds))}"


@dataclasses.dataclass(frozen=True)
class Numbers:
    """What stands in one cell of a page's table: a number for every method and metric.

    Attributes:
        runs: What they are read from.
        dataset: The data set.
        methods: Labels of the artifact's rows, one after the other in the cell.
        metrics: What is measured of each of them; they need not be those of the artifact.
        shown: What is shown of the seeds' values.
        separator: What stands between two numbers.
    """

    runs: Runs
    dataset: str
    methods: tuple[str, ...]
    metrics: tuple[Metric, ...]
    shown: Shown = Shown.MEAN
    separator: str = ", "

    def __post_init__(self) -> None:
        """Checks that there is something to show.

        Raises:
            ValueError: If there is no method or metric, a difference is not of two methods, or a
                range of metrics that are shown with different decimals.
        """
        for name in ("methods", "metrics"):
            if not getattr(self, name):
                raise ValueError(f"numbers of {self.runs.artifact}: {name} must not be empty")
        if self.shown is Shown.DIFFERENCE and len(self.methods) != 2:
            raise ValueError(
                f"numbers of {self.runs.artifact}: methods must be two for a difference, got "
                f"{self.methods}"
            )
        decimals = {metric.decimals for metric in self.metrics}
        if self.shown is Shown.RANGE and len(decimals) > 1:
            raise ValueError(
                f"numbers of {self.runs.artifact}: decimals of metrics must be the same for a "
                f"range, got {sorted(decimals)}"
            )


@dataclasses.dataclass(frozen=True)
class PageTable:
    """A table that a page of prose shows, made of finished runs.

    A page has it between the lines `<!-- results: NAME -->` and `<!-- end of results -->`, and
    `report --pages=FOLDER` writes it there.

    Attributes:
        name: `paper/table`.
        header: The columns' names.
        rows: As long as the header; a text is shown as it is.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | Numbers, ...], ...]

    def __post_init__(self) -> None:
        """Checks the rows' lengths.

        Raises:
            ValueError: If one is not as long as the header, or there is none.
        """
        lengths = {len(row) for row in self.rows}
        if lengths != {len(self.header)}:
            raise ValueError(
                f"{self.name}: rows must have {len(self.header)} cells, as the header, got rows of "
                f"{sorted(lengths) or 'none'}"
            )

    @property
    def numbers(self) -> tuple[Numbers, ...]:
        """Its cells that are no text."""
        return tuple(cell for row in self.rows for cell in row if isinstance(cell, Numbers))
