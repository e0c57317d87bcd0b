"""Many methods on many data sets: the average against the worst 20 %, ranks, and who is beaten."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.declaration import Metric
from experiments.papers.beyond.ranks import rank
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import method_styles
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Outcome, judge
from experiments.reporting.markdown import escaped, grid
from experiments.reporting.numbers import number
from experiments.reporting.pairs import pair


def draw(source: FinishedArtifact) -> Figure:
    """Draws a panel per data set, a point per method: the first metric against the second.

    A line joins the methods of the Pareto front, which are named.
    """
    tables = whole_tables(source)
    looks = {
        method: {**style.of_lines, "linestyle": "none"}
        for method, style in method_styles(source.artifact).items()
    }
    figure, axes = panels.grid(len(tables), columns=3, width=4.2, height=3.6)
    if not tables:
        panels.say(axes[0])
        return figure
    for axis, table in zip(axes, tables):
        points = {m: (x.mean or 0.0, y.mean or 0.0) for m, (x, y, *_) in table.rows.items()}
        front = pareto_front(points)
        axis.plot(*zip(*(points[each] for each in front)), color="0.6", linewidth=1, zorder=1)
        for method, at in points.items():
            axis.plot(*at, **looks[method])
        for place, name in enumerate(front):
            # Neighbours' names must not overlap: each is lower, and those of the first half left.
            side, ha = (-3, "right") if place < (len(front) - 1) / 2 else (3, "left")
            at = (side, 3 - 5 * place)
            axis.annotate(name, points[name], at, textcoords="offset points", fontsize=6, ha=ha)
        axis.set_title(panels.short(table.label), fontsize="small", parse_math=False)
        axis.set_xlabel(table.metrics[0].label, parse_math=False)
        axis.set_ylabel(table.metrics[1].label, parse_math=False)
    panels.legend(figure, {method: Line2D([], [], **look) for method, look in looks.items()})
    return figure


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Returns whose point no other one has at least as large in both and larger in one.

    They are in the order of the first number.
    """

    def is_behind(x: float, y: float) -> bool:
        return any(u >= x and v >= y and (u, v) != (x, y) for u, v in points.values())

    return sorted((name for name in points if not is_behind(*points[name])), key=points.__getitem__)


def whole_tables(source: FinishedArtifact) -> list[Table]:
    """Returns the tables of the data sets on which every method was run with every seed."""
    missing = {run.dataset for run, record in source.runs if record is None}
    return [table for table in source.tables if table.dataset not in missing]


def not_beaten(tables: Sequence[Table], metric: Metric, methods: Sequence[str]) -> dict[str, int]:
    """Returns on how many data sets each method is not beaten by another one.

    It is beaten where the claim that another one is better holds. The data sets of two methods are
    one claim, see `judgement.judge`; between different pairs nothing is corrected.
    """
    beaten: dict[str, set[str]] = {method: set() for method in methods}
    columns = [dataclasses.replace(table, cells=table.column(metric)) for table in tables]
    for one, other in itertools.combinations(methods, 2):
        for found in judge(pair(column, metric, one, other) for column in columns).datasets:
            if found.outcome in (Outcome.HOLDS, Outcome.FAILS):
                beaten[other if found.outcome is Outcome.HOLDS else one].add(found.pair.dataset)
    return {method: len(tables) - len(datasets) for method, datasets in beaten.items()}


def summary(source: FinishedArtifact) -> str:
    """Returns a row per method: mean ranks, and on how many data sets it is not beaten."""
    tables, metrics = whole_tables(source), source.artifact.metrics
    columns: dict[str, dict[str, str]] = {}
    lines = []
    if not tables:
        return ""
    for metric in metrics:
        ranking = rank(tables, metric)
        if ranking is not None:  # Two data sets at least have ranks.
            ranks = ranking.mean_ranks.items()
            columns[f"mean rank, {metric.label}"] = {str(each): number(at, 2) for each, at in ranks}
            lines.append(
                f"By {metric.label}, Friedman's test has p = {ranking.p_value:.2g}, and Nemenyi's "
                f"critical difference is {number(ranking.critical_difference, 2)} ranks."
            )
        counts = not_beaten(tables, metric, source.artifact.methods).items()
        columns[f"not beaten, {metric.label}"] = {each: str(count) for each, count in counts}
    rows = (
        [escaped(method), *(column[method] for column in columns.values())]
        for method in source.artifact.methods
    )
    whole = grid(["method", *columns], rows)
    over = f"{len(tables)} data {'set' if len(tables) == 1 else 'sets'}"
    return "\n\n".join([f"**All methods over {over}:**", whole, " ".join(lines)]).strip()
