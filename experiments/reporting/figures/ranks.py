"""A panel per metric: the methods' mean ranks over the data sets, and which can be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.declaration import Artifact, Ranks
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, method_styles
from experiments.reporting.ranks import Ranking, rank
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

_INCHES_PER_METHOD = 0.24
_BAR = "0.55"
_TOO_FEW = "ranks need three methods on two data sets"


def draw(
    artifact: Artifact,
    view: Ranks,
    tables: Sequence[Table],
    finished: Sequence[tuple[ArtifactRun, RunRecord]],
) -> Figure:
    """Draws critical-difference diagrams, a method per line, the best one at the top."""
    styles = method_styles(artifact)
    height = 1.2 + _INCHES_PER_METHOD * len(artifact.methods)
    figure, axes = panels.grid(len(artifact.metrics), columns=2, width=5.4, height=height)
    for axis, metric in zip(axes, artifact.metrics):
        ranking = rank(tables, metric)
        axis.set_title(panels.short(metric.label), fontsize="small", parse_math=False)
        if ranking is None:
            panels.say(axis, _TOO_FEW if finished else panels.NO_DATA)
        else:
            _draw_ranking(axis, ranking, styles)
    return figure


def _draw_ranking(axis: Axes, ranking: Ranking, styles: Mapping[str, Style]) -> None:
    methods = [*ranking.mean_ranks.index]
    for place, (method, mean_rank) in enumerate(ranking.mean_ranks.items()):
        style = styles[str(method)]
        axis.plot(mean_rank, place, marker=style.marker, color=style.color, linestyle="none")
        axis.annotate(
            f"{mean_rank:.2f}", (mean_rank, place), (6, 0), textcoords="offset points", va="center"
        )
    right = len(methods) + 1.0
    for column, group in enumerate(ranking.groups):
        ends = [methods.index(group[0]) - 0.25, methods.index(group[-1]) + 0.25]
        at = right + 0.3 * column
        axis.plot([at, at], ends, color=_BAR, linewidth=3, solid_capstyle="butt")
    axis.set_yticks(range(len(methods)), methods, parse_math=False)
    axis.set_ylim(len(methods) - 0.4, -1.6)
    # The critical difference as a scale above the methods.
    axis.plot([1, 1 + ranking.critical_difference], [-0.9, -0.9], color=_BAR, linewidth=3)
    axis.annotate(
        f"critical difference {ranking.critical_difference:.2f}", (1, -1.1), fontsize="small"
    )
    axis.set_xlim(0.5, right + 0.3 * len(ranking.groups) + 0.2)
    axis.set_xticks(range(1, len(methods) + 1))
    axis.set_xlabel(
        f"mean rank over {ranking.num_datasets} data sets, 1 is best; bars join what\n"
        f"Nemenyi's test does not tell apart; {_friedman(ranking.p_value)}",
        fontsize="small",
    )


def _friedman(p_value: float) -> str:
    if math.isnan(p_value):
        return "Friedman's test: all equal"
    return f"Friedman's test: p {'< 1e-4' if p_value < 1e-4 else f'= {p_value:.2g}'}"
