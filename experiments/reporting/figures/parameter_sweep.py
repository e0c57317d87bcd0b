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
from experiments.reporting.finished import FinishedArtifact
from experiments.runs.configuration import RunConfiguration

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

    @property
    def is_swept(self) -> bool:
        """Whether it has the parameter."""
        return all(value is not None for value, _ in self.points)


def setting(configuration: RunConfiguration, name: str) -> Value | None:
    """Returns a setting of a run: a hyperparameter, an option of the data set, or a field.

    Returns:
        Its value; None where the run has no such setting, or has left it open.
    """
    for settings in (configuration.hyperparameters, configuration.dataset_options):
        if name in settings:
            return settings[name]
    return getattr(configuration, name, None)


def draw(view: ParameterSweep, source: FinishedArtifact) -> Figure:
    """Draws a line per data set and group, with error bars of one deviation over the seeds."""
    artifact, tables = source.artifact, source.tables
    values = {
        (run.dataset, run.variant): setting(run.configuration, view.parameter)
        for run, _ in source.finished
    }
    by_table = [_lines(artifact, table, values) for table in tables]
    columns = min(3, len(artifact.metrics))
    titled = [(table.title, lines) for table, lines in zip(tables, by_table)]
    # Several lines on several data sets are too many for one panel.
    if len(tables) == 1 or all(sum(line.is_swept for line in lines) < 2 for lines in by_table):
        together = [
            dataclasses.replace(line, label=_label(line, title, len(tables) > 1))
            for title, lines in titled
            for line in lines
        ]
        titled = [(tables[0].title if len(tables) == 1 else "", together)]
    shown = [(*each, place) for each in titled for place in range(len(artifact.metrics))]
    algorithms = {line.label: line.algorithm for _, lines, _ in shown for line in lines}
    styles = dict(zip(algorithms, line_styles(algorithms.values())))
    places = _places(
        [v for lines in by_table for line in lines for v, _ in line.points if v is not None],
        logarithmic=view.logarithmic,
    )
    figure, axes = panels.grid(len(shown), columns=columns, width=4.8, height=3.3)
    handles: dict[str, Any] = {}
    for axis, (title, lines, column) in zip(axes, shown):
        metric = artifact.metrics[column]
        axis.set_title(title, fontsize="medium", parse_math=False)
        drawn: dict[str, Any] = {}
        for line in lines:
            drawn |= _draw_line(axis, line, styles[line.label], column, places)
        if not drawn:
            cells = (row[column] for line in lines for _, row in line.points)
            said = next((cell.absence for cell in cells if cell.values), panels.NO_DATA)
            panels.say(axis, f"{metric.label}: {said}")
            continue
        handles |= drawn
        if any(row[column].paper is not None for line in lines for _, row in line.points):
            handles["the paper"] = panels.paper_mark(
                marker="o", markerfacecolor="white", markersize=8, markeredgewidth=1.4
            )
        _set_parameter_axis(axis, view, places)
        axis.set_ylabel(metric.label, parse_math=False)
    panels.legend(figure, handles)
    return figure


def _set_parameter_axis(axis: Axes, view: ParameterSweep, places: dict[Value, float]) -> None:
    if view.logarithmic and places:
        axis.set_xscale("log")
        axis.minorticks_off()
    axis.set_xticks([*places.values()], [_text(value) for value in places])
    if len(places) > 8:
        axis.tick_params("x", labelrotation=60, labelsize="small")
    axis.set_xlabel(view.label, parse_math=False)


def _label(line: _Line, title: str, has_others: bool) -> str:
    """The line's label with its data set's, where there are several or it has none."""
    return f"{line.label}, {title}" if line.label and has_others else line.label or title


def _lines(
    artifact: Artifact, table: Table, values: dict[tuple[str, str], Value | None]
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
    return [*lines, *level]


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
            at = min(places.values(), default=0.0), cell.mean
            panels.note(axis, cell.some_of_seeds, at, right=5, above=5)
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
            **style.of_lines,
            markersize=5.5,
            elinewidth=1,
            capsize=3,
        )
        for x, cell in points:
            panels.note(axis, cell.some_of_seeds, (x, cell.mean or 0.0), right=5, above=5)
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
