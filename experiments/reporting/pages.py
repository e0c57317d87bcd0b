"""The pages of results: one of each paper, and a first one for all, from templates."""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
import pathlib
import re
import textwrap
from collections.abc import Mapping, Sequence

import jinja2

from experiments.declaration import Metric, Paper, SpecificationCurve, size_text
from experiments.reporting import readings
from experiments.reporting.comparison import Table
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import CONFIDENCE, RULES, Judgement, Outcome
from experiments.reporting.markdown import anchor, escaped, grid
from experiments.reporting.missing_runs import missing_runs
from experiments.reporting.numbers import (
    ABSENT,
    cell_text,
    difference_text,
    interval,
    notes,
    signed,
)
from experiments.reporting.slots import Slots
from experiments.reporting.text import cell_legend
from experiments.reporting.verdicts import Verdict, judge_artifact

_TEMPLATES = pathlib.Path(__file__).parent / "templates"
_WIDTH = 120
_HEADLINES, _END_OF_HEADLINES = "<!-- headlines -->", "<!-- end of headlines -->"
# Of a difference in standard deviations.
_POOLED_DECIMALS = 2


@dataclasses.dataclass(frozen=True)
class Results:
    """What is there.

    Attributes:
        papers: All papers.
        finished: What is finished of their artifacts, by name; the first of each is the one by
            which claims are judged. Artifacts of which nothing is finished are not there.
        folders: Where figures lie, below them `PAPER/ARTIFACT/SCALE/figure.png`.
    """

    papers: Sequence[Paper]
    finished: Mapping[str, Sequence[FinishedArtifact]]
    folders: Sequence[pathlib.Path] = ()

    @functools.cached_property
    def judged(self) -> Mapping[tuple[str, str], Sequence[Verdict]]:
        """All that is judged of each artifact, by its name and scale."""
        claims = [claim for paper in self.papers for claim in paper.claims]
        return {
            (name, each.scale): judge_artifact(
                each.artifact, claims, each.runs, each.tables, scale=each.scale
            )
            for name, of_artifact in self.finished.items()
            for each in of_artifact
        }

    @functools.cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Every claim that is judged, by name."""
        return {
            verdict.name: verdict
            for name, (first, *_) in self.finished.items()
            for verdict in self.judged[name, first.scale]
            if verdict.claim is not None
        }

    def outcome(self, claim: str) -> Outcome:
        """Returns what became of a claim."""
        verdict = self.verdicts.get(claim)
        return Outcome.NOT_RUN if verdict is None else verdict.judgement.outcome

    @functools.cached_property
    def slots(self) -> Slots:
        """What prose can ask for."""
        judgements = {name: verdict.judgement for name, verdict in self.verdicts.items()}
        return Slots(self.papers, self.finished, judgements)


def _rendered(template: str, **values: object) -> str:
    text = _environment().get_template(template).render(values)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown, in which `escaped` does it.
    )
    environment.filters.update(text=escaped, anchor=anchor)
    environment.globals.update(grid=grid, rules=RULES)
    return environment


def results_page(results: Results, place: pathlib.Path, pages: pathlib.Path) -> str:
    """Returns the first page: headlines, how many claims hold, and links.

    Args:
        results: What is there.
        place: Where it is to be written.
        pages: The folder of the papers' pages.
    """
    judged = [verdict.judgement for verdict in results.verdicts.values()]
    shown = [paper for paper in results.papers if paper.artifacts]
    return _rendered(
        "results.md.jinja",
        how_much=how_much_is_run(results),
        headlines=headlines(results),
        counts=_counts(results),
        num_tested=sum(judgement.is_tested for judgement in judged),
        chance=(1 - CONFIDENCE) * sum(judgement.is_tested for judgement in judged),
        papers=[(paper, _from(place, pages / f"{paper.name}.md")) for paper in shown],
    )


def how_much_is_run(results: Results) -> str:
    """Returns how many tables and figures are whole, and of how many there is a part, in words."""
    names = [artifact.name for paper in results.papers for artifact in paper.artifacts]
    there = [results.finished[name] for name in names if name in results.finished]
    num_whole = sum(any(each.whole_seeds for each in scales) for scales in there)
    return (
        f"{num_whole} of {len(names)} tables and figures are run whole, with one seed or more, and "
        f"{len(there) - num_whole} in part."
    )


def headlines(results: Results) -> str:
    """Returns the papers' headlines and verdicts as one table; nothing where there is none."""
    rows = [
        [
            paper.title,
            headline.claim,
            headline.holds,
            headline.fails,
            headline.decides,
            _verdicts_of(paper, results),
        ]
        for paper in results.papers
        if (headline := paper.headline) is not None
    ]
    header = ["paper", "what it says", "what holds", "what does not", "what decides it", "claims"]
    return grid(header, [[escaped(cell) for cell in row] for row in rows]) if rows else ""


def with_headlines(page: str, results: Results) -> str:
    """Returns a page with the table of headlines between its two marks, if it has them."""
    begin, found, rest = page.partition(_HEADLINES)
    _, has_end, after = rest.partition(_END_OF_HEADLINES)
    if not (found and has_end):
        return page
    return f"{begin}{_HEADLINES}\n\n{headlines(results)}\n\n{_END_OF_HEADLINES}{after}"


def _verdicts_of(paper: Paper, results: Results) -> str:
    """How many of a paper's own claims have which verdict."""
    claims = [claim for claim in paper.claims if not claim.is_control]
    found = collections.Counter(results.outcome(claim.name) for claim in claims)
    counts = [f"{outcome.value}: {found[outcome]}" for outcome in Outcome if found[outcome]]
    return f"{len(claims)}; {', '.join(counts)}"


def _counts(results: Results) -> str:
    """How many claims have which verdict; what papers claim apart from our controls."""
    rows = []
    for paper in results.papers:
        for whose, is_control in (("its own", False), ("our controls", True)):
            claims = [claim for claim in paper.claims if claim.is_control is is_control]
            if claims:
                outcomes = [results.outcome(claim.name) for claim in claims]
                rows.append(([paper.title, whose, str(len(claims))], outcomes))
    return _tally(["paper", "whose", "claims"], rows)


def _tally(header: Sequence[str], rows: Sequence[tuple[Sequence[str], Sequence[Outcome]]]) -> str:
    """A table that counts outcomes: a column for each of those that there are."""
    there = [each for each in Outcome if any(each in outcomes for _, outcomes in rows)]
    return grid(
        [*header, *(outcome.value for outcome in there)],
        [
            [*cells, *(str(outcomes.count(each) or ABSENT) for each in there)]
            for cells, outcomes in rows
        ],
    )


def paper_page(paper: Paper, results: Results, place: pathlib.Path, first: pathlib.Path) -> str:
    """Returns a paper's page: its claims, its tables and figures, and what they show.

    Args:
        paper: The paper.
        results: What is there.
        place: Where the page is to be written.
        first: Where the first page is written.

    Raises:
        ValueError: If a slot of the paper's prose asks for what there is not.
    """
    prose = ""
    if paper.findings is not None:
        template = paper.findings.read_text(encoding="utf-8")
        try:
            prose = _environment().from_string(template).render(results.slots.by_name())
        except (ValueError, jinja2.TemplateError) as error:
            raise ValueError(f"{paper.findings}: {error}") from error
    sections = [
        artifact_section(
            finished,
            results.judged[artifact.name, finished.scale],
            figure=_figure(finished, results, place),
            with_claims=False,
        )
        for artifact in paper.artifacts
        for finished in results.finished.get(artifact.name, ())
    ]
    left = [artifact for artifact in paper.artifacts if artifact.name not in results.finished]
    return _rendered(
        "paper.md.jinja",
        paper=paper,
        results=_from(place, first),
        claims=_claims(paper, results),
        readings=readings.readings_grid(paper.readings),
        sections=sections,
        left=left,
        prose=_filled(prose),
    )


def _filled(prose: str) -> str:
    """Returns paragraphs with even lines, whatever the slots made of them."""
    paragraphs = re.split(r"\n\s*\n", prose.strip())
    return "\n\n".join(
        textwrap.fill(each, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for each in paragraphs
    )


def _claims(paper: Paper, results: Results) -> str:
    """A row per claim, or nothing."""
    rows = []
    for claim in paper.claims:
        verdict = results.verdicts.get(claim.name)
        worse = f"{claim.reference:g}" if claim.worse is None else claim.worse
        compared = f"{claim.metric.label}: {claim.better} against {worse}"
        where = claim.artifact
        if verdict is not None:
            where = f"[{claim.artifact}](#{anchor(claim.artifact)})"
        rows.append(
            [
                f"**{Outcome.NOT_RUN.value if verdict is None else verdict.judgement.text}**"
                + readings.holds_in_paper(claim, paper, results.finished),
                escaped(f"{claim.statement} ({claim.source})"),
                escaped(compared),
                ABSENT if verdict is None else _by_dataset(verdict),
                ABSENT if verdict is None else _pooled(verdict.judgement),
                where,
            ]
        )
    header = ["verdict", "claim", "by", "difference on each data set", "pooled", "runs"]
    return grid(header, rows) if rows else ""


def _by_dataset(verdict: Verdict) -> str:
    """A line per data set, which repeats the verdict only where there are several."""
    found = verdict.judgement.datasets
    lines = []
    for each in found:
        shown = each.pair.missing or difference_text(each.pair, verdict.metric)
        verdict_here = f", {each.text}" if len(found) > 1 and each.pair.missing is None else ""
        lines.append(escaped(f"{each.pair.dataset}: {shown}{verdict_here}"))
    return "<br>".join(lines)


def _pooled(judgement: Judgement) -> str:
    if judgement.pooled is None:
        return ABSENT
    mean, ends = judgement.pooled
    shown = signed(mean, _POOLED_DECIMALS)
    return escaped(shown if ends is None else f"{shown} {interval(ends, _POOLED_DECIMALS)}")


def artifact_section(
    finished: FinishedArtifact,
    verdicts: Sequence[Verdict],
    *,
    figure: str | None = None,
    facts: Sequence[str] = (),
    with_claims: bool = True,
) -> str:
    """Returns what a page has of one artifact: how it is made, its tables, figure and notes.

    Args:
        finished: The artifact at one scale.
        verdicts: What is judged of it.
        figure: The figure as a link has it, if it lies somewhere.
        facts: How the runs were made, a sentence each.
        with_claims: Whether the claims that are about it are shown.
    """
    artifact = finished.artifact
    # Of dozens of readings those are shown that were run; the others are named below.
    all_methods = not isinstance(artifact.view, SpecificationCurve)
    cells = [cell for table in finished.tables for cell in table.cells]
    legend = cell_legend(len({seed for cell in cells for seed in cell.values}))
    if any(cell.paper is not None for cell in cells):
        legend = f"Ours ({legend}), and the paper's in brackets"
    rounds = [run.configuration.rounds for run, _ in finished.runs]
    return _rendered(
        "artifact.md.jinja",
        artifact=artifact,
        size=size_text(finished.scale, rounds),
        seeds=", ".join(map(str, finished.seeds)),
        num_finished=len(finished.finished),
        num_runs=len(finished.runs),
        command=finished.command,
        figure=figure,
        legend=legend[0].upper() + legend[1:],
        tables=[
            (table.title, method_grid(table, all_methods=all_methods)) for table in finished.tables
        ],
        notes=[escaped(note) for note in notes(cells)],
        claims=[each for each in verdicts if each.claim is not None and with_claims],
        pairs=_pairs(verdicts),
        differences=_differences(verdicts),
        missing=missing_runs(artifact, finished.runs, scale=finished.scale),
        facts=facts,
        readings=readings.section(finished),
    )


def method_grid(table: Table, *, all_methods: bool = True) -> str:
    """Returns a row per method, `ours ± standard deviation (paper)` in each cell.

    Args:
        table: The numbers.
        all_methods: Whether methods that were not run have a row, too.
    """
    rows = []
    for method, row in table.rows.items():
        if not (all_methods or any(cell.values for cell in row)):
            continue
        chosen = row[0].chosen
        label = f"{method} = {chosen}" if chosen else method
        rows.append([label, *(cell_text(cell) for cell in row if cell.is_shown)])
    header = ["method", *(metric.label for metric in table.shown)]
    return grid([escaped(name) for name in header], [[escaped(c) for c in row] for row in rows])


def _pairs(verdicts: Sequence[Verdict]) -> str:
    """How many pairs of the paper's table have which verdict, by metric."""
    by_metric: dict[Metric, list[Outcome]] = {}
    for verdict in verdicts:
        if verdict.name == "pair":
            by_metric.setdefault(verdict.metric, []).append(verdict.judgement.outcome)
    rows = []
    for metric, outcomes in by_metric.items():
        after = f", round {metric.in_round:,}" if metric.in_round else ""
        rows.append(([escaped(metric.label + after)], outcomes))
    return _tally(["the paper's pairs, A better than B"], rows) if rows else ""


def _differences(verdicts: Sequence[Verdict]) -> str:
    """A row per method, metric and data set that is compared with the artifact's reference."""
    of_reference = [verdict for verdict in verdicts if verdict.name == "difference"]
    rows = [
        [
            verdict.better,
            verdict.metric.label,
            found.pair.dataset,
            difference_text(found.pair, verdict.metric),
            found.text,
        ]
        for verdict in of_reference
        for found in verdict.judgement.datasets
    ]
    if not rows:
        return ""
    better = f"better than {of_reference[0].worse}?"
    header = ["method", "metric", "data set", "difference, positive if better", better]
    return grid([escaped(c) for c in header], [[escaped(c) for c in row] for row in rows])


def _figure(finished: FinishedArtifact, results: Results, place: pathlib.Path) -> str | None:
    folder = finished.artifact.folder(finished.scale)
    places = (results_dir / folder / "figure.png" for results_dir in results.folders)
    return next((_from(place, file) for file in places if file.exists()), None)


def _from(place: pathlib.Path, file: pathlib.Path) -> str:
    return pathlib.Path(os.path.relpath(file, place.parent)).as_posix()
