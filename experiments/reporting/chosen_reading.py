"""Which reading of a paper its baselines choose: the one that brings them nearest to the paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from experiments.declaration import Artifact, SpecificationCurve
from experiments.reporting.comparison import Cell
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.markdown import escaped, grid
from experiments.reporting.metrics import definition
from experiments.reporting.numbers import ABSENT, cell_text, number
from experiments.reporting.readings import options_text


@dataclasses.dataclass(frozen=True)
class _Baselines:
    """A paper's baselines under those readings in which their runs are the same.

    Attributes:
        readings: These readings, in words.
        cells: Our numbers beside the paper's, by data set and baseline.
    """

    readings: str
    cells: Mapping[tuple[str, str], Cell]

    def distances(self, other: _Baselines) -> Mapping[tuple[str, str], float]:
        """How far our means are from the paper's numbers, over the seeds that the other has, too.

        A missed target counts as its bound. Without a bound above the number nothing is known.
        """
        found = {}
        for key, cell in self.cells.items():
            paper, its = cell.paper, other.cells[key]
            both, ends = cell.counted.keys() & its.counted.keys(), dict(cell.bounds)
            ends.update((s, min(end, ends.get(s, end))) for s, end in its.bounds.items())
            seeds = [s for s in sorted(both) if paper is not None and ends.get(s, np.inf) > paper]
            if paper is not None and seeds:
                found[key] = abs(float(np.mean([cell.counted[s] for s in seeds])) - paper)
        return found

    def distance(self, other: _Baselines) -> float:
        """The mean of these distances."""
        return float(np.mean([*self.distances(other).values()]))


def _baselines(finished: FinishedArtifact) -> list[_Baselines]:
    """Returns the baselines under all readings that change their runs, the main one first."""
    view, paper = finished.artifact.view, finished.artifact.paper_values()
    assert isinstance(view, SpecificationCurve)
    names: dict[tuple[str, ...], list[str]] = {}
    for each in view.specifications:
        labels = tuple(each.labels[baseline] for baseline in view.baselines)
        names.setdefault(labels, []).append(options_text(view, each))
    chosen_by = {metric.label for metric in view.chosen_by}
    found = []
    for labels, (name, *same) in names.items():
        cells = {}
        for table in finished.tables:
            metric = next(each for each in table.shown if each.label in chosen_by)
            rows = {cell.method: cell for cell in table.column(metric)}
            for baseline, label in zip(view.baselines, labels):
                printed = paper.get((table.dataset, baseline, metric.paper_column or ""))
                cells[table.title, baseline] = dataclasses.replace(rows[label], paper=printed)
        found.append(
            _Baselines(name + (f" (and {len(same)} with the same runs)" if same else ""), cells)
        )
    return found


def baselines_grid(finished: FinishedArtifact) -> str:
    """Returns a row per data set and reading: the baselines' numbers, ours and the paper's.

    Readings with the same runs of the baselines share a row; those without a run have none.
    """
    view, rows = finished.artifact.view, []
    assert isinstance(view, SpecificationCurve)
    for table in finished.tables:
        for each in _baselines(finished):
            own = [cell for (title, _), cell in each.cells.items() if title == table.title]
            if any(cell.values for cell in own):
                apart = [d for key, d in each.distances(each).items() if key[0] == table.title]
                metric = own[0].metric
                mean = number(float(np.mean(apart)), metric.decimals) if apart else ABSENT
                what = f"{table.title}, {metric.label}"
                rows.append([what, each.readings, *map(cell_text, own), mean])
    header = ["data set, metric", "reading", *view.baselines, "mean distance from the paper"]
    lines = [[escaped(cell) for cell in row] for row in (header, *rows)]
    return grid(lines[0], lines[1:]) if rows else ""


def choice(artifact: Artifact, finished: FinishedArtifact | None) -> str:
    """Says which reading the baselines choose: the one that brings them nearest to the paper.

    The main reading stays unless another is nearer by more than the metric's margin of no interest.
    Readings that lack some numbers of the baselines are compared by the others, so far.
    """
    if not artifact.paper_values():
        return "The baselines choose no reading: the paper prints no number of theirs."
    found = [] if finished is None else _baselines(finished)
    if not found or not found[0].distances(found[0]):
        return "The choice is open: the baselines are not run."
    main, *others = found
    if not others:
        return "The baselines choose no reading: no option changes their runs."
    cells = [cell for cell in main.cells.values() if cell.paper is not None]
    keys, decimals = main.distances(main).keys(), cells[0].metric.decimals
    printed = float(np.mean([cell.paper or 0.0 for cell in cells]))
    margin_here = definition(cells[0].metric).margin.beside(printed)

    def lead(other: _Baselines) -> float:
        return main.distance(other) - other.distance(main)

    def beside(other: _Baselines) -> str:
        both = len(other.distances(main))
        apart = [number(each, decimals) for each in (other.distance(main), main.distance(other))]
        on = "" if both == len(cells) else f" on {both} of {len(cells)} numbers"
        return f"{other.readings} (mean distance {apart[0]}{on}; main reading {apart[1]})"

    there = [each for each in others if each.distances(main)]
    if not there:
        return "The choice is open: no other reading has numbers of the baselines."
    nearest = max([main, *there], key=lead)
    begin = "The" if len(keys) == len(cells) == len(nearest.distances(main)) else "So far the"
    if nearest is main:
        farther = ", ".join(map(beside, there))
        text = f"{begin} baselines choose the main reading. No other here is nearer: {farther}."
    elif lead(nearest) <= margin_here:
        text = (
            f"Nearest to the paper is {beside(nearest)}. The difference is within the margin of no "
            f"interest, {number(margin_here, decimals)}, so the main reading stays."
        )
    else:
        text = f"{begin} baselines choose another reading than the main one: {beside(nearest)}."
    if len(there) < len(others):
        text += f" Of {len(others) - len(there)} other readings the baselines are not run."
    return text


def section(finished: FinishedArtifact) -> str:
    """Returns the section that an artifact of readings adds to its tables; empty for others."""
    view = finished.artifact.view
    shown = baselines_grid(finished) if isinstance(view, SpecificationCurve) else ""
    title = "**The baselines under each reading, ours (the paper's):**"
    return f"{title}\n\n{shown}\n\n{escaped(choice(finished.artifact, finished))}" if shown else ""
