"""A panel per data set and curve: the mean over the seeds with its band, over the rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.declaration import Curve, Curves
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, method_styles
from experiments.reporting.finished import FinishedArtifact
from experiments.runs.record import EVALUATION_PREFIX

_BAND: dict[str, Any] = {"alpha": 0.18, "linewidth": 0}
_POINT: dict[str, Any] = {
    "markeredgecolor": "black",
    "markeredgewidth": 1.4,
    "markersize": 9,
    "linestyle": "none",
    "zorder": 5,
    "clip_on": False,
}


def draw(view: Curves, source: FinishedArtifact) -> Figure:
    """Draws the curves, each up to the end of its shortest run.

    Where the paper has a number for a round, it is a point of its own.
    """
    styles = method_styles(source.artifact)
    labels = source.labels
    columns = min(3, len(labels)) if len(view.curves) == 1 else min(4, len(view.curves))
    num_panels = len(labels) * len(view.curves)
    width, height = (6.2, 4.0) if num_panels <= 2 else (4.6, 3.2)
    figure, axes = panels.grid(num_panels, columns=columns, width=width, height=height)
    shown = [(dataset, curve) for dataset in labels for curve in view.curves]
    handles: dict[str, Any] = {}
    for axis, (dataset, curve) in zip(axes, shown):
        axis.set_title(labels[dataset], fontsize="medium", parse_math=False)
        drawn = _lines(axis, source, dataset, curve, styles)
        if not drawn:
            is_run = any(run.dataset == dataset for run, _ in source.finished)
            panels.say(axis, "not measured" if is_run else panels.NO_DATA)
            continue
        drawn |= _paper_points(axis, source, dataset, curve, styles)
        handles |= drawn | panels.set_curve_axes(axis, curve)
    ordered = {label: handles[label] for label in (*styles, *handles) if label in handles}
    panels.legend(figure, ordered)
    return figure


def _lines(
    axis: Axes, source: FinishedArtifact, dataset: str, curve: Curve, styles: Mapping[str, Style]
) -> dict[str, Any]:
    handles = {}
    for number, variant in enumerate(source.artifact.variants):
        records = source.by_variant.get((dataset, variant.label), {}).values()
        series = [values for record in records if len(values := record.over_rounds(curve.column))]
        if not series:
            continue
        style = styles[variant.label]
        # A run may end at its target: beyond the shortest, the mean would be of slow seeds alone.
        last = min(each.index[-1] for each in series)
        of_seeds = pd.concat(series, axis="columns").sort_index().loc[:last]
        mean = of_seeds.mean(axis="columns")
        deviation = of_seeds.std(axis="columns").fillna(0.0)
        every = max(1, -(-len(mean) // 8))  # A line has about eight markers.
        (line,) = axis.plot(
            mean.index,
            mean,
            **style.of_lines,
            markersize=4.5,
            # Not all lines have their markers in the same rounds.
            markevery=(number % every, every),
        )
        if len(series) > 1:
            low = mean - deviation
            if curve.logarithmic:  # If one seed is far above, this may be near 0, or below.
                above = of_seeds.where(of_seeds > 0).min(axis="columns")
                low = low.clip(lower=above.fillna(mean))
            axis.fill_between(mean.index, low, mean + deviation, color=style.color, **_BAND)
        handles[variant.label] = line
    return handles


def _paper_points(
    axis: Axes, source: FinishedArtifact, dataset: str, curve: Curve, styles: Mapping[str, Style]
) -> dict[str, Any]:
    paper = source.artifact.paper_values()
    points = [
        (method, metric.in_round, value)
        for metric in source.artifact.metrics
        if metric.in_round is not None and curve.column == EVALUATION_PREFIX + metric.key
        for method in source.artifact.methods
        if (value := paper.get((dataset, method, metric.paper_column or ""))) is not None
    ]
    for method, in_round, value in points:
        style = styles[method]
        axis.plot(in_round, value, marker=style.marker, color=style.color, **_POINT)
    mark = Line2D([], [], marker="o", color="white", **_POINT)
    return {"the paper (marker of the method)": mark} if points else {}
