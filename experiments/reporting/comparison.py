"""Ours beside the paper's: the numbers behind an artifact's tables."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from experiments.declaration import BEST, SCALES, Artifact, Metric
from experiments.declaration.algorithm import OWN_MODELS
from experiments.reporting.metrics import definition, measure
from experiments.reporting.metrics.definition import Inputs
from experiments.runs.dropped_clients import NEVER_CHANGED
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord
from leaf_data.sources import stand_in

# A model has collapsed if its average is below this share of the best method's.
COLLAPSED_BELOW = 0.5

# The finished runs of one variant on one data set, by seed.
_Records = Mapping[int, RunRecord]


@dataclasses.dataclass(frozen=True)
class Cell:
    """One cell of a table: a method's number by a metric on a data set, and the paper's, if any.

    Attributes:
        values: Ours, by the seeds that were run.
        has_collapsed: Whether the method has collapsed: its mean of the metric `read_with` is below
            half of the best method's in this table. A good number then means nothing.
        bounds: For each seed that missed a target, the value that comparisons use.
        step: The metric's resolution in these runs: the smallest possible difference, 0 for a
            continuous metric.
        unchanged: The seeds of runs whose model never changed; they decide nothing.
        num_runs: The number of the method's runs. Some may have no value, as they lack the run that
            the metric compares them with.
        evaluated_every: From one evaluation to the next, in rounds, the runs' numbers.
        ended_early: Whether a target accuracy ended a run before its last round.
    """

    dataset: str
    method: str
    metric: Metric
    paper: float | None
    values: Mapping[int, float]
    has_collapsed: bool = False
    bounds: Mapping[int, float] = dataclasses.field(default_factory=dict)
    step: float = 0.0
    unchanged: frozenset[int] = frozenset()
    num_runs: int = 0
    evaluated_every: frozenset[int] = frozenset()
    ended_early: bool = False

    @property
    def reached(self) -> Mapping[int, float]:
        """The values of the seeds that have one; some seeds miss a target."""
        return {seed: value for seed, value in self.values.items() if not math.isnan(value)}

    @property
    def counted(self) -> Mapping[int, float]:
        """The values by seed, and the bounds of those that did not reach a target."""
        return {**self.bounds, **self.reached}

    @property
    def mean(self) -> float | None:
        """The mean over the seeds that have a value, None where there is none."""
        return float(np.mean([*self.reached.values()])) if self.reached else None

    @property
    def std(self) -> float | None:
        """The sample standard deviation over the same, None for fewer than two finite ones."""
        values = [*self.reached.values()]
        is_defined = len(values) > 1 and np.isfinite(values).all()
        return float(np.std(values, ddof=1)) if is_defined else None

    @property
    def some_of_seeds(self) -> str:
        """`1 of 3 seeds` if the mean is over some of the seeds; else nothing."""
        num_seeds = max(len(self.values), self.num_runs)
        if not 0 < len(self.reached) < num_seeds:
            return ""
        return f"{len(self.reached)} of {num_seeds} seeds"

    @property
    def is_shown(self) -> bool:
        """Whether its metric is shown of its data set; if not, it has no values."""
        return self.metric.is_shown_of(self.dataset)

    @property
    def absence(self) -> str:
        """The text in place of a missing number."""
        if not self.is_shown:
            return ""
        if not self.values:
            return "not run"
        return "no number" if definition(self.metric).bound is None else "not reached"

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's; None if either is missing."""
        return None if self.mean is None or self.paper is None else self.mean - self.paper


@dataclasses.dataclass(frozen=True)
class Table:
    """What an artifact shows of one data set after one round.

    Attributes:
        round_number: The round, or `None` for the last one.
        metrics: The columns.
        cells: A cell for each metric and method. Cells of metrics that are not shown on the data
            set have no values.
        origins: Where the raw data of its runs came from, each source once.
        is_short: Whether its runs have fewer rounds than the paper, or than we decided for it.
    """

    dataset: str
    round_number: int | None
    metrics: tuple[Metric, ...]
    cells: tuple[Cell, ...]
    origins: tuple[str | None, ...] = ()
    is_short: bool = False

    @property
    def label(self) -> str:
        """The data set, and in brackets the stand-in for its raw data."""
        return data_label(self.dataset, self.origins)

    @property
    def title(self) -> str:
        """The data set as `label` has it, and the round if it is not the last one."""
        if self.round_number is None:
            return self.label
        return f"{self.label}, round {self.round_number:,}"

    @property
    def shown(self) -> tuple[Metric, ...]:
        """The columns that are shown of the data set."""
        return tuple(metric for metric in self.metrics if metric.is_shown_of(self.dataset))

    @property
    def rows(self) -> Mapping[str, tuple[Cell, ...]]:
        """The cells by method, in the order of the columns."""
        found: dict[str, tuple[Cell, ...]] = {}
        for cell in self.cells:
            found[cell.method] = (*found.get(cell.method, ()), cell)
        return found

    def column(self, metric: Metric) -> tuple[Cell, ...]:
        """Returns the cells of one metric."""
        return tuple(cell for cell in self.cells if cell.metric == metric)


def data_label(dataset: str, origins: Iterable[str | None]) -> str:
    """Returns a data set's name, followed in brackets by the stand-in for its raw data."""
    contents = dict.fromkeys(map(stand_in, origins))
    named = ", ".join(content for content in contents if content is not None)
    in_part = " in part" if None in contents else ""
    return f"{dataset} (stand-in{in_part}: {named})" if named else dataset


def by_variant(
    runs: Sequence[tuple[ArtifactRun, RunRecord | None]],
) -> dict[tuple[str, str], dict[int, RunRecord]]:
    """Returns the finished runs by data set and variant, in their order, and then by seed."""
    found: dict[tuple[str, str], dict[int, RunRecord]] = {}
    found.update(((run.dataset, run.variant), {}) for run, _ in runs)
    for run, record in sorted(runs, key=lambda each: each[0].seed):
        if record is not None:
            found[run.dataset, run.variant][run.seed] = record
    return {place: records for place, records in found.items() if records}


def compare(
    artifact: Artifact,
    records: Sequence[tuple[ArtifactRun, RunRecord | None]],
    *,
    scale: str,
    metrics: tuple[Metric, ...] | None = None,
) -> list[Table]:
    """Returns an artifact's results beside the paper's numbers, by data set and round shown.

    With `metrics` a data set has one table, of these instead of the artifact's own.
    """
    finished, paper = by_variant(records), artifact.paper_values()
    shown = artifact.tables(scale) if metrics is None else {None: metrics}
    return [
        _table(artifact, scale, dataset, round_number, of_round, finished, paper)
        for dataset in artifact.datasets_at(scale)
        for round_number, of_round in shown.items()
    ]


def _table(
    artifact: Artifact,
    scale: str,
    dataset: str,
    round_number: int | None,
    metrics: tuple[Metric, ...],
    finished: Mapping[tuple[str, str], _Records],
    paper: Mapping[tuple[str, str, str], float],
) -> Table:
    labels = [variant.label for variant in artifact.variants if variant.is_run_on(dataset)]
    of_dataset = {label: finished.get((dataset, label), {}) for label in labels}

    def cell(metric: Metric, label: str) -> Cell:
        values = _values(metric, of_dataset, label) if metric.is_shown_of(dataset) else {}
        own = {seed: of_dataset[label][seed] for seed in values}
        inputs, how = {seed: Inputs(own[seed], metric) for seed in own}, definition(metric)
        missed = (seed for seed, value in values.items() if math.isnan(value))
        bounds = {seed: how.bound(inputs[seed]) for seed in missed} if how.bound else {}
        return Cell(
            dataset=dataset,
            method=label,
            metric=metric,
            paper=paper.get((dataset, label, metric.paper_column or "")),
            values=values,
            bounds={seed: bound for seed, bound in bounds.items() if not math.isnan(bound)},
            step=max(map(how.step, inputs.values()), default=0.0),
            unchanged=frozenset(seed for seed in own if own[seed].result.get(NEVER_CHANGED, False)),
            num_runs=len(of_dataset[label]),
            evaluated_every=frozenset(
                record.resolved.configuration.rounds_per_evaluation for record in own.values()
            ),
            ended_early=any(record.ended_early for record in own.values()),
        )

    cells = [cell(metric, label) for metric in metrics for label in labels]
    every = (record.data_origin for records in of_dataset.values() for record in records.values())
    origins = tuple(dict.fromkeys(every))
    own, whole = artifact.scales[scale], artifact.scales.get(SCALES[-1])
    is_short = whole is not None and own.rounds_on(dataset) < whole.rounds_on(dataset)
    return Table(dataset, round_number, metrics, tuple(_read_together(cells)), origins, is_short)


def _values(metric: Metric, of_dataset: Mapping[str, _Records], variant: str) -> dict[int, float]:
    """Returns a metric of a variant's runs by seed; it may read another run of the seed."""
    others: _Records = {}
    if metric.compared_with == BEST:
        others = _best_by_seed(of_dataset)
    elif metric.compared_with is not None:
        others = of_dataset.get(metric.other(variant) or "", {})
    return {
        seed: measure(metric, record, other=others.get(seed))
        for seed, record in of_dataset.get(variant, {}).items()
        if metric.compared_with is None or seed in others
    }


def _best_by_seed(of_dataset: Mapping[str, _Records]) -> _Records:
    """Returns by seed the run whose one model for all has the best average of the clients."""
    found: dict[int, RunRecord] = {}

    def average(record: RunRecord) -> float:
        return float(np.nan_to_num(record.evaluation("test_average"), nan=-np.inf))

    for records in of_dataset.values():
        for seed, record in records.items():
            if record.resolved.algorithm.evaluation != OWN_MODELS:
                found[seed] = max(found.get(seed, record), record, key=average)
    return found


def _read_together(cells: Sequence[Cell]) -> list[Cell]:
    """Marks the cells of collapsed models, by the metrics in `read_with`."""
    means: dict[tuple[object, ...], dict[str, float]] = collections.defaultdict(dict)
    for cell in cells:
        if cell.mean is not None:
            means[cell.metric.key, cell.metric.in_round, cell.metric.over][cell.method] = cell.mean

    def has_collapsed(cell: Cell) -> bool:
        others = means[cell.metric.read_with, cell.metric.in_round, cell.metric.over]
        best = max(others.values(), default=0.0)
        return best > 0 and others.get(cell.method, math.inf) < COLLAPSED_BELOW * best

    return [dataclasses.replace(cell, has_collapsed=has_collapsed(cell)) for cell in cells]
