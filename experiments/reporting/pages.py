"""The pages of results: one of each paper, and a first one for all, from templates."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import textwrap
from collections.abc import Sequence

import jinja2

from experiments.declaration import Drawn, Metric, Paper, SpecificationCurve
from experiments.declaration.artifact import size_text
from experiments.reporting import chosen_reading
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.markdown import anchor, escaped, grid
from experiments.reporting.numbers import (
    ABSENT,
    cell_legend,
    cell_text,
    count_seeds,
    difference_text,
    metric_text,
    notes,
    pooled_text,
    seeds_text,
)
from experiments.reporting.pairs import CONFIDENCE, FEWEST_SEEDS
from experiments.reporting.results import Results
from experiments.reporting.slots import STANDINGS, Slots, claims_text
from experiments.reporting.verdicts import Verdict
from leaf_data import extensions

_TEMPLATES = pathlib.Path(__file__).parent / "templates"
_WIDTH = 120
HEADLINES, _END_OF_HEADLINES = "<!-- headlines -->", "<!-- end of headlines -->"
_OF_TEMPLATES = (cell_text, difference_text, pooled_text, seeds_text)


def _rendered(template: str, *, is_plain: bool = False, **values: object) -> str:
    environment = _environment()
    if is_plain:
        environment.filters["text"] = str
    text = environment.get_template(template).render(values, is_plain=is_plain)
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
    environment.globals.update({each.__name__: each for each in _OF_TEMPLATES})
    return environment


def results_page(results: Results, place: pathlib.Path, pages: pathlib.Path) -> str:
    """Returns the first page: headlines, how many claims hold, and links.

    `place` is where it is to be written, and `pages` the folder of the papers' pages.
    """
    judged = [verdict.judgement for verdict in results.verdicts.values()]
    shown = [paper for paper in results.papers if paper.artifacts]
    return _rendered(
        "results.md.jinja",
        how_much=how_much_is_run(results),
        headlines=headlines(results).strip(),
        counts=_counts(results),
        num_tested=sum(any(d.p_value is not None for d in each.datasets) for each in judged),
        level=1 - CONFIDENCE,
        fewest_seeds=FEWEST_SEEDS,
        papers=[(paper, _from(place, pages / f"{paper.name}.md")) for paper in shown],
    )


def how_much_is_run(results: Results) -> str:
    """Returns a sentence on how many tables and figures are whole, and how many in part."""
    names = [artifact.name for paper in results.papers for artifact in paper.artifacts]
    there = [results.finished[name] for name in names if name in results.finished]
    num_whole = sum(any(each.whole_seeds for each in scales) for scales in there)
    return (
        f"Of {len(names)} tables and figures, {num_whole} have all runs of at least one seed, and "
        f"{len(there) - num_whole} have a part of their runs."
    )


def headlines(results: Results) -> str:
    """Returns the papers' headlines and how their claims stand; nothing where there is none."""
    rows = []
    for paper in results.papers:
        if paper.headline is not None:
            said = dataclasses.astuple(paper.headline)
            texts = (_with_numbers(each, results, f"{paper.name}: headline") for each in said)
            own = [claim for claim in paper.claims if not claim.is_control]
            verdicts = claims_text([results.standing(claim, paper) for claim in own])
            rows.append([paper.title, *texts, f"{verdicts}."])
    return _rendered("headlines.md.jinja", rows=rows)


def with_headlines(page: str, results: Results) -> str:
    """Returns a page with the headlines between its two marks, if it has them."""
    begin, _, rest = page.partition(HEADLINES)
    _, has_end, after = rest.partition(_END_OF_HEADLINES)
    if not has_end:
        return page
    return f"{begin}{HEADLINES}\n\n{headlines(results)}\n{_END_OF_HEADLINES}{after}"


def _counts(results: Results) -> str:
    """A table of how many claims have which verdict; papers' claims and our controls apart."""
    rows = []
    for paper in results.papers:
        for whose, is_control in (("its own", False), ("our controls", True)):
            claims = [claim for claim in paper.claims if claim.is_control is is_control]
            if claims:
                standings = [results.standing(claim, paper) for claim in claims]
                rows.append(([paper.title, whose, str(len(claims))], standings))
    return _tally(["paper", "whose", "claims"], rows)


def _tally(header: Sequence[str], rows: Sequence[tuple[Sequence[str], Sequence[str]]]) -> str:
    """A table that counts the claims by outcome: a column for each outcome that occurs."""
    there = [each for each in STANDINGS if any(each in standings for _, standings in rows)]
    return grid(
        [*header, *there],
        [
            [*cells, *(str(standings.count(each) or ABSENT) for each in there)]
            for cells, standings in rows
        ],
    )


def paper_page(paper: Paper, results: Results, place: pathlib.Path, first: pathlib.Path) -> str:
    """Returns a paper's page: its claims, its tables and figures, and what they show.

    `place` is where it is to be written, and `first` where the first page is.

    Raises:
        ValueError: If a slot of the paper's prose asks for something that does not exist.
    """
    prose = "" if paper.findings is None else _of_file(paper.findings, results)
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
        verdicts=results.verdicts,
        choices=[
            (artifact, chosen_reading.choice(artifact, results.first(artifact)))
            for artifact in paper.artifacts
            if isinstance(artifact.view, SpecificationCurve)
        ],
        holds_in={name: each.text for name, each in results.holds_in.items()},
        sections=sections,
        left=left,
        prose=_filled(prose),
    )


def guide_page(guide: pathlib.Path, results: Results) -> str:
    """Returns one of a paper's guides with its slots filled.

    Raises:
        ValueError: If a slot asks for something that does not exist.
    """
    return f"{_filled(_of_file(guide, results))}\n"


def _of_file(template: pathlib.Path, results: Results) -> str:
    return _with_numbers(template.read_text(encoding="utf-8"), results, str(template))


def _with_numbers(template: str, results: Results, place: str) -> str:
    try:
        return _environment().from_string(template).render(Slots(results).by_name())
    # A slot asked wrongly, too.
    except (LookupError, TypeError, ValueError, jinja2.TemplateError) as error:
        raise ValueError(f"{place}: {error}") from error


def _filled(prose: str) -> str:
    """Returns paragraphs, but no tables, wrapped to the page's width, after slots are filled."""
    paragraphs = re.split(r"\n\s*\n", prose.strip())
    return "\n\n".join(
        each.strip()
        if each.lstrip()[:1] in "|`"
        else textwrap.fill(each, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for each in paragraphs
    )


def artifact_section(
    finished: FinishedArtifact,
    verdicts: Sequence[Verdict],
    *,
    figure: str | None = None,
    facts: Sequence[str] = (),
    with_claims: bool = True,
    is_plain: bool = False,
) -> str:
    """Returns a page's section about one artifact: its command, tables, figure and notes.

    Args:
        finished: The artifact at one scale.
        verdicts: The verdicts on it.
        figure: The path of the figure for a link, if there is one.
        facts: Sentences about how the runs were made.
        with_claims: Whether its claims are shown.
        is_plain: Whether it is for a terminal: without escapes and anchors.
    """
    cells = [cell for table in finished.tables for cell in table.cells]
    legend = cell_legend(cells)
    if any(cell.paper is not None for cell in cells):
        legend = f"Ours ({legend}), and the paper's in brackets"
    rounds = [run.resolved.configuration.rounds for run, _ in finished.runs]
    return _rendered(
        "artifact.md.jinja",
        is_plain=is_plain,
        finished=finished,
        # An artifact of readings shows only those that were run, and names the others below.
        all_methods=not isinstance(finished.artifact.view, SpecificationCurve),
        size=size_text(finished.scale, rounds),
        figure=figure,
        legend=legend[0].upper() + legend[1:],
        num_seeds=count_seeds(cells),
        marks=notes(cells),
        claims=[each for each in verdicts if each.claim is not None and with_claims],
        pairs=_pairs(verdicts),
        differences=[each for each in verdicts if each.name == "difference"],
        missing=_missing(finished),
        facts=facts,
        summary=chosen_reading.section(finished) or _summary(finished),
    )


def _summary(finished: FinishedArtifact) -> str:
    """Returns what an artifact's own function says below its tables, if it has one."""
    view = finished.artifact.view
    if not isinstance(view, Drawn) or view.summary is None:
        return ""
    return str(extensions.load(view.summary)(finished))


def _pairs(verdicts: Sequence[Verdict]) -> str:
    """How many pairs of the paper's table have which verdict, by metric."""
    by_metric: dict[Metric, list[str]] = {}
    for verdict in verdicts:
        if verdict.name == "pair":
            by_metric.setdefault(verdict.metric, []).append(verdict.judgement.outcome.value)
    rows = [([escaped(metric_text(each))], outcomes) for each, outcomes in by_metric.items()]
    return _tally(["the paper's pairs, A better than B"], rows) if rows else ""


def _missing(finished: FinishedArtifact) -> list[str]:
    """A line for each method on each data set that lacks runs, in their order, or for all."""
    left_out = finished.artifact.left_out_at(finished.scale)
    lines = [] if left_out is None else [left_out]
    seeds: dict[str, list[int]] = {}
    there = {run.dataset for run, _ in finished.finished}
    for run, record in finished.runs:
        method = run.variant if run.dataset in there else "all methods"
        of_method = seeds.setdefault(f"{run.dataset}, {method}", [])
        of_method += [run.seed] if record is None else []
    for method, of_method in seeds.items():
        lines += [f"{method}: {seeds_text(of_method)}"] if of_method else []
    return lines


def _figure(finished: FinishedArtifact, results: Results, place: pathlib.Path) -> str | None:
    folder = finished.artifact.folder(finished.scale)
    places = (results_dir / folder / "figure.png" for results_dir in results.folders)
    return next((_from(place, file) for file in places if file.exists()), None)


def _from(place: pathlib.Path, file: pathlib.Path) -> str:
    return pathlib.Path(os.path.relpath(file, place.parent)).as_posix()
