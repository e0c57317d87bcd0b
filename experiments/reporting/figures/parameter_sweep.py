"""A panel per metric: its value over a parameter of the variants."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.declaration import Artifact, Hyperparameter, ParameterSweep
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, line_styles
from experiments.runs.configuration import RunConfiguration
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

Value = Hyperparameter


@dataclasses.dataclass(frozen=True)
class _Line:
    """The variants of one group on one data set, or one variant that lacks the parameter.

    Attributes:
        label: As the legend names it.
        algorithm: Of the first of them.
        points: The parameter's value and the row of the table; no value for a level line.
    """

    label: str
    algorithm: str
    points: Sequence[tuple[Value | None, tuple[Cell, ...]]]


def setting(configuration: RunConfiguration, name: str) -> Value | None:
    """Returns a setting of a run: a hyperparameter, an option of the data set, or a field.

    Returns:
        Its value; None where the run has no such setting, or has left it open.
    """
    for settings in (configuration.hyperparameters, configuration.dataset_options):
        if name in settings:
            return settings[name]
    return getattr(configuration, name, None)


def draw(
    artifact: Artifact,
    view: ParameterSweep,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """Draws a line per data set and group, with error bars of one deviation over the seeds."""
    values = {
        (run.dataset, run.variant): setting(run.configuration, view.parameter)
        for run, _ in finished
    }
    lines = [line for table in tables for line in _lines(artifact, table, values, len(tables) > 1)]
    styles = line_styles(line.algorithm for line in lines)
    places = _places(
        [value for line in lines for value, _ in line.points if value is not None],
        logarithmic=view.logarithmic,
    )
    figure, axes = panels.grid(len(artifact.metrics), columns=3, width=4.8, height=3.3)
    handles: dict[str, Any] = {}
    for column, (axis, metric) in enumerate(zip(axes, artifact.metrics)):
        drawn: dict[str, Any] = {}
        for line, style in zip(lines, styles):
            drawn |= _draw_line(axis, line, style, column, places)
        if not drawn:
            panels.say(axis, f"{metric.label}: {panels.NO_DATA}")
            continue
        if any(row[column].paper is not None for line in lines for _, row in line.points):
            drawn["the paper"] = panels.paper_mark(
                marker="o", markerfacecolor="white", markersize=8, markeredgewidth=1.4
            )
        handles |= drawn
        if view.logarithmic and places:
            axis.set_xscale("log")
            axis.minorticks_off()
        axis.set_xticks([*places.values()], [_text(value) for value in places])
        if len(places) > 8:
            axis.tick_params("x", labelrotation=60, labelsize="small")
        axis.set_xlabel(view.label, parse_math=False)
        axis.set_ylabel(metric.label, parse_math=False)
    panels.legend(figure, handles)
    return figure


def _lines(
    artifact: Artifact,
    table: Table,
    values: dict[tuple[str, str], Value | None],
    several_tables: bool,
) -> list[_Line]:
    """The lines of one table; a method that was not run on its data set is on none."""
    grouped: dict[str | None, list[Any]] = {}
    level = []
    for variant in artifact.variants:
        key = (table.dataset, variant.label)
        if key not in values:
            continue
        row = table.rows[variant.label]
        if values[key] is None:
            level.append(_Line(variant.label, variant.algorithm, [(None, row)]))
        else:
            grouped.setdefault(variant.group, []).append((values[key], row, variant.algorithm))
    lines = []
    for group, points in grouped.items():
        if all(_is_number(value) for value, *_ in points):
            points.sort(key=lambda point: point[0])
        algorithm = points[0][2]
        lines.append(_Line(group or "", algorithm, [(value, row) for value, row, _ in points]))
    named = []
    for line in (*lines, *level):
        parts = [line.label, table.title if several_tables else ""]
        label = ", ".join(part for part in parts if part) or table.title
        named.append(dataclasses.replace(line, label=label))
    return named


def _draw_line(
    axis: Axes, line: _Line, style: Style, column: int, places: dict[Value, float]
) -> dict[str, Any]:
    handles: dict[str, Any] = {}
    cells = [(value, row[column]) for value, row in line.points if row[column].mean is not None]
    for value, cell in cells:
        if value is None and cell.mean is not None:
            handles[line.label] = axis.axhline(
                cell.mean, color=style.color, linestyle=style.line, linewidth=1.5
            )
            if cell.std is not None:
                axis.axhspan(
                    cell.mean - cell.std, cell.mean + cell.std, color=style.color, alpha=0.1, lw=0
                )
    points = [(places[value], cell) for value, cell in cells if value is not None]
    if points:
        handles[line.label] = axis.errorbar(
            [x for x, _ in points],
            [cell.mean or 0.0 for _, cell in points],
            yerr=[cell.std or 0.0 for _, cell in points],
            color=style.color,
            linestyle=style.line,
            linewidth=1.5,
            marker=style.marker,
            markersize=5.5,
            markerfacecolor=style.marker_face,
            elinewidth=1,
            capsize=3,
        )
    for value, row in line.points:
        paper = row[column].paper
        if value is not None and paper is not None:
            axis.plot(
                places[value],
                paper,
                marker=style.marker,
                markersize=8,
                markeredgewidth=1.4,
                color=style.color,
                markeredgecolor="black",
                linestyle="none",
                zorder=4,
            )
    return handles


def _places(values: Sequence[Value], *, logarithmic: bool) -> dict[Value, float]:
    """Returns where on the axis each value stands; words beside one another.

    On a logarithmic axis 0 stands as far left of the smallest positive value as the next one is
    to its right.
    """
    if not all(map(_is_number, values)):
        return {value: float(place) for place, value in enumerate(dict.fromkeys(values))}
    ordered = sorted({float(value) for value in values})
    if not logarithmic:
        return {value: value for value in ordered}
    positive = [value for value in ordered if value > 0]
    ratio = positive[1] / positive[0] if len(positive) > 1 else 10.0
    return {value: value if value > 0 else positive[0] / ratio for value in ordered if positive}


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _text(value: Value) -> str:
    return f"{value:g}" if _is_number(value) else str(value)
