"""All results: what the papers claim and what holds, and then every artifact."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping, Sequence

from experiments.declaration import Claim, Paper
from experiments.reporting import claims, verdicts
from experiments.reporting.artifact_section import anchor_of, artifact_section, seeds_of
from experiments.reporting.claims import ClaimVerdict, DatasetVerdict, Outcome
from experiments.reporting.document import (
    Block,
    Cell,
    Code,
    Details,
    Grid,
    Heading,
    Items,
    Lines,
    Link,
    Mark,
    Paragraph,
    Part,
)
from experiments.reporting.finished import FinishedArtifact, reproduce_command
from experiments.reporting.markdown import difference, interval_text
from experiments.reporting.summary import KINDS, summary

TITLE = "Results"
_SIGNS = {Outcome.CONFIRMED: "✓", Outcome.CONTRADICTED: "✗", Outcome.UNDECIDED: "–"}


@dataclasses.dataclass(frozen=True)
class Results:
    """What is there.

    Attributes:
        papers: All papers.
        finished: What is finished of their artifacts, by name; the first of each is the one by
            which claims are judged. Artifacts of which nothing is finished are not there.
        figure_folders: Where figures lie that a Markdown page can link to, below them
            `PAPER/ARTIFACT/SCALE/figure.png`.
        scale: With which a command for what is not there is shown.
    """

    papers: Sequence[Paper]
    finished: Mapping[str, Sequence[FinishedArtifact]]
    figure_folders: Sequence[pathlib.Path] = ()
    scale: str = "short"


def results_page(results: Results) -> list[Block]:
    """Returns the page: a summary, the verdicts, and what there is of every paper's artifacts.

    The artifacts of a paper are a part of their own.
    """
    judged = {
        claim.name: (_judged(results, claim), claim)
        for paper in results.papers
        for claim in paper.claims
    }
    blocks: list[Block] = [
        Heading(1, TITLE),
        Paragraph(how_much_is_run(results)),
        *summary(
            results.papers,
            {name: verdict.outcome for name, ((_, verdict), _) in judged.items()},
        ),
        Heading(2, "What the papers claim, and what holds", "claims"),
    ]
    for paper in results.papers:
        of_paper = [judged[claim.name][0] for claim in paper.claims]
        if of_paper:
            blocks += _claims_of(paper, of_paper)
    blocks.append(Details("How claims are judged", [Items(claims.RULES)]))
    for paper in results.papers:
        if paper.artifacts:
            blocks += _artifacts_of(paper, results)
    blocks.append(Details("How pairs of a paper's table are judged", [Items(verdicts.RULES)]))
    return blocks


def how_much_is_run(results: Results) -> str:
    """Returns how many tables and figures are whole, and of how many there is a part, in words."""
    names = [artifact.name for paper in results.papers for artifact in paper.artifacts]
    there = [results.finished[name] for name in names if name in results.finished]
    num_whole = sum(any(each.whole_seeds for each in scales) for scales in there)
    return (
        f"{num_whole} of {len(names)} tables and figures are run whole, with one seed or more, and "
        f"{len(there) - num_whole} in part."
    )


def _judged(results: Results, claim: Claim) -> tuple[FinishedArtifact | None, ClaimVerdict]:
    """Returns the runs that a claim is judged by, and the verdict."""
    of_artifact = results.finished.get(claim.artifact)
    if not of_artifact:
        return None, ClaimVerdict(claim, ())
    return of_artifact[0], of_artifact[0].judge(claim)


def _claims_of(
    paper: Paper, judged: Sequence[tuple[FinishedArtifact | None, ClaimVerdict]]
) -> list[Block]:
    rows: list[list[Cell]] = []
    numbers: list[list[Cell]] = []
    for finished, verdict in judged:
        claim = verdict.claim
        is_run = verdict.outcome is not Outcome.NOT_RUN
        scale = f"scale {finished.scale}" if finished and is_run else "not run"
        metric = claim.metric.label
        versus = f"{claim.reference:g}" if claim.worse is None else claim.worse
        rows.append(
            [
                Mark(verdict.outcome.value, KINDS[verdict.outcome]),
                claim.statement,
                Lines((f"{metric}: {claim.better}", f"against {versus}")),
                Lines(tuple(_short_line(each) for each in verdict.datasets)) if is_run else "–",
                Lines((Link(claim.artifact, anchor_of(claim.artifact)), scale))
                if finished
                else Lines((claim.artifact,)),
                claim.source,
            ]
        )
        if is_run:
            numbers += [[claim.name, metric, *_all_numbers(each)] for each in verdict.datasets]
    header = ["verdict", "claim", "by", "difference [95 % t interval]", "runs", "source"]
    blocks: list[Block] = [
        Heading(3, paper.title, _anchor_of_claims(paper)),
        Paragraph(paper.citation),
        Grid(header, rows, is_stacked=True),
    ]
    if numbers:
        more = [
            "claim",
            "metric",
            "data set",
            "better",
            "other",
            "difference",
            "t interval",
            "BCa interval",
            "probability of improvement",
            "seeds",
            "verdict",
        ]
        blocks.append(Details("All numbers of these claims", [Grid(more, numbers)]))
    return blocks


def _short_line(verdict: DatasetVerdict) -> str:
    sign = _SIGNS[verdict.outcome]
    if verdict.mean is None:
        return f"{sign} {verdict.label}: {verdict.reason}"
    shown = f"{sign} {verdict.label}: {difference(verdict)}"
    # That an interval holds 0 is there to be seen.
    is_open = verdict.interval is None or verdict.is_out_of_reach
    needs_reason = is_open or verdict.collapsed is not None
    return f"{shown}, {verdict.reason}" if needs_reason else shown


def _all_numbers(verdict: DatasetVerdict) -> list[Cell]:
    chance = verdict.probability_of_improvement
    return [
        verdict.label,
        _mean(verdict.better),
        _mean(verdict.worse),
        "–" if verdict.mean is None else f"{verdict.mean:+.4g}",
        interval_text(verdict.interval),
        interval_text(verdict.bootstrap_interval),
        "–" if chance is None else f"{chance:.2f}",
        ", ".join(map(str, verdict.better)) or "–",
        verdict.outcome.value + (f": {verdict.reason}" if verdict.reason else ""),
    ]


def _mean(values: Mapping[int, float]) -> str:
    return f"{sum(values.values()) / len(values):.4g}" if values else "–"


def _artifacts_of(paper: Paper, results: Results) -> list[Block]:
    blocks: list[Block] = [Heading(2, paper.title, paper.name), Paragraph(paper.citation)]
    there = [artifact for artifact in paper.artifacts if artifact.name in results.finished]
    if there:
        overview: list[list[Cell]] = [
            [
                Link(artifact.name, anchor_of(artifact.name)),
                artifact.title,
                Lines(
                    (
                        *map(_how_much, results.finished[artifact.name]),
                        *([artifact.why_not_run] if artifact.why_not_run else []),
                    )
                ),
            ]
            for artifact in there
        ]
        whole: list[Block] = [
            Paragraph((paper.citation, "; ", Link("what it claims", _anchor_of_claims(paper))))
        ]
        for artifact in there:
            for place, finished in enumerate(results.finished[artifact.name]):
                whole += artifact_section(finished, results.figure_folders, is_first=place == 0)
        blocks += [
            Grid(["name", "what", "runs"], overview, is_stacked=True),
            Part(paper.name, f"{paper.title}: tables and figures", whole),
        ]
    left = [artifact for artifact in paper.artifacts if artifact.name not in results.finished]
    if left:
        rows: list[list[Cell]] = [
            [
                artifact.name,
                artifact.title,
                artifact.why_not_run or "–",
                Code(reproduce_command(artifact, results.scale, (1,))),
            ]
            for artifact in left
        ]
        blocks += [
            Heading(3, f"{paper.title}: not run"),
            Grid(["name", "what", "why", "command"], rows, is_stacked=True),
        ]
    return blocks


def _how_much(finished: FinishedArtifact) -> str:
    return (
        f"{finished.scale}: {len(finished.finished)} of {len(finished.runs)}, {seeds_of(finished)}"
    )


def _anchor_of_claims(paper: Paper) -> str:
    return f"claims-{anchor_of(paper.name)}"
