"""A figure's panels, their text if there is nothing to draw, and the legend."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from experiments.declaration import Curve

NO_DATA = "no finished run"
_INCHES_PER_LEGEND_COLUMN = 2.6
_INCHES_PER_LEGEND_ROW = 0.22
_INCHES_FOR_TITLE = 0.5
GRAY = "0.45"
_CHARACTERS_PER_INCH = 12


def grid(
    num_panels: int, *, columns: int, width: float = 4.6, height: float = 3.2
) -> tuple[Figure, list[Axes]]:
    """Returns a figure of panels: how many in a row, and the size of each in inches, are given."""
    num_panels = max(1, num_panels)
    columns = min(columns, num_panels)
    rows = -(-num_panels // columns)
    figure = Figure(
        figsize=(max(5.5, width * columns), height * rows + _INCHES_FOR_TITLE), layout="constrained"
    )
    axes = [figure.add_subplot(rows, columns, place + 1) for place in range(num_panels)]
    for axis in axes:
        set_look(axis)
    return figure, axes


def set_look(axis: Axes) -> None:
    """Leaves two sides of a panel open, and rules it lightly."""
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", color="0.9", linewidth=0.8)
    axis.set_axisbelow(True)


def say(axis: Axes, sentence: str = NO_DATA) -> None:
    """Says in an empty panel why it is empty."""
    axis.text(0.5, 0.5, sentence, transform=axis.transAxes, ha="center", va="center", color=GRAY)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.grid(visible=False)


def note(
    axis: Axes,
    text: str,
    at: tuple[float, float],
    *,
    right: float = 0.0,
    above: float = 0.0,
    rotation: float = 0.0,
) -> None:
    """Writes a few words, if there are any, beside what is drawn at a place of the axes.

    They begin `right` and `above` points from it; 0 is centred. `rotation` is in degrees.
    """
    if text:
        look: dict[str, Any] = {"rotation": rotation, "fontsize": 6, "color": GRAY}
        look |= {"ha": "left" if right else "center", "va": "bottom" if above else "center"}
        axis.annotate(text, at, xytext=(right, above), textcoords="offset points", **look)


def legend(figure: Figure, handles: Mapping[str, Any]) -> None:
    """Puts one legend, handles by label, below all panels, and makes room for it."""
    if not handles:
        return
    longest = max(map(len, handles)) / _CHARACTERS_PER_INCH + 0.8
    columns = int(figure.get_figwidth() // max(longest, _INCHES_PER_LEGEND_COLUMN / 2))
    columns = max(1, min(columns, len(handles)))
    rows = -(-len(handles) // columns)
    figure.set_figheight(figure.get_figheight() + _INCHES_PER_LEGEND_ROW * rows)
    look: dict[str, Any] = {"frameon": False, "fontsize": "small", "handlelength": 3.2}
    look |= {"loc": "outside lower center", "ncols": columns}
    figure.legend(handles.values(), handles.keys(), **look)


def paper_mark(**overrides: Any) -> Line2D:
    """Returns the legend's symbol for a number of the paper."""
    look = {"color": "k", "marker": "_", "linestyle": "none", "markersize": 11}
    return Line2D([], [], **{**look, "markeredgewidth": 2, **overrides})


def short(title: str, *, at_most: int = 42) -> str:
    """Returns a panel's title on as many lines as it needs."""
    return textwrap.fill(title, at_most, break_long_words=False, break_on_hyphens=False)


def set_curve_axes(axis: Axes, curve: Curve) -> dict[str, Any]:
    """Names the axes of a curve over the rounds, draws its target and returns the legend's part."""
    handles = {}
    if curve.target is not None:
        axis.axhline(curve.target, color="0.35", linestyle="--", linewidth=1)
        handles["target"] = Line2D([], [], color="0.35", linestyle="--", linewidth=1)
    if curve.logarithmic:
        axis.set_yscale("log")
    axis.set_xlabel("round")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axis.set_ylabel(curve.label, parse_math=False)
    return handles
