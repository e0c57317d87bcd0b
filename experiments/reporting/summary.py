"""What holds of each paper, on a page that is read in two minutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from experiments.declaration import Paper
from experiments.reporting.claims import Outcome
from experiments.reporting.document import Block, Cell, Grid, Heading, Inline, Items, Mark

# By what decides the colour of a verdict.
KINDS = {
    Outcome.CONFIRMED: "good",
    Outcome.IN_PART: "partly",
    Outcome.CONTRADICTED: "bad",
    Outcome.UNDECIDED: "open",
}
_NOT_RUN = "not run"


def summary(papers: Sequence[Paper], outcomes: Mapping[str, Outcome | None]) -> list[Block]:
    """Returns how many claims of each paper hold, and its findings.

    Args:
        papers: All papers.
        outcomes: What our runs say, by the claim's name; None where nothing was run.
    """
    rows: list[Sequence[Cell]] = []
    findings: list[Block] = []
    for paper in papers:
        if paper.claims:
            counts = Counter(outcomes[claim.name] for claim in paper.claims)
            numbers = [str(counts[outcome]) for outcome in (*Outcome, None)]
            rows.append([paper.title, str(len(paper.claims)), *numbers])
        if paper.findings:
            items = [
                (finding.statement, *_marks(outcomes[name] for name in finding.claims))
                for finding in paper.findings
            ]
            findings += [Heading(3, f"{paper.title}: in short"), Items(items)]
    header = ["paper", "claims", *(outcome.value for outcome in Outcome), _NOT_RUN]
    return [Heading(2, "In short", "in-short"), Grid(header, rows), *findings]


def _marks(outcomes: Iterable[Outcome | None]) -> list[Inline]:
    """The verdicts a sentence rests on, each once and with its number."""
    counts = Counter(outcomes)
    marks: list[Inline] = []
    for outcome in (*Outcome, None):
        if counts[outcome]:
            text = _NOT_RUN if outcome is None else outcome.value
            kind = "open" if outcome is None else KINDS[outcome]
            marks += [" ", Mark(f"{text} {counts[outcome]}" if counts[outcome] > 1 else text, kind)]
    return marks
