"""A panel per metric: bars of ours, and the paper's numbers as marks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments.declaration import Bars
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, method_styles
from experiments.reporting.finished import FinishedArtifact

_COLLAPSED_HATCH = "////"
_INCHES_PER_BAR = 0.16
_INCHES_PER_ROW = 0.26
_LETTERS_PER_LINE = 20  # Below a group of bars.
_EDGE: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.5}
_DEVIATION: dict[str, Any] = {"ecolor": "0.15", "elinewidth": 1.1, "capsize": 2}


def draw(view: Bars, source: FinishedArtifact) -> Figure:
    """Draws bars: groups by data set, or with one data set a bar beside each method's name."""
    artifact, tables = source.artifact, source.tables
    styles = method_styles(artifact)
    methods = list(dict.fromkeys(method for table in tables for method in table.rows))
    if len(tables) == 1:
        columns = min(3, len(artifact.metrics))
        width, height = 4.4, 1.0 + _INCHES_PER_ROW * len(methods)
    else:
        width, height = max(6.5, 1.0 + _INCHES_PER_BAR * (len(methods) + 1) * len(tables)), 2.9
        columns = 2 if width < 8 else 1
    figure, axes = panels.grid(len(artifact.metrics), columns=columns, width=width, height=height)
    if len(tables) == 1:
        axes[0].set_title(tables[0].title, loc="left", fontsize="medium", parse_math=False)
    for column, (axis, metric) in enumerate(zip(axes, artifact.metrics)):
        cells = [row[column] for table in tables for row in table.rows.values()]
        if not any(cell.values for cell in cells):
            panels.say(axis, f"{metric.label}: {panels.NO_DATA}")
        elif len(tables) == 1:
            _rows(axis, cells, styles)
            if column % columns:  # The names stand at the left end of each row of panels.
                axis.tick_params("y", labelleft=False)
            axis.set_xlabel(metric.label, parse_math=False)
        else:
            shown = [table for table in tables if metric.is_shown_of(table.dataset)]
            _groups(axis, shown, column, methods, styles)
            axis.set_ylabel(metric.label, parse_math=False)
    panels.legend(figure, _handles(tables, methods if len(tables) > 1 else [], styles))
    return figure


def _rows(axis: Axes, cells: Sequence[Cell], styles: Mapping[str, Style]) -> None:
    """A bar below another, each beside its method's name."""
    axis.grid(visible=False, axis="y")
    axis.grid(axis="x", color="0.9", linewidth=0.8)
    for place, cell in enumerate(cells):
        style = styles[cell.method]
        if cell.mean is None or not math.isfinite(cell.mean):
            axis.text(
                0.0, place, f" {_absence(cell)}", va="center", fontsize="small", color=panels.GRAY
            )
        else:
            axis.barh(place, cell.mean, 0.72, color=style.color, hatch=_hatch(cell), **_EDGE)
            axis.errorbar(cell.mean, place, xerr=cell.std, **_marker(style), **_DEVIATION)
            panels.note(axis, cell.some_of_seeds, (cell.mean + (cell.std or 0.0), place), right=5)
        if cell.paper is not None:
            axis.plot(cell.paper, place, "k|", markersize=13, markeredgewidth=2, zorder=4)
    axis.set_yticks(range(len(cells)), [cell.method for cell in cells], fontsize="small")
    axis.set_ylim(len(cells) - 0.4, -0.6)


def _groups(
    axis: Axes,
    tables: Sequence[Table],
    column: int,
    methods: Sequence[str],
    styles: Mapping[str, Style],
) -> None:
    """A group of bars per table, a method at the same place in each."""
    width = 0.84 / len(methods)
    foot = axis.get_xaxis_transform()
    upright: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": 6}
    for at, table in enumerate(tables):
        for method, row in table.rows.items():
            cell, style = row[column], styles[method]
            x = at + (methods.index(method) - (len(methods) - 1) / 2) * width
            if cell.mean is None or not math.isfinite(cell.mean):
                axis.text(x, 0.01, _absence(cell), transform=foot, color=panels.GRAY, **upright)
            else:
                axis.bar(x, cell.mean, 0.92 * width, color=style.color, hatch=_hatch(cell), **_EDGE)
                axis.errorbar(x, cell.mean, yerr=cell.std, **_marker(style), **_DEVIATION)
                top = cell.mean + (cell.std or 0.0)
                panels.note(axis, cell.some_of_seeds, (x, top), above=5, rotation=90)
            if cell.paper is not None:
                axis.hlines(cell.paper, x - width / 2, x + width / 2, "k", linewidth=2, zorder=4)
    titles = [
        "\n".join(panels.short(part, at_most=_LETTERS_PER_LINE) for part in table.title.split(", "))
        for table in tables
    ]
    axis.set_xticks(range(len(tables)), titles, fontsize="small")
    axis.set_xlim(-0.5, len(tables) - 0.5)


def _absence(cell: Cell) -> str:
    return cell.absence if cell.mean is None else "not finite"


def _hatch(cell: Cell) -> str | None:
    return _COLLAPSED_HATCH if cell.has_collapsed else None


def _marker(style: Style) -> dict[str, Any]:
    look = {"marker": style.marker, "color": style.color, "markerfacecolor": style.marker_face}
    return {**look, "markersize": 4.5, "markeredgecolor": "0.15", "markeredgewidth": 0.7}


def _handles(
    tables: Sequence[Table], methods: Sequence[str], styles: Mapping[str, Style]
) -> dict[str, Any]:
    cells = [cell for table in tables for cell in table.cells]
    handles: dict[str, Any] = {
        method: panels.paper_mark(**_marker(styles[method]), linestyle="-", linewidth=7)
        for method in methods
    }
    if any(cell.std is not None for cell in cells):
        handles["± 1 standard deviation over seeds"] = panels.paper_mark(
            marker="|", linestyle="-", markeredgewidth=1
        )
    if any(cell.paper is not None for cell in cells):
        handles["the paper"] = panels.paper_mark(marker="_" if methods else "|")
    if any(cell.has_collapsed for cell in cells):
        handles["average collapsed"] = Patch(
            facecolor="0.6", edgecolor="white", hatch=_COLLAPSED_HATCH
        )
    return handles
