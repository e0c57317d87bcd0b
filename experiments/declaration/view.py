"""How an artifact is drawn: one class with parameters for each kind of figure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from experiments.declaration.metric import Metric

if TYPE_CHECKING:
    from experiments.declaration.reading import Reading, Specification


class View:
    """What all of them are."""


@dataclasses.dataclass(frozen=True)
class Bars(View):
    """A panel per metric, a group of bars per data set, the paper's numbers as marks."""


@dataclasses.dataclass(frozen=True)
class AccuracyHistograms(View):
    """A panel per data set: how many clients end in which tenth of the accuracy's range."""


@dataclasses.dataclass(frozen=True)
class Curve:
    """One quantity over the rounds.

    Attributes:
        column: A column of the runs' tables. If it holds a number per participant, their mean is
            drawn.
        label: What the axis says, with the unit.
        target: A value at which a line is drawn, if there is one.
        logarithmic: Whether the axis is.
    """

    column: str
    label: str
    target: float | None = None
    logarithmic: bool = False


@dataclasses.dataclass(frozen=True)
class Curves(View):
    """A panel per data set and curve: a line per variant, the mean over the seeds with its band.

    The band is one standard deviation to either side. If a metric has a round and the paper a
    number for it, the number is drawn as a point.

    Attributes:
        curves: What is drawn over the rounds.
    """

    curves: tuple[Curve, ...]


@dataclasses.dataclass(frozen=True)
class ParameterSweep(View):
    """A panel per metric: its value over a parameter of the variants, a line per data set or group.

    Attributes:
        parameter: The setting that differs among the variants of a group. A variant without it is
            drawn as a level line.
        label: What the axis says.
        logarithmic: Whether the axis is logarithmic; 0 then stands at its left end.
    """

    parameter: str
    label: str
    logarithmic: bool = False


@dataclasses.dataclass(frozen=True)
class Scatter(View):
    """A panel per data set and variant: a point for each client, and Pearson's `r`.

    Attributes:
        x: A quantity that a run has of every client, see `reporting.client_quantities`.
        y: Another.
        x_label: What the axis says, with the unit.
        y_label: What the other one says.
    """

    x: str
    y: str
    x_label: str
    y_label: str


@dataclasses.dataclass(frozen=True)
class ClientCurves(View):
    """A panel per data set, variant and curve: each client over the rounds, of one seed.

    Attributes:
        curves: Columns that hold a number per participant.
        names: What the clients are called, by their index; "client 0" and so on if not given.
    """

    curves: tuple[Curve, ...]
    names: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class ClientHistograms(View):
    """A panel per data set and variant: how many clients have which value of a quantity.

    Attributes:
        quantity: What a run has of every client, see `reporting.client_quantities`.
        label: What the axis says, with the unit.
        bins: The number of bins of equal width; all panels have the same range.
    """

    quantity: str
    label: str
    bins: int = 20


@dataclasses.dataclass(frozen=True)
class SpecificationCurve(View):
    """A panel per data set: differences under all readings in order of size, with their options.

    See `reading.readings_artifact`.

    Attributes:
        of: The name of the artifact whose comparison this is.
        readings: What the paper leaves open.
        specifications: Which options are run together, the main ones first.
        comparisons: Pairs of methods of `of`; the first is better according to the paper.
        baselines: The methods that choose the main reading.
        metric: The metric by which methods are compared.
        chosen_by: The metrics by which the baselines are compared with the paper, one for each data
            set.
    """

    of: str
    readings: tuple[Reading, ...]
    specifications: tuple[Specification, ...]
    comparisons: tuple[tuple[str, str], ...]
    baselines: tuple[str, ...]
    metric: Metric
    chosen_by: tuple[Metric, ...]


@dataclasses.dataclass(frozen=True)
class Drawn(View):
    """A figure that the paper draws itself.

    Attributes:
        drawer: `module:name` of the function `(FinishedArtifact) → matplotlib.figure.Figure`.
        summary: `module:name` of a function `(FinishedArtifact) → str` that returns Markdown to be
            shown below the tables; None for nothing.
        facts: `module:name` of a function `(FinishedArtifact) → object | None` whose attributes
            prose may read by the slot `facts`; None without one.
    """

    drawer: str
    summary: str | None = None
    facts: str | None = None
