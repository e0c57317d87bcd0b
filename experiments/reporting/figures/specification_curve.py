"""A specification curve: differences under all readings by size, and under each its options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.declaration import Specification, SpecificationCurve
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.pairs import pair

_INCHES_PER_POINT, _INCHES_PER_ROW = 0.13, 0.2
_INCHES_OF_CURVE, _INCHES_OF_NAMES, _FEWEST_INCHES = 2.6, 2.4, 4.0
# The interval is above 0, below it, or has 0 inside; an interval needs two seeds.
_AHEAD, _BEHIND, _NEITHER = "#009f81", "#e20134", "0.45"
_LEGEND = {_AHEAD: "95 % interval above 0", _BEHIND: "below 0", _NEITHER: "0 inside, or one seed"}


class Difference(NamedTuple):
    """The lead of one method over another on one data set, under one specification.

    It is the mean over the seeds with its t interval; `worse` is the other method's name in the
    paper.
    """

    mean: float
    interval: tuple[float, float] | None
    specification: Specification
    worse: str


def differences(view: SpecificationCurve, table: Table) -> list[Difference]:
    """Returns a data set's differences under all specifications, sorted from the smallest."""
    metric = next(each for each in table.metrics if each.label == view.metric.label)
    found = []
    for specification in view.specifications:
        for better, worse in view.comparisons:
            labels = (specification.labels[method] for method in (better, worse))
            own = pair(table, metric, *labels)
            if own.mean is not None:
                found.append(Difference(own.mean, own.interval, specification, worse))
    return sorted(found, key=lambda each: each.mean)


def draw(view: SpecificationCurve, source: FinishedArtifact) -> Figure:
    """Draws a column per data set: the differences above, and their options as dots below."""
    tables = source.tables
    found = [differences(view, table) for table in tables]
    rows = _rows(view)
    most = max((len(each) for each in found), default=0)
    width = _INCHES_OF_NAMES + max(_FEWEST_INCHES, _INCHES_PER_POINT * most)
    height = _INCHES_PER_ROW * (len(rows) + 1)
    figure = Figure(
        figsize=(width * len(tables), _INCHES_OF_CURVE + height + 0.5), layout="constrained"
    )
    axes = figure.subplots(
        2, len(tables), squeeze=False, height_ratios=(_INCHES_OF_CURVE, height), sharex="col"
    )
    for column, (table, of_table) in enumerate(zip(tables, found)):
        curve, options = axes[0][column], axes[1][column]
        if of_table:
            _draw_curve(curve, view, table, of_table)
            _draw_options(options, rows, of_table)
        else:
            panels.say(curve)
            options.set_axis_off()
    handles = {
        label: panels.paper_mark(marker="o", color=color, markersize=4, markeredgewidth=1)
        for color, label in _LEGEND.items()
    }
    panels.legend(figure, handles)
    return figure


def _draw_curve(
    axis: Axes, view: SpecificationCurve, table: Table, found: Sequence[Difference]
) -> None:
    panels.set_look(axis)
    axis.axhline(0.0, color="0.2", linewidth=0.8)
    for place, each in enumerate(found):
        color = _color(each)
        axis.plot(place, each.mean, "o", color=color, markersize=4)
        if each.interval is not None:
            axis.vlines(place, *each.interval, color=color, linewidth=1.2)
    axis.set_title(table.title, loc="left", fontsize="medium", parse_math=False)
    axis.set_ylabel(
        f"{view.metric.label}: difference,\nabove 0 as in the paper",
        fontsize="small",
        parse_math=False,
    )
    axis.tick_params("x", labelbottom=False, length=0)


def _draw_options(axis: Axes, rows: Sequence[tuple[str, str]], found: Sequence[Difference]) -> None:
    axis.spines[:].set_visible(False)
    for place, each in enumerate(found):
        labels = {("against", each.worse)}
        labels |= {(str(at), option.label) for at, option in enumerate(each.specification.options)}
        at = [row for row, key in enumerate(rows) if key in labels]
        axis.plot([place] * len(at), at, "o", color=_color(each), markersize=3.2)
    groups = [group for group, _ in rows]
    for row in range(1, len(rows)):
        if groups[row] != groups[row - 1]:
            axis.axhline(row - 0.5, color="0.8", linewidth=0.8)
    names = [f"against {label}" if group == "against" else label for group, label in rows]
    axis.set_yticks(range(len(rows)), names, fontsize="small", parse_math=False)
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xticks([])


def _rows(view: SpecificationCurve) -> list[tuple[str, str]]:
    """The rows of dots: a group's name, and a label in it."""
    rows = [("against", worse) for worse in dict.fromkeys(worse for _, worse in view.comparisons)]
    for place, reading in enumerate(view.readings):
        if len(reading.run) > 1:
            rows += [(str(place), option.label) for option in reading.run]
    return rows


def _color(each: Difference) -> str:
    if each.interval is None or each.interval[0] <= 0 <= each.interval[1]:
        return _NEITHER
    return _AHEAD if each.interval[0] > 0 else _BEHIND
