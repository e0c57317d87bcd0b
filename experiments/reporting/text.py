"""An artifact's tables and verdicts as the terminal shows them."""

from __future__ import annotations

import collections
import textwrap
from collections.abc import Sequence

from experiments.declaration import Artifact
from experiments.reporting.comparison import Table
from experiments.reporting.judgement import Outcome
from experiments.reporting.numbers import cell_text, difference_text, notes
from experiments.reporting.verdicts import Verdict

WIDTH = 100
# Pairs of the paper that did not come out as it says are named one by one.
_NAMED = (Outcome.FAILS, Outcome.FAILS_ON_SOME, Outcome.MIXED, Outcome.LEANS_AGAINST)


def table_lines(artifact: Artifact, tables: Sequence[Table]) -> list[str]:
    """Returns a line per method and data set.

    The first line says what a cell shows: `ours (paper)`, or, where no paper has a number, over how
    many seeds.
    """
    cells = [cell for table in tables for cell in table.cells]
    labels = [*(cell.method for cell in cells), *(table.title for table in tables)]
    label_width = max(map(len, labels))
    texts = [*map(cell_text, cells), *(metric.label for metric in artifact.metrics)]
    width = max(map(len, texts)) + 2
    has_paper = any(cell.paper is not None for cell in cells)
    num_seeds = len({seed for cell in cells for seed in cell.values})
    lines = ["ours (paper)" if has_paper else cell_legend(num_seeds)]
    for table in tables:
        names = "".join(f"{metric.label:>{width}}" for metric in table.metrics)
        lines += [""] * (table is not tables[0]) + [f"{table.title:<{label_width}}{names}"]
        for method, row in table.rows.items():
            numbers = "".join(f"{cell_text(cell):>{width}}" for cell in row)
            lines.append(f"{method:<{label_width}}{numbers}")
    for note in notes(cells):
        lines += ["", *_wrapped(note)]
    return lines


def cell_legend(num_seeds: int) -> str:
    """Says what a cell shows."""
    return f"mean ± standard deviation over {num_seeds} seeds" if num_seeds > 1 else "one seed"


def verdict_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Returns the claims, the pairs of the paper's table and the differences from a reference."""
    claims = [verdict for verdict in verdicts if verdict.claim is not None]
    pairs = [verdict for verdict in verdicts if verdict.name == "pair"]
    differences = [verdict for verdict in verdicts if verdict.name == "difference"]
    lines = []
    for verdict in claims:
        assert verdict.claim is not None
        sentence = f"{verdict.claim.statement} ({verdict.claim.source})"
        lines += _wrapped(f"{verdict.judgement.text}: {sentence}")
    if pairs:
        lines += ["", "The paper's pairs, A better than B:", *_pair_lines(pairs)]
    if differences:
        worse = differences[0].worse
        lines += ["", f"Better than {worse}? Mean difference [95 % t interval], positive if better"]
        lines += _difference_lines(differences)
    return ["", *lines] if claims else lines


def _pair_lines(pairs: Sequence[Verdict]) -> list[str]:
    """One paragraph per metric: how many pairs have which verdict, and which differ from ours."""
    lines = []
    for metric in dict.fromkeys(verdict.metric for verdict in pairs):
        of_metric = [verdict for verdict in pairs if verdict.metric == metric]
        counts = collections.Counter(verdict.judgement.outcome for verdict in of_metric)
        parts = []
        for outcome in Outcome:
            named = [
                f"{verdict.better} over {verdict.worse}"
                for verdict in of_metric
                if verdict.judgement.outcome is outcome and outcome in _NAMED
            ]
            if counts[outcome]:
                names = f" ({', '.join(named)})" if named else ""
                parts.append(f"{counts[outcome]} {outcome.value}{names}")
        where = "" if metric.in_round is None else f" after {metric.in_round:,} rounds"
        lines += _wrapped(f"{metric.label}{where}: {'; '.join(parts)}")
    return lines


def _difference_lines(differences: Sequence[Verdict]) -> list[str]:
    rows = [
        (
            each.better,
            each.metric.label,
            found.pair.dataset,
            difference_text(found.pair, each.metric),
            found.text,
        )
        for each in differences
        for found in each.judgement.datasets
    ]
    widths = [max(map(len, column)) + 2 for column in zip(*rows)]
    return [
        "".join(f"{text:<{width}}" for text, width in zip(row, widths)).rstrip() for row in rows
    ]


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
