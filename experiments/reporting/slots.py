"""Named slots of prose: every measured number in a sentence is read from finished runs."""

from __future__ import annotations

import dataclasses
import fnmatch
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.declaration import Artifact, Drawn, Metric
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.judgement import Outcome
from experiments.reporting.numbers import ABSENT, interval, number
from experiments.reporting.pairs import Pair, pair
from leaf_data import extensions

if TYPE_CHECKING:
    from experiments.reporting.results import Results

CONTRADICTED = "contradicted"
FAILS_IN_SOME, HOLDS_IN_NONE = "fails in some readings", "holds in no reading"
# How a claim can stand, and what a sentence says of one such claim and of several.
STANDINGS = {
    Outcome.HOLDS.value: ("holds", "hold"),
    Outcome.HOLDS_ON_SOME.value: ("holds on some data sets", "hold on some data sets"),
    Outcome.MIXED.value: ("is mixed", "are mixed"),
    Outcome.FAILS_ON_SOME.value: ("fails on some data sets", "fail on some data sets"),
    Outcome.FAILS.value: ("fails", "fail"),
    FAILS_IN_SOME: ("fails in some readings", "fail in some readings"),
    HOLDS_IN_NONE: ("holds in no reading", "hold in no reading"),
    CONTRADICTED: ("is contradicted", "are contradicted"),
    Outcome.NO_DIFFERENCE.value: ("shows no difference", "show no difference"),
    Outcome.LEANS_FOR.value: ("leans towards holding", "lean towards holding"),
    Outcome.LEANS_AGAINST.value: ("leans towards failing", "lean towards failing"),
    Outcome.OPEN.value: ("is open", "are open"),
    Outcome.NOT_RUN.value: ("is not run", "are not run"),
}


def claims_text(standings: Sequence[str]) -> str:
    """Returns how many claims stand how: `3 of 11 claims hold and 8 are open`."""
    if not standings:
        return "no claim"
    counts = Counter(standings)
    found = [
        f"{counts[each]} {STANDINGS[each][counts[each] > 1]}" for each in STANDINGS if counts[each]
    ]
    number_of_first, _, rest = found[0].partition(" ")
    noun = "claim" if len(standings) == 1 else "claims"
    found[0] = f"{number_of_first} of {len(standings)} {noun} {rest}"
    return ". Of the others ".join(map(listed, filter(None, (found[:5], found[5:]))))


class Slots:
    """The slots of prose: every public method except `by_name` is a slot of its name.

    An artifact is read at the scale that its claims are judged by. A metric is named by its label
    or key. A metric that is not the artifact's own also needs its parameters. The data set can be
    left out if the artifact has only one. What was not run is a dash.
    """

    def __init__(self, results: Results):
        self._results = results
        self._artifacts = {each.name: each for paper in results.papers for each in paper.artifacts}
        self._claims = {claim.name: (claim, of) for of in results.papers for claim in of.claims}

    def by_name(self) -> Mapping[str, Callable[..., Any]]:
        """Returns the slots as templates know them."""
        names = (name for name in vars(type(self)) if name != "by_name" and name[0] != "_")
        return {name: _or_dash(getattr(self, name)) for name in names}

    def mean(self, *names: str, **where: Any) -> str:
        """The mean over the seeds of an artifact's method by a metric."""
        cell = self._cell(*names, **where)
        return number(_mean(cell), cell.metric.decimals)

    def spread(self, *names: str, **where: Any) -> str:
        """The mean over the seeds ± their standard deviation."""
        cell = self._cell(*names, **where)
        deviation = "" if cell.std is None else f" ± {number(cell.std, cell.metric.decimals)}"
        return self.mean(*names, **where) + deviation

    def values(self, *names: str, **where: Any) -> str:
        """The number of every seed, in the order of the seeds; counts without decimals."""
        cell = self._cell(*names, **where)
        are_counts = all(value.is_integer() for value in cell.reached.values())
        decimals = 0 if are_counts else cell.metric.decimals
        texts = {seed: number(value, decimals) for seed, value in cell.reached.items()}
        return listed([texts.get(seed, cell.absence) for seed in sorted(cell.values)])

    def range(
        self,
        artifact: str,
        methods: Sequence[str],
        metric: str,
        *,
        datasets: Sequence[str | None] = (None,),
        **takes: Any,
    ) -> str:
        """The smallest and the largest mean of several methods and data sets."""
        places = itertools.product(methods, datasets)
        cells = [self._cell(artifact, m, metric, dataset=d, **takes) for m, d in places]
        return _from_to(map(_mean, cells), cells[0].metric)

    def paper(self, artifact: str, method: str, metric: str, **where: Any) -> str:
        """The paper's number."""
        cell = self._cell(artifact, method, metric, **where)
        if cell.paper is None:
            raise ValueError(f"{artifact}: the paper has no {metric!r} of {method!r}")
        return number(cell.paper, cell.metric.decimals)

    def distance(self, *names: str, datasets: Sequence[str], **takes: Any) -> str:
        """How far the means are from the paper's numbers, on average over data sets."""
        cells = [self._cell(*names, dataset=dataset, **takes) for dataset in datasets]
        apart = [abs(_mean(cell) - cell.paper) for cell in cells if cell.paper is not None]
        if len(apart) < len(cells):
            raise ValueError(f"{names[0]}: the paper lacks {names[2]!r} of {names[1]!r}")
        return number(sum(apart) / len(apart), cells[0].metric.decimals)

    def difference(self, *names: str, **where: Any) -> str:
        """By how much the first method is better: the mean difference and its interval."""
        found, of_metric = self._pair(*names, **where)
        shown = number(found.mean or 0.0, of_metric.decimals)
        ends = found.interval
        return shown if ends is None else f"{shown} {interval(ends, of_metric.decimals)}"

    def differences(self, *names: str, datasets: Sequence[str], **takes: Any) -> str:
        """The smallest and the largest mean difference over several data sets."""
        found = [self._pair(*names, dataset=dataset, **takes) for dataset in datasets]
        return _from_to((pair.mean or 0.0 for pair, _ in found), found[0][1])

    def verdict(self, claim: str) -> str:
        """How a claim stands, after "the claim": `is open (noise)`, `holds on 2 of 3 data sets`."""
        if claim not in self._claims:
            raise ValueError(f"there is no claim {claim!r}")
        verdict = self._results.verdicts.get(claim)
        outcome = Outcome.NOT_RUN if verdict is None else verdict.judgement.outcome
        text = outcome.value if verdict is None else verdict.judgement.text
        if outcome in (Outcome.HOLDS_ON_SOME, Outcome.FAILS_ON_SOME):
            return f"{text} data sets"
        detail = text.removeprefix(outcome.value).strip(" :()")
        return STANDINGS[self._standing(claim)][0] + (f" ({detail})" if detail else "")

    def verdicts(self, *patterns: str) -> str:
        """How many of the claims whose names fit one of the patterns stand how."""
        names = {name for pattern in patterns for name in fnmatch.filter(self._claims, pattern)}
        if not names:
            raise ValueError(f"there is no claim like {' or '.join(patterns)}")
        return claims_text([*map(self._standing, names)])

    def facts(self, artifact: str) -> Any:
        """What the artifact's own function finds for prose; None where there is nothing to say."""
        declared = self._declared(artifact)
        view, finished = declared.view, self._results.first(declared)
        if not isinstance(view, Drawn) or view.facts is None:
            raise ValueError(f"{artifact} has no function that finds facts for prose")
        return None if finished is None else extensions.load(view.facts)(finished)

    def _declared(self, artifact: str) -> Artifact:
        if artifact not in self._artifacts:
            raise ValueError(f"there is no artifact {artifact!r}")
        return self._artifacts[artifact]

    def _standing(self, claim: str) -> str:
        return self._results.standing(*self._claims[claim])

    def _cell(self, artifact: str, method: str, metric: str, **where: Any) -> Cell:
        table, of_metric = self._table(artifact, metric, **where)
        methods = self._artifacts[artifact].methods
        if method not in methods:
            raise ValueError(f"{artifact}: method must be one of {methods}, got {method!r}")
        for cell in table.column(of_metric):
            if cell.method == method and cell.values:
                return cell
        raise _NotRunError

    def _pair(
        self, artifact: str, better: str, worse: str, metric: str, **where: Any
    ) -> tuple[Pair, Metric]:
        for method in (better, worse):
            self._cell(artifact, method, metric, **where)
        table, of_metric = self._table(artifact, metric, **where)
        found = pair(table, of_metric, better, worse)
        if found.mean is None:
            raise _NotRunError
        return found, of_metric

    def _table(
        self, artifact: str, metric: str, *, dataset: str | None = None, **takes: Any
    ) -> tuple[Table, Metric]:
        declared = self._declared(artifact)
        datasets = declared.datasets
        name = datasets[0] if dataset is None and len(datasets) == 1 else dataset
        if name not in datasets:
            raise ValueError(f"{artifact}: dataset must be one of {datasets}, got {name!r}")
        own = (each for each in declared.metrics if metric in (each.label, each.key))
        asked = dataclasses.replace(next(own, Metric(metric, metric)), **takes)
        finished = self._results.first(declared)
        tables = {} if finished is None else finished.tables_of(asked)
        if name not in tables:
            raise _NotRunError
        return tables[name], asked


class _NotRunError(Exception):
    """What is asked for was not run, or has no number."""


def _or_dash(slot: Callable[..., Any]) -> Callable[..., Any]:
    def filled(*args: Any, **kwargs: Any) -> Any:
        try:
            return slot(*args, **kwargs)
        except _NotRunError:
            return ABSENT

    return filled


def _mean(cell: Cell) -> float:
    if cell.mean is None:
        raise _NotRunError
    return cell.mean


def _from_to(values: Iterable[float], metric: Metric) -> str:
    found = sorted(values)
    ends = dict.fromkeys(number(value, metric.decimals) for value in (found[0], found[-1]))
    return " to ".join(ends)


def listed(texts: Sequence[str]) -> str:
    """Returns texts as a list in a sentence: `a, b and c`."""
    *before, last = texts or [""]
    return f"{', '.join(before)} and {last}" if before else last
