"""What runs say under each reading of a paper: differences, baselines, and which claims hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from experiments.declaration import (
    Artifact,
    Claim,
    Metric,
    Paper,
    Reading,
    Specification,
    SpecificationCurve,
    Variant,
)
from experiments.reporting.comparison import Cell, Table
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Outcome, Pair
from experiments.reporting.markdown import escaped, grid
from experiments.reporting.numbers import ABSENT, cell_text
from experiments.reporting.verdicts import pair, verdict_on_claim

# Whose claim holds there.
_HOLDS = (Outcome.HOLDS, Outcome.HOLDS_ON_SOME)


@dataclasses.dataclass(frozen=True)
class Difference:
    """How far one method is ahead of another on one data set, under one specification.

    Attributes:
        specification: The options.
        better: The method that the paper has ahead, by its name there.
        worse: The other.
        pair: Their numbers by seed.
    """

    specification: Specification
    better: str
    worse: str
    pair: Pair

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return self.pair.mean or 0.0


def differences(view: SpecificationCurve, table: Table) -> list[Difference]:
    """Returns the differences of a data set under all specifications that were run, in order.

    Args:
        view: What is compared.
        table: Its artifact's table of the data set.

    Returns:
        The one that is most against the paper first.
    """
    metric = next(each for each in table.metrics if each.key == view.metric.key)
    found = [
        Difference(
            specification,
            better,
            worse,
            pair(table, metric, specification.labels[better], specification.labels[worse]),
        )
        for specification in view.specifications
        for better, worse in view.comparisons
    ]
    run = [each for each in found if each.pair.mean is not None]
    return sorted(run, key=lambda each: each.mean)


@dataclasses.dataclass(frozen=True)
class HoldsIn:
    """Under how many of a paper's readings a claim holds.

    Attributes:
        outcomes: By the text of each specification that was run, the claim's outcome.
    """

    outcomes: Mapping[str, Outcome]

    @property
    def text(self) -> str:
        """`holds in 7 of 8 readings; not with: averaged model`; nothing for fewer than two.

        Where it holds in none, those count in which it leans for: they have few seeds.
        """
        if len(self.outcomes) < 2:
            return ""
        holding = {name for name, outcome in self.outcomes.items() if outcome in _HOLDS}
        leaning = {name for name, outcome in self.outcomes.items() if outcome is Outcome.LEANS_FOR}
        counted = holding or leaning
        not_with = [name for name in self.outcomes if name not in counted]
        word = "leans for" if leaning and not holding else "holds"
        text = f"{word} in {len(counted)} of {len(self.outcomes)} readings"
        return f"{text}; not with: {'; '.join(not_with)}" if counted and not_with else text


def holds_in(
    claim: Claim, finished: FinishedArtifact, artifacts: Mapping[str, Artifact]
) -> HoldsIn:
    """Judges a claim under every specification of its paper's readings that was run.

    Args:
        claim: The claim.
        finished: An artifact of readings; a claim about other methods or data sets than those it
            varies is judged under none.
        artifacts: The paper's, by name.
    """
    view = finished.artifact.view
    datasets = claim.datasets or artifacts[claim.artifact].datasets
    if not isinstance(view, SpecificationCurve) or not set(datasets) <= set(
        finished.artifact.datasets
    ):
        return HoldsIn({})
    names = _names_in(artifacts[view.of], artifacts[claim.artifact])
    outcomes: dict[str, Outcome] = {}
    for specification in view.specifications:
        labels = {
            label: specification.labels[name]
            for label, name in names.items()
            if name in specification.labels
        }
        if claim.better not in labels or (claim.worse is not None and claim.worse not in labels):
            continue
        asked = dataclasses.replace(
            claim,
            artifact=finished.artifact.name,
            better=labels[claim.better],
            worse=None if claim.worse is None else labels[claim.worse],
            datasets=datasets,
        )
        verdict = verdict_on_claim(asked, finished)
        if verdict.judgement.outcome is not Outcome.NOT_RUN:
            outcomes[options_text(view, specification)] = verdict.judgement.outcome
    return HoldsIn(outcomes)


def _names_in(varied: Artifact, other: Artifact) -> Mapping[str, str]:
    """Returns by the label of each method of an artifact the label that it has in another one.

    A variant is the same if its runs are, and a best-of row if it has the same name and members.
    """
    names = {_what_is_run(variant, varied): variant.label for variant in varied.variants}
    found = {
        variant.label: names[_what_is_run(variant, other)]
        for variant in other.variants
        if _what_is_run(variant, other) in names
    }
    for label, members in other.best_of.items():
        if tuple(found.get(member) for member in members) == varied.best_of.get(label):
            found[label] = label
    return found


def _what_is_run(variant: Variant, artifact: Artifact) -> tuple[object, ...]:
    own = {each.label: each for each in artifact.variants}
    leader = None if variant.step_budget_of is None else own[variant.step_budget_of]
    return (
        variant.algorithm,
        tuple(sorted(variant.settings.items())),
        None if leader is None else _what_is_run(leader, artifact),
    )


def options_text(view: SpecificationCurve, specification: Specification) -> str:
    """Returns what of a specification is not the main reading, `averaged model, equal steps`."""
    changed = [
        option.label
        for option, reading in zip(specification.options, view.readings)
        if option is not reading.main
    ]
    return ", ".join(changed) or "the main reading"


def baselines_grid(finished: FinishedArtifact, table: Table) -> str:
    """Returns the baselines' numbers beside the paper's, a row per reading; nothing without runs.

    The last column is the mean distance of the baselines from the paper's numbers, and marks the
    smallest one, by which the main reading is chosen. The method of the paper is not in it.

    Args:
        finished: An artifact of readings.
        table: Its table of a data set.
    """
    view = finished.artifact.view
    assert isinstance(view, SpecificationCurve)
    metric = next(each for each in table.metrics if each.key == view.metric.key)
    cells = {cell.method: cell for cell in table.column(metric)}
    paper = finished.artifact.paper_values()
    rows: dict[tuple[str, ...], tuple[list[str], list[Cell]]] = {}
    for specification in view.specifications:
        own = []
        for baseline in view.baselines:
            cell = cells[specification.labels[baseline]]
            number = paper.get((table.dataset, baseline, metric.paper_column or ""))
            own.append(dataclasses.replace(cell, paper=number))
        if any(cell.values for cell in own):
            names, _ = rows.setdefault(tuple(cell.method for cell in own), ([], own))
            names.append(options_text(view, specification))
    if not rows:
        return ""
    distances = {methods: _distance(own) for methods, (_, own) in rows.items()}
    known = [distance for distance in distances.values() if distance is not None]
    nearest = min(known) if len(known) > 1 else None  # One alone is not chosen.
    lines = [
        [
            escaped(" / ".join(names)),
            *(escaped(cell_text(cell)) for cell in own),
            _marked(distances[methods], nearest, metric),
        ]
        for methods, (names, own) in rows.items()
    ]
    header = ["reading", *view.baselines, "mean distance from the paper"]
    return grid([escaped(name) for name in header], lines)


def _distance(cells: Sequence[Cell]) -> float | None:
    """The mean of the absolute differences; None where one is not known."""
    found = [cell.difference for cell in cells if cell.paper is not None]
    if not found or None in found:
        return None
    return float(np.mean([abs(difference or 0.0) for difference in found]))


def _marked(distance: float | None, nearest: float | None, metric: Metric) -> str:
    if distance is None:
        return ABSENT
    text = f"{distance:.{metric.decimals}f}"
    return f"**{text}, nearest**" if distance == nearest else text


def readings_grid(readings: Sequence[Reading]) -> str:
    """Returns a row for each reading: place, question, options and why; nothing without any."""
    if not readings:
        return ""
    rows = []
    for reading in readings:
        options = [
            option.label + (f" (not run: {option.not_run})" if option.not_run else "")
            for option in reading.options
        ]
        options[0] += " (main)"
        rows.append([reading.question, reading.place, "; ".join(options), reading.why])
    header = ["what is open", "where", "options", "why the main one"]
    return grid(header, [[escaped(cell) for cell in row] for row in rows])


def section(finished: FinishedArtifact) -> list[str]:
    """Returns what the section of an artifact has beside its tables if it is one of readings."""
    view = finished.artifact.view
    if not isinstance(view, SpecificationCurve):
        return []
    parts = []
    for table in finished.tables:
        shown = baselines_grid(finished, table)
        if shown:
            parts.append(
                f"**{escaped(table.title)}: the baselines' {escaped(view.metric.label)}, ours (the "
                "paper's), under each reading; by these alone the main one is chosen**\n\n" + shown
            )
    return parts


def holds_in_paper(
    claim: Claim, paper: Paper, finished: Mapping[str, Sequence[FinishedArtifact]]
) -> str:
    """Returns under how many of its paper's readings a claim holds, on a line for a table's cell.

    Args:
        claim: The claim.
        paper: Its paper.
        finished: What is finished, by the artifact's name.

    Returns:
        The line; nothing where it was run under none.
    """
    artifacts = {artifact.name: artifact for artifact in paper.artifacts}
    for artifact in paper.artifacts:
        if isinstance(artifact.view, SpecificationCurve) and artifact.name in finished:
            text = holds_in(claim, finished[artifact.name][0], artifacts).text
            if text:
                return f"<br>{escaped(text)}"
    return ""
