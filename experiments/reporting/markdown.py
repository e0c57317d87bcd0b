"""An artifact's tables as text: Markdown for the file, a compact form for the terminal."""

from __future__ import annotations

import collections
import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from experiments.declaration import Artifact, Metric
from experiments.reporting import differences, verdicts
from experiments.reporting.claims import RULES, ClaimVerdict, DatasetVerdict
from experiments.reporting.comparison import COLLAPSED_BELOW, Cell, Table
from experiments.reporting.differences import Difference
from experiments.reporting.verdicts import Outcome, Verdict

_COLLAPSED_MARK = "*"
_TERMINAL_WIDTH = 100
_ONE_SEED = (
    "One seed: a method may be ahead by chance. From two seeds on, what is within seed noise is "
    "told apart."
)
# What is counted; the others are named one by one.
_COUNTED = (Outcome.HOLDS, Outcome.WITHIN_SEED_NOISE, Outcome.TIE)


def comparison_markdown(
    artifact: Artifact,
    tables: Sequence[Table],
    *,
    num_seeds: int,
    facts: Sequence[str],
    judged_claims: Sequence[ClaimVerdict] = (),
    found_differences: Mapping[str, Sequence[Difference]] = MappingProxyType({}),
    missing: Sequence[str] = (),
) -> str:
    """Returns the artifact's page.

    Args:
        artifact: The artifact.
        tables: What `compare` returned.
        num_seeds: How many seeds were asked for.
        facts: How the runs were made, a sentence each.
        judged_claims: What became of the claims that are about it.
        found_differences: By the tables' titles, how methods differ from its reference.
        missing: What was not run, a line each.
    """
    over = _over_seeds(num_seeds)
    has_paper = any(cell.paper is not None for table in tables for cell in table.cells)
    lines = [
        f"# {artifact.name}: {artifact.title}",
        "",
        f"Ours ({over}), and the paper's in brackets where it has a number."
        if has_paper
        else f"{over[0].upper()}{over[1:]}.",
    ]
    if judged_claims:
        lines += ["", "## Claims", "", *_markdown_table(*claim_rows(judged_claims))]
    claims = False
    for table in tables:
        lines += ["", f"## {table.title}", "", *_markdown_table(*method_rows(table))]
        if num_seeds > 1:
            lines += ["", *_seeds(table)]
        of_table = found_differences.get(table.title)
        if of_table and num_seeds > 1:
            heading = f"{differences.heading(artifact)}."
            lines += ["", heading, "", *_markdown_table(*differences.rows(of_table))]
        judged = verdicts.judge(table)
        if judged:
            claims = True
            lines += ["", *_markdown_table(*pair_rows(judged))]
    if missing:
        lines += ["", "Not run:", "", *(f"- {line}" for line in missing)]
    rules = [
        *(_rules_of_differences(num_seeds) if any(found_differences.values()) else ()),
        *(RULES if judged_claims else ()),
        *(verdicts.RULES if claims else ()),
    ]
    lines += ["", *(f"- {sentence}" for sentence in (*artifact.notes, *rules, *facts))]
    return "\n".join(lines) + "\n"


def _rules_of_differences(num_seeds: int) -> tuple[str, ...]:
    return differences.RULES if num_seeds > 1 else (differences.ONE_SEED,)


def compact_text(artifact: Artifact, tables: Sequence[Table]) -> str:
    """Returns one line per method and data set, and what became of the paper's claims.

    The first line says what a cell shows: `ours (paper)`, or, where no paper has a number, over how
    many seeds.
    """
    cells = [cell for table in tables for cell in table.cells]
    seeds = sorted({seed for cell in cells for seed in cell.values}) if artifact.by_seed else []
    labels = [*(cell.method for cell in cells), *(table.title for table in tables)]
    label_width = max(map(len, labels))
    texts = [*map(_compact, cells), *(metric.label for metric in artifact.metrics)]
    width = max(map(len, texts)) + 2
    num_seeds = len({seed for cell in cells for seed in cell.values})
    has_paper = any(cell.paper is not None for cell in cells)
    lines = ["ours (paper)" if has_paper else _over_seeds(num_seeds)]
    judged = {table.title: verdicts.judge(table) for table in tables}
    for table in tables:
        names = "".join(f"{metric.label:>{width}}" for metric in table.metrics)
        lines += [""] * (table is not tables[0]) + [f"{table.title:<{label_width}}{names}"]
        for method, row in table.rows.items():
            lines.append(
                f"{method:<{label_width}}" + "".join(f"{_compact(c):>{width}}" for c in row)
            )
            for seed in seeds:
                values = "".join(f"{_of_seed(cell, seed):>{width}}" for cell in row)
                lines.append(f"{f'  seed {seed}':<{label_width}}{values}")
        lines += _summary(judged[table.title])
    if any(len(verdict.margins) == 1 for of_table in judged.values() for verdict in of_table):
        lines += ["", *_wrapped(_ONE_SEED)]
    if any(cell.has_collapsed for cell in cells):
        lines += [
            "",
            *_wrapped(
                f"{_COLLAPSED_MARK} The average of this method has collapsed: it is below "
                f"{COLLAPSED_BELOW:.0%} of the best one's. That its clients fare alike is not "
                "fairness."
            ),
        ]
    return "\n".join(lines)


def _over_seeds(num_seeds: int) -> str:
    """Says what a cell shows."""
    return f"mean ± standard deviation over {num_seeds} seeds" if num_seeds > 1 else "one seed"


def method_rows(table: Table) -> tuple[list[str], list[list[str]]]:
    """Returns the header and a row per method, `ours ± std (paper)` in each cell."""
    rows = []
    for method, row in table.rows.items():
        chosen = row[0].chosen
        label = f"{method} = {chosen}" if chosen else method
        rows.append([label, *(_with_average(cell) for cell in row if cell.is_shown)])
    return ["method", *(metric.label for metric in table.shown)], rows


def _seeds(table: Table) -> list[str]:
    rows = [
        [method, str(seed), *(_of_seed(cell, seed) for cell in row if cell.is_shown)]
        for method, row in table.rows.items()
        for seed in sorted({seed for cell in row for seed in cell.values})
    ]
    return _markdown_table(["method", "seed", *(metric.label for metric in table.shown)], rows)


def pair_rows(judged: Sequence[Verdict]) -> tuple[list[str], list[list[str]]]:
    """Returns the header and a row per pair of methods that the paper tells apart."""
    header = ["metric", "A over B in the paper", "by", "ours", "seeds", "verdict"]
    rows = [
        [
            verdict.better.metric.label,
            f"{_name(verdict.better)} over {_name(verdict.worse)}",
            f"{verdict.paper_margin:.2f}",
            _margin(verdict),
            str(len(verdict.margins)),
            _verdict(verdict),
        ]
        for verdict in judged
    ]
    return header, rows


def claim_rows(judged: Sequence[ClaimVerdict]) -> tuple[list[str], list[list[str]]]:
    """Returns the header and a row per claim and data set."""
    header = ["claim", "verdict", "data set", "difference", "seeds", "on this data set"]
    rows = []
    for verdict in judged:
        for place, each in enumerate(verdict.datasets):
            is_first = place == 0
            rows.append(
                [
                    f"{verdict.claim.statement} ({verdict.claim.source})" if is_first else "",
                    verdict.outcome.value if is_first else "",
                    each.label,
                    difference(each),
                    str(len(each.better)),
                    each.outcome.value + (f": {each.reason}" if each.reason else ""),
                ]
            )
    return header, rows


def difference(verdict: DatasetVerdict) -> str:
    """Returns the mean difference of a claim with its t interval, as far as there are any."""
    if verdict.mean is None:
        return "–"
    shown = f"{verdict.mean:+.4g}"
    interval = verdict.interval
    return shown if interval is None else f"{shown} {interval_text(interval)}"


def interval_text(interval: tuple[float, float] | None) -> str:
    """Returns an interval in brackets, a dash for none."""
    return "–" if interval is None else f"[{interval[0]:+.4g}, {interval[1]:+.4g}]"


def _summary(judged: Sequence[Verdict]) -> list[str]:
    """One paragraph per metric: how many of the paper's claims hold, and which do not."""
    by_metric: dict[Metric, list[Verdict]] = {}
    for verdict in judged:
        by_metric.setdefault(verdict.better.metric, []).append(verdict)
    lines = []
    for metric, of_metric in by_metric.items():
        counts = collections.Counter(verdict.outcome for verdict in of_metric)
        parts = [
            f"{outcome.value}: {counts[outcome]} of {len(of_metric)}"
            for outcome in _COUNTED
            if counts[outcome]
        ]
        for outcome in Outcome:
            named = [verdict for verdict in of_metric if verdict.outcome is outcome]
            if named and outcome not in _COUNTED:
                pairs = ", ".join(f"{v.better.method} over {v.worse.method}" for v in named)
                parts.append(f"{outcome.value}: {pairs}")
        lines += _wrapped(f"{metric.label}, the paper's A over B: {'; '.join(parts)}")
    return lines


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, _TERMINAL_WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _name(cell: Cell) -> str:
    """The method, with the number that its own must be read with."""
    return cell.method if cell.read_with is None else f"{cell.method} (at {cell.read_with:.2f})"


def _margin(verdict: Verdict) -> str:
    if verdict.mean_margin is None:
        return "–"
    interval = verdict.interval
    shown = f"{verdict.mean_margin:+.2f}"
    return shown if interval is None else f"{shown} [{interval[0]:+.2f}, {interval[1]:+.2f}]"


def _verdict(verdict: Verdict) -> str:
    if verdict.outcome is not Outcome.COLLAPSED:
        return verdict.outcome.value
    low = verdict.better if verdict.better.has_collapsed else verdict.worse
    return f"{verdict.outcome.value}: {low.method} has collapsed"


def _with_average(cell: Cell) -> str:
    shown = _compact(cell, mark="")
    return f"{shown}, collapsed to {cell.read_with:.2f}" if cell.has_collapsed else shown


def _compact(cell: Cell, mark: str = _COLLAPSED_MARK) -> str:
    ours = _ours(cell) + (mark if cell.has_collapsed else "")
    return ours if cell.paper is None else f"{ours} ({_number(cell, cell.paper)})"


def _ours(cell: Cell) -> str:
    if cell.mean is None:
        return cell.absence
    shown = _number(cell, cell.mean)
    if cell.std is not None:
        shown += f" ± {_number(cell, cell.std)}"
    return f"{shown} ({cell.some_of_seeds})" if cell.some_of_seeds else shown


def _of_seed(cell: Cell, seed: int) -> str:
    if seed not in cell.values:
        return "not run" if cell.is_shown else ""
    return _number(cell, cell.values[seed]) if seed in cell.reached else cell.absence


def _number(cell: Cell, value: float) -> str:
    return f"{value:.{cell.metric.decimals}f}"


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    separator = ["---"] * len(header)
    lines = ([cell.replace("|", "\\|") for cell in row] for row in (header, separator, *rows))
    return ["| " + " | ".join(line) + " |" for line in lines]
