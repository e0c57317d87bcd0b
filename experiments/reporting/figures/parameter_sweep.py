"""A panel per metric: its value over a parameter of the variants."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.declaration import Artifact, Hyperparameter, ParameterSweep
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, line_styles
from experiments.reporting.finished import FinishedArtifact

_MARK: dict[str, Any] = {"markersize": 8, "markeredgewidth": 1.4}
_OF_PAPER = {**_MARK, "markeredgecolor": "black", "linestyle": "none", "zorder": 4}


@dataclasses.dataclass(frozen=True)
class _Line:
    """The variants of one group on one data set, or one variant that lacks the parameter.

    A point has the parameter's value, None for a level line, and the row of the table.
    """

    label: str
    algorithm: str
    points: list[tuple[Any, tuple[Cell, ...]]]


def draw(view: ParameterSweep, source: FinishedArtifact) -> Figure:
    """Draws a line per data set and group, with error bars of one deviation over the seeds."""
    artifact, tables = source.artifact, source.tables
    values = {}
    for run, _ in source.finished:
        own = run.resolved.configuration
        settings = {**vars(own), **own.dataset_options, **own.hyperparameters}
        values[run.dataset, run.variant] = settings.get(view.parameter)
    by_table = [_lines(artifact, table, values) for table in tables]
    columns = min(3, len(artifact.metrics))
    titled = [(table.title, lines) for table, lines in zip(tables, by_table)]
    have_parameter = (
        [all(value is not None for value, _ in line.points) for line in lines] for lines in by_table
    )
    # Several lines on several data sets are too many for one panel.
    if len(tables) == 1 or all(sum(each) < 2 for each in have_parameter):
        is_one = len(tables) == 1
        together = [
            dataclasses.replace(
                line, label=line.label or title if is_one else f"{line.label}, {title}".lstrip(", ")
            )
            for title, lines in titled
            for line in lines
        ]
        titled = [(tables[0].title if is_one else "", together)]
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
        cells = [row[column] for line in lines for _, row in line.points]
        for line in lines:
            drawn |= _draw_line(axis, line, styles[line.label], column, places, _common(cells))
        if not drawn:
            said = next((cell.absence for cell in cells if cell.values), panels.NO_DATA)
            panels.say(axis, f"{metric.label}: {said}")
            continue
        handles |= drawn
        if any(cell.paper is not None for cell in cells):
            handles["the paper"] = panels.paper_mark(marker="o", markerfacecolor="white", **_MARK)
        if view.logarithmic and places:
            axis.set_xscale("log")
            axis.minorticks_off()
        texts = [f"{value:g}" if _is_number(value) else str(value) for value in places]
        axis.set_xticks([*places.values()], texts)
        if len(places) > 8:
            axis.tick_params("x", labelrotation=60, labelsize="small")
        axis.set_xlabel(view.label, parse_math=False)
        axis.set_ylabel(metric.label, parse_math=False)
    panels.legend(figure, handles)
    return figure


def _lines(
    artifact: Artifact, table: Table, values: Mapping[tuple[str, str], Hyperparameter | None]
) -> list[_Line]:
    """The lines of one table, without the methods that were not run on its data set."""
    grouped: dict[str, _Line] = {}
    level = []
    for variant in artifact.variants:
        key = (table.dataset, variant.label)
        if key not in values:
            continue
        point = (values[key], table.rows[variant.label])
        if values[key] is None:
            level.append(_Line(variant.label, variant.algorithm, [point]))
        else:
            group = variant.group or ""
            grouped.setdefault(group, _Line(group, variant.algorithm, [])).points.append(point)
    for line in grouped.values():
        if all(_is_number(value) for value, _ in line.points):
            line.points.sort(key=lambda point: point[0])
    return [*grouped.values(), *level]


def _common(cells: Sequence[Cell]) -> set[tuple[str, int]]:
    """Returns the seeds that all cells of a data set have, by data set.

    A value with other seeds than its neighbours would stand out by these alone.
    """
    there = [cell for cell in cells if cell.values]
    places = {(cell.dataset, seed) for cell in there for seed in cell.values}
    return {
        (d, s) for d, s in places if all(s in each.values for each in there if each.dataset == d)
    }


def _draw_line(
    axis: Axes,
    line: _Line,
    style: Style,
    column: int,
    places: Mapping[Hyperparameter, float],
    common: set[tuple[str, int]],
) -> dict[str, Any]:
    handles: dict[str, Any] = {}
    points = []
    for value, row in line.points:
        cell = row[column]
        values = {seed: x for seed, x in cell.values.items() if (cell.dataset, seed) in common}
        if values:
            cell = dataclasses.replace(cell, values=values, num_runs=len(values))
        if cell.mean is None:
            continue
        x = min(places.values(), default=0.0) if value is None else places[value]
        panels.note(axis, cell.some_of_seeds, (x, cell.mean), right=5, above=5)
        if value is not None:
            points.append((x, cell.mean, cell.std or 0.0))
            continue
        handles[line.label] = axis.axhline(
            cell.mean, color=style.color, linestyle=style.line, linewidth=1.5
        )
        if cell.std is not None:
            ends = cell.mean - cell.std, cell.mean + cell.std
            axis.axhspan(*ends, color=style.color, alpha=0.1, lw=0)
    if points:
        xs, means, deviations = zip(*points)
        handles[line.label] = axis.errorbar(
            xs, means, deviations, **style.of_lines, markersize=5.5, elinewidth=1, capsize=3
        )
    of_paper = [
        (places[value], row[column].paper)
        for value, row in line.points
        if value is not None and row[column].paper is not None
    ]
    if of_paper:
        axis.plot(*zip(*of_paper), marker=style.marker, color=style.color, **_OF_PAPER)
    return handles


def _places(values: Sequence[Hyperparameter], *, logarithmic: bool) -> dict[Hyperparameter, float]:
    """Returns each value's place on the axis; words are placed side by side.

    On a logarithmic axis 0 stands as far left of the smallest positive value as the next one is
    to its right.
    """
    if not all(map(_is_number, values)):
        return {value: float(place) for place, value in enumerate(dict.fromkeys(values))}
    ordered = sorted({float(value) for value in values})
    if not logarithmic:
        return {value: value for value in ordered}
    positive = [value for value in ordered if value > 0] or [1.0]
    ratio = positive[1] / positive[0] if len(positive) > 1 else 10.0
    return {value: value if value > 0 else positive[0] / ratio for value in ordered}


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
