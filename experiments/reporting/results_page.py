"""All results on one page: what the papers claim and what holds, and then every artifact."""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declaration import Claim, Paper, size_text
from experiments.reporting import claims, differences, figures, verdicts
from experiments.reporting.claims import ClaimVerdict, DatasetVerdict, Outcome
from experiments.reporting.document import (
    Block,
    Cell,
    Code,
    CodeBlock,
    Details,
    Grid,
    Heading,
    Image,
    Items,
    Lines,
    Link,
    Mark,
    Paragraph,
)
from experiments.reporting.finished import FinishedArtifact, reproduce_command
from experiments.reporting.markdown import (
    difference,
    interval_text,
    method_rows,
    pair_rows,
)
from experiments.reporting.missing_runs import missing_runs
from experiments.reporting.summary import KINDS, summary

TITLE = "Results"
_SIGNS = {Outcome.CONFIRMED: "✓", Outcome.CONTRADICTED: "✗", Outcome.UNDECIDED: "–"}
# Larger drawings are shown as pictures of points.
_MOST_SVG_BYTES = 400_000
_FACTS_OF_MACHINE = ("platform", "cpu_count", "python", "tensorflow", "tensorflow-federated")


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
    """Returns the page: a summary, the verdicts, and then every artifact of every paper."""
    judged = {
        claim.name: (_judged(results, claim), claim)
        for paper in results.papers
        for claim in paper.claims
    }
    artifacts = [artifact for paper in results.papers for artifact in paper.artifacts]
    num_finished = sum(artifact.name in results.finished for artifact in artifacts)
    blocks: list[Block] = [
        Heading(1, TITLE),
        Paragraph(f"{num_finished} of {len(artifacts)} tables and figures have finished runs."),
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
                Lines((Link(claim.artifact, _anchor(claim.artifact)), scale))
                if finished
                else Lines((claim.artifact,)),
                claim.source,
            ]
        )
        if is_run:
            numbers += [[claim.name, metric, *_all_numbers(each)] for each in verdict.datasets]
    header = ["verdict", "claim", "by", "difference [95 % t interval]", "runs", "source"]
    blocks: list[Block] = [
        Heading(3, paper.title),
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
        return f"{sign} {verdict.dataset}: {verdict.reason}"
    shown = f"{sign} {verdict.dataset}: {difference(verdict)}"
    # That an interval holds 0 is there to be seen.
    needs_reason = verdict.interval is None or verdict.collapsed is not None
    return f"{shown}, {verdict.reason}" if needs_reason else shown


def _all_numbers(verdict: DatasetVerdict) -> list[Cell]:
    chance = verdict.probability_of_improvement
    return [
        verdict.dataset,
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
    for artifact in paper.artifacts:
        for place, finished in enumerate(results.finished.get(artifact.name, ())):
            blocks += _artifact(finished, results, is_first=place == 0)
    left = [artifact for artifact in paper.artifacts if artifact.name not in results.finished]
    if left:
        rows: list[list[Cell]] = [
            [
                artifact.name,
                artifact.title,
                Code(reproduce_command(artifact, results.scale, (1,))),
            ]
            for artifact in left
        ]
        blocks += [
            Heading(3, f"{paper.title}: not run"),
            Grid(["name", "what", "command"], rows, is_stacked=True),
        ]
    return blocks


def _artifact(finished: FinishedArtifact, results: Results, *, is_first: bool) -> list[Block]:
    artifact, scale = finished.artifact, finished.scale
    anchor = _anchor(artifact.name) if is_first else None
    blocks: list[Block] = [
        Heading(3, f"{artifact.name}: {artifact.title}", anchor),
        Paragraph(_how_it_was_run(finished)),
        CodeBlock(finished.command),
        _figure(finished, results.figure_folders),
    ]
    has_paper = any(cell.paper is not None for table in finished.tables for cell in table.cells)
    ours = (
        "Ours: mean ± standard deviation over the seeds; the paper's number in brackets where it "
        "has one."
        if has_paper
        else "Mean ± standard deviation over the seeds."
    )
    blocks.append(Paragraph(ours))
    pairs: list[Block] = []
    found = differences.differences(artifact, finished.tables, finished.runs)
    for table in finished.tables:
        header, rows = method_rows(table)
        blocks += [Heading(4, table.title), Grid(header, rows)]
        of_table = found.get(table.title)
        if of_table:
            blocks += [
                Paragraph(f"{differences.heading(artifact)}."),
                Grid(*differences.rows(of_table)),
                Items(differences.RULES),
            ]
        judged = verdicts.judge(table)
        if judged:
            pairs += [Heading(4, table.title), Grid(*pair_rows(judged))]
    if pairs:
        blocks.append(Details("Every pair of methods that the paper tells apart", pairs))
    blocks.append(Details("Configuration: what differs from the recipes", _configuration(finished)))
    if artifact.notes:
        blocks += [Heading(4, "To be read with it"), Items(artifact.notes)]
    missing = missing_runs(artifact, finished.runs, scale=scale)
    if missing:
        blocks += [Heading(4, "Not run"), Items(missing)]
    return blocks


def _how_it_was_run(finished: FinishedArtifact) -> str:
    rounds = [run.configuration.rounds for run, _ in finished.runs]
    seeds = finished.seeds
    machines = [
        ", ".join(f"{name} {machine[name]}" for name in _FACTS_OF_MACHINE if machine.get(name))
        for machine in finished.machines
    ]
    return (
        f"{size_text(finished.scale, rounds)}; "
        f"{'seed' if len(seeds) == 1 else 'seeds'} {_listed(seeds)}, each for data, cohorts, "
        f"initial weights and shuffling. {len(finished.finished)} of {len(finished.runs)} runs "
        f"finished, {finished.minutes:.1f} minutes of training and evaluation summed over them. "
        f"Made on {'; '.join(machines) or 'a machine that is not recorded'}."
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _configuration(finished: FinishedArtifact) -> list[Block]:
    size = finished.artifact.scales[finished.scale]
    rows: list[list[Cell]] = [["all", "", _settings({"rounds": size.rounds, **size.settings})]]
    rows += [
        [
            variant.label,
            Code(variant.algorithm),
            _settings(variant.settings)
            + (
                f"; as many local steps as {variant.step_budget_of}"
                if variant.step_budget_of
                else ""
            ),
        ]
        for variant in finished.artifact.variants
    ]
    resolved = [
        Paragraph(
            (
                "The whole configuration of the first run of each method, as ",
                Code("configuration.json"),
                " has it:",
            )
        ),
        *(_resolved(finished, label) for label in _first_runs(finished)),
    ]
    return [Grid(["method", "algorithm", "differs from its recipe"], rows), *resolved]


def _first_runs(finished: FinishedArtifact) -> dict[str, str]:
    first: dict[str, str] = {}
    for run, record in finished.finished:
        first.setdefault(run.variant, record.configuration.to_json())
    return first


def _resolved(finished: FinishedArtifact, label: str) -> Block:
    fields: dict[str, Any] = json.loads(_first_runs(finished)[label])
    return Details(label, [Grid(["setting", "value"], [[k, _value(v)] for k, v in fields.items()])])


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in settings.items()) or "nothing"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return _settings(value) if value else "none"
    return "none" if value is None else str(value)


def _figure(finished: FinishedArtifact, folders: Sequence[pathlib.Path]) -> Block:
    artifact = finished.artifact
    alternative = f"{artifact.name}: {artifact.title}"
    drawn = functools.partial(figures.draw, artifact, finished.tables, finished.finished)
    with tempfile.TemporaryDirectory() as temporary:
        stem = pathlib.Path(temporary) / "figure"
        (svg,) = drawn(stem, endings=(".svg",))
        is_small = svg.stat().st_size <= _MOST_SVG_BYTES
        content = (svg if is_small else drawn(stem, endings=(".png",))[0]).read_bytes()
    places = (folder / artifact.folder(finished.scale) / "figure.png" for folder in folders)
    file = next((place for place in places if place.exists()), None)
    return Image(alternative, content, "image/svg+xml" if is_small else "image/png", file)


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())
