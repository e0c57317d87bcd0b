"""Mean ranks of methods over data sets, and which of them differ significantly.

Friedman's test asks whether any method differs. Nemenyi's test asks which pairs differ: those whose
mean ranks differ by at least the critical difference. Both are in section 3.2.2 of Demšar,
Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006. A data set counts as
one observation, however many clients and seeds it has.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from experiments.declaration import Metric
from experiments.reporting.comparison import Table
from experiments.reporting.figures import panels
from experiments.reporting.figures.style import Style, method_styles
from experiments.reporting.finished import FinishedArtifact

_SIGNIFICANCE = 0.05
# Friedman's test compares three methods at least, and one data set shows no spread.
_FEWEST_METHODS = 3
_FEWEST_DATASETS = 2
_INCHES_PER_METHOD = 0.24
_BAR = "0.55"
_TOO_FEW = "ranks need three methods on two data sets"


@dataclasses.dataclass(frozen=True)
class Ranking:
    """How methods rank.

    Attributes:
        mean_ranks: The mean rank over the data sets by method, the best one first. Rank 1 is the
            best, and methods with equal values share the mean of their ranks.
        num_datasets: The number of data sets on which every method has a value.
        p_value: Friedman's; nan if all methods are equal on all data sets.
        critical_difference: Nemenyi's, in ranks, at 5 %.
    """

    mean_ranks: pd.Series
    num_datasets: int
    p_value: float
    critical_difference: float

    @property
    def is_significant(self) -> bool:
        """Whether Friedman's test finds that methods differ."""
        return self.p_value < _SIGNIFICANCE

    @property
    def num_like_first(self) -> int:
        """How many methods Nemenyi's test does not tell from the first one."""
        return int(np.sum(self.mean_ranks < self.mean_ranks.iloc[0] + self.critical_difference)) - 1

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The largest groups without two methods that differ significantly, the best ones first.

        They mean nothing if Friedman's test finds no difference.
        """
        methods, ranks = [*self.mean_ranks.index], self.mean_ranks.to_numpy()
        groups: list[tuple[str, ...]] = []
        last = 0
        for first, rank in enumerate(ranks):
            beyond = int(np.sum(ranks < rank + self.critical_difference))
            if beyond > max(last, first + 1):
                groups.append(tuple(methods[first:beyond]))
                last = beyond
        return groups


def rank(tables: Sequence[Table], metric: Metric) -> Ranking | None:
    """Ranks an artifact's methods by a metric's mean over the seeds that all of them have.

    A seed that only some methods have would favour them if it is an easy one. Methods without any
    value are left out, and then the data sets on which the other methods have no seed in common.
    Returns None for fewer than three methods or two data sets.
    """
    by_seed = [
        pd.DataFrame(
            {cell.method: pd.Series(cell.reached, dtype=float) for cell in table.column(metric)}
        )
        for table in tables
    ]
    methods = pd.concat(by_seed).dropna(axis="columns", how="all").columns if tables else []
    # A method without a value leaves its data set's row incomplete.
    of_all = [values.reindex(columns=methods).dropna().mean() for values in by_seed]
    means = pd.DataFrame(of_all, columns=methods, dtype=np.float64).dropna()
    num_datasets, num_methods = means.shape
    if num_methods < _FEWEST_METHODS or num_datasets < _FEWEST_DATASETS:
        return None
    ranks = means.rank(axis="columns", ascending=metric.smaller_is_better)
    with np.errstate(invalid="ignore"):  # 0 / 0 if all methods are equal on all data sets.
        p_value = float(stats.friedmanchisquare(*(means[method] for method in means)).pvalue)
    studentized = stats.studentized_range.ppf(1 - _SIGNIFICANCE, num_methods, np.inf) / math.sqrt(2)
    critical = float(studentized * math.sqrt(num_methods * (num_methods + 1) / (6 * num_datasets)))
    return Ranking(ranks.mean().sort_values(kind="stable"), num_datasets, p_value, critical)


def draw(source: FinishedArtifact) -> Figure:
    """Draws critical-difference diagrams, a method per line, the best one at the top."""
    artifact = source.artifact
    styles = method_styles(artifact)
    height = 1.2 + _INCHES_PER_METHOD * len(artifact.methods)
    figure, axes = panels.grid(len(artifact.metrics), columns=2, width=5.4, height=height)
    for axis, metric in zip(axes, artifact.metrics):
        ranking = rank(source.tables, metric)
        axis.set_title(panels.short(metric.label), fontsize="small", parse_math=False)
        if ranking is None:
            panels.say(axis, _TOO_FEW if source.finished else panels.NO_DATA)
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
    right = 1.13 * len(methods) + 0.5  # Beyond the number of the last one.
    for column, group in enumerate(ranking.groups):
        ends = [methods.index(group[0]) - 0.25, methods.index(group[-1]) + 0.25]
        at = right + 0.3 * column
        axis.plot([at, at], ends, color=_BAR, linewidth=3, solid_capstyle="butt")
    axis.set_yticks(range(len(methods)), methods, parse_math=False)
    axis.set_ylim(len(methods) - 0.4, -1.6)
    # The critical difference as a scale above the methods.
    axis.plot([1, 1 + ranking.critical_difference], [-0.9, -0.9], color=_BAR, linewidth=3)
    said = f"critical difference {ranking.critical_difference:.2f}"
    axis.annotate(said, (1, -1.1), fontsize="small")
    axis.set_xlim(0.5, right + 0.3 * len(ranking.groups) + 0.2)
    axis.set_xticks(range(1, len(methods) + 1, 1 + len(methods) // 16))  # Else numbers overlap.
    p_value = ranking.p_value
    friedman = "p < 1e-4" if p_value < 1e-4 else f"p = {p_value:.2g}"
    friedman = "all equal" if math.isnan(p_value) else friedman
    axis.set_xlabel(
        f"mean rank over {ranking.num_datasets} data sets, 1 is best; bars join what\n"
        f"Nemenyi's test does not tell apart; Friedman's test: {friedman}",
        fontsize="small",
    )
