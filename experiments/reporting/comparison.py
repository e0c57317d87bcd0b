"""Ours beside the paper's: the numbers behind an artifact's table."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.artifacts import Artifact, ArtifactRun, Metric


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number of the table.

    Attributes:
        dataset: The data set.
        method: The row's label.
        metric: What is measured.
        paper: The paper's number, if it has one.
        values: Ours, one per seed that was run.
        paper_rank: The method's place among the paper's for this data set and metric, 1 the
            largest number, among the methods that both have.
        our_rank: Its place among ours.
        chosen: For a row that shows the best of several variants, which one that is.
    """

    dataset: str
    method: str
    metric: Metric
    paper: float | None
    values: tuple[float, ...]
    paper_rank: int | None = None
    our_rank: int | None = None
    chosen: str | None = None

    @property
    def reached(self) -> tuple[float, ...]:
        """The values of those seeds that have one: some never reach a target."""
        return tuple(value for value in self.values if not math.isnan(value))

    @property
    def mean(self) -> float | None:
        """The mean over the seeds that have a value, None where there is none."""
        return float(np.mean(self.reached)) if self.reached else None

    @property
    def std(self) -> float | None:
        """The sample standard deviation over the same, None for fewer than two."""
        return float(np.std(self.reached, ddof=1)) if len(self.reached) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's, None where either is missing."""
        return None if self.mean is None or self.paper is None else self.mean - self.paper


def compare(
    artifact: Artifact, results: Sequence[tuple[ArtifactRun, Mapping[str, Any] | None]]
) -> list[Cell]:
    """Puts the results of an artifact's runs beside the paper's numbers.

    Args:
        artifact: The artifact.
        results: Every run with the contents of its `result.json`, None where it was not run.

    Returns:
        A cell for each data set, method and metric; methods are the artifact's variants and then
        its best-of rows.
    """
    by_variant: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for run, result in results:
        if result is not None:
            by_variant.setdefault((run.dataset, run.variant), []).append(result)
    paper = artifact.paper_values()
    cells: list[Cell] = []
    for dataset in artifact.datasets:
        methods = {variant.label: variant.label for variant in artifact.variants}
        for label, candidates in artifact.best_of.items():
            best = best_variant(artifact, by_variant, dataset, candidates)
            if best is not None:
                methods[label] = best
        for metric in artifact.metrics:
            cells.extend(
                _ranked(
                    [
                        Cell(
                            dataset=dataset,
                            method=label,
                            metric=metric,
                            paper=paper.get((dataset, label, metric.key)),
                            values=_values(metric, by_variant, dataset, variant),
                            chosen=variant if variant != label else None,
                        )
                        for label, variant in methods.items()
                    ]
                )
            )
    return cells


def _values(
    metric: Metric,
    by_variant: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
    dataset: str,
    variant: str,
) -> tuple[float, ...]:
    """Returns a metric of one variant's runs, one per seed."""
    values = [float(result[metric.key]) for result in by_variant.get((dataset, variant), ())]
    if metric.relative_to is None:
        return tuple(values)
    references = by_variant.get((dataset, metric.relative_to), ())
    return tuple(
        value / float(reference[metric.key]) for value, reference in zip(values, references)
    )


def best_variant(
    artifact: Artifact,
    by_variant: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
    dataset: str,
    candidates: Sequence[str],
) -> str | None:
    """Returns the candidate with the largest mean of the artifact's first metric, if any ran."""
    key = artifact.metrics[0].key
    means = {
        label: np.mean([result[key] for result in by_variant[dataset, label]])
        for label in candidates
        if (dataset, label) in by_variant
    }
    return max(means, key=lambda label: means[label]) if means else None


def _ranked(cells: list[Cell]) -> list[Cell]:
    """Fills in the ranks among those cells of one data set and metric that both sides have."""
    comparable = [cell for cell in cells if cell.difference is not None]
    papers = sorted((cell.paper or 0.0 for cell in comparable), reverse=True)
    ours = sorted((cell.mean or 0.0 for cell in comparable), reverse=True)
    return [
        dataclasses.replace(
            cell,
            paper_rank=papers.index(cell.paper or 0.0) + 1,
            our_rank=ours.index(cell.mean or 0.0) + 1,
        )
        if cell in comparable
        else cell
        for cell in cells
    ]
