"""What the comparison of all weightings says of its methods, as texts for prose and tables."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.declaration import Metric
from experiments.declaration.algorithm import OWN_MODELS
from experiments.papers import catalogue
from experiments.papers.beyond.fair_field import ALONE
from experiments.papers.beyond.ranks import Ranking, rank
from experiments.papers.beyond.trade_off import not_beaten, whole_tables
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import judge
from experiments.reporting.markdown import escaped, grid
from experiments.reporting.numbers import ABSENT, difference_text, number
from experiments.reporting.pairs import pair
from experiments.reporting.slots import listed

_EDGE = "‡"


@dataclasses.dataclass(frozen=True, eq=False)  # Hashable, so that it keeps what it counts.
class Field:
    """The comparison on the data sets that are run as a whole; a metric is named by its label."""

    source: FinishedArtifact

    @functools.cached_property
    def tables(self) -> list[Table]:
        """The tables of these data sets."""
        return whole_tables(self.source)

    @functools.cached_property
    def methods(self) -> list[str]:
        """The methods, without clients that train alone."""
        return [each for each in self.source.artifact.methods if each != ALONE]

    @functools.cached_property
    def personal(self) -> list[str]:
        """The methods that give each client a model of its own."""
        variants = self.source.artifact.variants
        return [
            each.label
            for each in variants
            if catalogue.algorithm(each.algorithm).evaluation == OWN_MODELS and each.label != ALONE
        ]

    @property
    def absent(self) -> str:
        """The data sets that are not run as a whole; empty if all are."""
        there = {table.dataset for table in self.tables}
        return listed([each for each in self.source.artifact.datasets if each not in there])

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates that were tried."""
        tuning = self.source.artifact.tuning
        return () if tuning is None else tuning.learning_rates

    @functools.cache  # noqa: B019  Few objects, as long as the program.
    def ranking(self, metric: str) -> Ranking | None:
        """Returns how the methods rank; None with fewer than two data sets."""
        cells = ([cell for cell in t.cells if cell.method != ALONE] for t in self.tables)
        tables = [dataclasses.replace(t, cells=tuple(c)) for t, c in zip(self.tables, cells)]
        return rank(tables, self._metric(metric))

    @functools.cache  # noqa: B019
    def not_beaten(self, metric: str) -> Mapping[str, int]:
        """Returns on how many data sets no other method is better, by method."""
        return not_beaten(self.tables, self._metric(metric), self.methods)

    def ordered(self, metric: str) -> list[str]:
        """Returns the methods, the best one first: by mean rank, or by the mean of one data set."""
        ranking = self.ranking(metric)
        if ranking is not None:
            return [str(method) for method in ranking.mean_ranks.index]
        sign = 1.0 if self._metric(metric).smaller_is_better else -1.0
        return sorted(self.methods, key=lambda each: sign * (self._value(each, metric) or 0.0))

    def place(self, method: str, metric: str) -> str:
        """Returns its mean rank, or with one data set its mean."""
        ranking = self.ranking(metric)
        if ranking is None:
            return f"{self.mean(method, metric)} %"
        return number(float(ranking.mean_ranks[method]), 2)

    def never_beaten(self, metric: str) -> list[str]:
        """Returns the methods that no other one beats on any data set, the best ones first."""
        counts = self.not_beaten(metric)
        return [each for each in self.ordered(metric) if counts[each] == len(self.tables)]

    def mean(self, method: str, metric: str) -> str:
        """Returns the mean over the data sets; at least so much if a seed missed a target."""
        value = self._value(method, metric)
        if value is None:
            return ABSENT
        cells = self._cells(method, metric)
        is_bound = any(len(cell.reached) < len(cell.values) for cell in cells)
        return ("≥ " if is_bound else "") + number(value, cells[0].metric.decimals)

    def least(self, methods: Iterable[str], metric: str) -> str:
        """Returns the method with the smallest mean of a metric."""
        values = {each: self._value(each, metric) for each in methods}
        return min(values, key=lambda each: math.inf if (v := values[each]) is None else v)

    def alone_ahead(self, metric: str) -> int:
        """Returns on how many data sets clients that train alone have a larger mean than all."""
        means = (_means(table.column(self._metric(metric))) for table in self.tables)
        return sum(max(each, key=each.__getitem__) == ALONE for each in means)

    def gains(self, metric: str) -> str:
        """Returns a table: on each data set, what the best method and FedAvg gain over alone."""
        column, rows = self._metric(metric), []
        for table in self.tables:
            means = _means(table.column(column))
            best = max(self.methods, key=means.__getitem__)
            pairs = [pair(table, column, each, ALONE) for each in (best, self.methods[0])]
            gained = [f"{difference_text(each, column)}, {judge([each]).text}" for each in pairs]
            rows.append([table.label, number(means[ALONE], column.decimals), best, *gained])
        header = [f"alone, {metric}", "best method", "it gains", f"{self.methods[0]} gains"]
        return grid(["data set", *header], (map(escaped, row) for row in rows))

    def at_edge(self, method: str) -> int:
        """Returns on how many data sets its chosen rate is the smallest or the largest one."""
        return sum(_EDGE in self._chosen(table.dataset, method)[0] for table in self.tables)

    def choices(self) -> str:
        """Returns a table of the settings that were chosen on each data set."""
        places = [table.dataset for table in self.tables]
        rows = (
            [escaped(each), *(escaped(", ".join(self._chosen(place, each))) for place in places)]
            for each in self.source.artifact.methods
        )
        return grid(["method", *places], rows)

    def _chosen(self, dataset: str, method: str) -> list[str]:
        """The rate and the method's own settings, those at the edge of what was tried marked."""
        chosen = next(iter(self.source.by_variant[dataset, method].values())).resolved.configuration
        rate, own = chosen.learning_rate, chosen.hyperparameters
        texts = [f"{rate:g}{_mark(rate, self.rates)}"]
        tries = next(each.tries for each in self.source.artifact.variants if each.label == method)
        for name in dict.fromkeys(name for each in tries for name in each):
            texts.append(f"{name} = {own[name]}{_mark(own[name], [each[name] for each in tries])}")
        return texts

    def _metric(self, label: str) -> Metric:
        return {each.label: each for each in self.source.artifact.metrics}[label]

    def _cells(self, method: str, label: str) -> list[Cell]:
        metric = self._metric(label)
        rows = (table.rows[method] for table in self.tables)
        return [cell for row in rows for cell in row if cell.metric == metric]

    def _value(self, method: str, label: str) -> float | None:
        """The mean over the data sets; a missed target counts as its bound. None without any."""
        counted = [[*cell.counted.values()] for cell in self._cells(method, label)]
        return float(np.mean([np.mean(each) for each in counted])) if all(counted) else None


def _mark(value: Any, tried: Sequence[Any]) -> str:
    """The mark of the smallest or largest of at least three numbers; words have none."""
    has_edges = len(tried) >= 3 and not isinstance(value, str)
    return _EDGE if has_edges and value in (min(tried), max(tried)) else ""


def _means(column: Iterable[Cell]) -> dict[str, float]:
    """Returns the mean of each method; −∞ where it has none."""
    return {cell.method: -math.inf if cell.mean is None else cell.mean for cell in column}


def facts(source: FinishedArtifact) -> Field | None:
    """Returns what prose can ask for; None without a whole data set."""
    field = Field(source)
    return field if field.tables else None


def summary(source: FinishedArtifact) -> str:
    """Returns the chosen settings as Markdown."""
    field = facts(source)
    title = f"**Chosen rates and settings** ({_EDGE}: the smallest or largest one tried):"
    return "" if field is None else f"{title}\n\n{field.choices()}"
