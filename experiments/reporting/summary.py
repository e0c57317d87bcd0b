"""What holds of each paper, on a page that is read in two minutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from experiments.declaration import Paper
from experiments.reporting.claims import Outcome
from experiments.reporting.document import (
    Block,
    Cell,
    Grid,
    Heading,
    Inline,
    Items,
    Mark,
    Paragraph,
)
from experiments.reporting.intervals import CONFIDENCE

# By what decides the colour of a verdict.
KINDS = {
    Outcome.CONFIRMED: "good",
    Outcome.IN_PART: "partly",
    Outcome.CONTRADICTED: "bad",
    Outcome.UNDECIDED: "open",
    Outcome.NOT_RUN: "open",
}

_VERDICTS = (
    "A claim says that one method is better than another. Confirmed: on every data set that it is "
    f"about, the {CONFIDENCE:.0%} t interval of the difference, paired by seed, lies on the "
    "claimed side of 0. In part: on some of them, whatever the others say. Contradicted: on none, "
    "and on one or more it lies on the other side. Undecided: anything else, such as one seed. The "
    "rules in full stand below the claims."
)
_OF_FINDINGS = (
    "After each sentence stands what became of the claims that it rests on, and of how many; they "
    "are not all claims."
)


def summary(papers: Sequence[Paper], outcomes: Mapping[str, Outcome]) -> list[Block]:
    """Returns each paper's headline, how many claims hold, and its findings.

    What a paper claims is counted apart from our controls, which no paper claims.

    Args:
        papers: All papers.
        outcomes: What our runs say, by the claim's name.
    """
    rows: list[Sequence[Cell]] = []
    findings: list[Block] = []
    for paper in papers:
        for whose, is_control in (("its own", False), ("our controls", True)):
            judged = [
                outcomes[claim.name] for claim in paper.claims if claim.is_control is is_control
            ]
            if judged:
                numbers = [str(judged.count(outcome)) for outcome in Outcome]
                rows.append([paper.title, whose, str(len(judged)), *numbers])
        if paper.findings:
            items = [
                (finding.statement, *_marks(outcomes[name] for name in finding.claims))
                for finding in paper.findings
            ]
            findings += [Heading(3, f"{paper.title}: in words"), Items(items)]
    if findings:
        findings = [
            Heading(2, "What our runs show", "findings"),
            Paragraph(_OF_FINDINGS),
            *findings,
        ]
    header = ["paper", "whose claims", "claims", *(outcome.value for outcome in Outcome)]
    return [
        Heading(2, "In short", "in-short"),
        *headlines(papers),
        Heading(2, "How many claims hold", "counts"),
        Paragraph(_VERDICTS),
        Grid(header, rows),
        *findings,
    ]


def headlines(papers: Iterable[Paper]) -> list[Block]:
    """Returns the papers' headlines as one table; nothing where there is none.

    Args:
        papers: All papers.
    """
    rows: list[Sequence[Cell]] = [
        [paper.title, headline.claim, headline.holds, headline.fails, headline.decides]
        for paper in papers
        if (headline := paper.headline) is not None
    ]
    header = ["paper", "what it says", "what holds", "what does not", "what decides it"]
    return [Grid(header, rows, is_stacked=True)] if rows else []


def _marks(outcomes: Iterable[Outcome]) -> list[Inline]:
    """The verdicts a sentence rests on, each once and with its number."""
    counts = Counter(outcomes)
    marks: list[Inline] = []
    for outcome in Outcome:
        if counts[outcome]:
            before = ", " if marks else " – "
            marks += [before, Mark(f"{counts[outcome]} {outcome.value}", KINDS[outcome])]
    return marks
