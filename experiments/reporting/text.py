"""An artifact's tables and verdicts as the terminal shows them."""

from __future__ import annotations

import collections
import textwrap
from collections.abc import Sequence

from experiments.reporting.comparison import Table
from experiments.reporting.judgement import Outcome
from experiments.reporting.numbers import cell_legend, cell_text, difference_rows, notes
from experiments.reporting.verdicts import Verdict

WIDTH = 100
# Pairs of the paper that did not come out as it says are named one by one.
_NAMED = (Outcome.FAILS, Outcome.FAILS_ON_SOME, Outcome.MIXED, Outcome.LEANS_AGAINST)


def table_lines(tables: Sequence[Table]) -> list[str]:
    """Returns a line per method and data set, after one that says what a cell shows."""
    cells = [cell for table in tables for cell in table.cells]
    has_paper = any(cell.paper is not None for cell in cells)
    lines = ["ours (paper)" if has_paper else cell_legend(cells)]
    rows: list[tuple[str, ...]] = []
    for table in tables:
        rows += [()] if rows else []
        rows.append((table.title, *(metric.label for metric in table.metrics)))
        rows += [(method, *map(cell_text, row)) for method, row in table.rows.items()]
    first = max(len(label) for label, *_ in filter(None, rows))
    width = max(len(text) for row in rows for text in row[1:]) + 2
    for row in rows:
        lines.append("".join(f"{t:>{width}}" if i else f"{t:<{first}}" for i, t in enumerate(row)))
    for note in notes(cells):
        lines += ["", *_wrapped(note)]
    return lines


def verdict_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Returns the claims, the pairs of the paper's table and the differences from a reference."""
    pairs = [verdict for verdict in verdicts if verdict.name == "pair"]
    differences = difference_rows(verdicts)
    lines = []
    for verdict in verdicts:
        if verdict.claim is not None:
            sentence = f"{verdict.claim.statement} ({verdict.claim.source})"
            lines += _wrapped(f"{verdict.judgement.text}: {sentence}")
    has_claims = bool(lines)
    if pairs:
        lines += ["", "The paper's pairs, A better than B:", *_pair_lines(pairs)]
    if differences:
        worse = next(verdict.worse for verdict in verdicts if verdict.name == "difference")
        lines += ["", f"Better than {worse}? Mean difference [95 % t interval], positive if better"]
        widths = [max(map(len, column)) + 2 for column in zip(*differences)]
        for row in differences:
            padded = (f"{text:<{width}}" for text, width in zip(row, widths))
            lines.append("".join(padded).rstrip())
    return ["", *lines] if has_claims else lines


def _pair_lines(pairs: Sequence[Verdict]) -> list[str]:
    """One paragraph per metric: how many pairs have which verdict, and which differ from ours."""
    lines = []
    for metric in dict.fromkeys(verdict.metric for verdict in pairs):
        names = collections.defaultdict(list)
        for verdict in pairs:
            if verdict.metric == metric:
                names[verdict.judgement.outcome].append(f"{verdict.better} over {verdict.worse}")
        parts = [
            f"{len(names[outcome])} {outcome.value}"
            + (f" ({', '.join(names[outcome])})" if outcome in _NAMED else "")
            for outcome in Outcome
            if names[outcome]
        ]
        where = "" if metric.in_round is None else f" after {metric.in_round:,} rounds"
        lines += _wrapped(f"{metric.label}{where}: {'; '.join(parts)}")
    return lines


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
