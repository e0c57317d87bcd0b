"""Tables on pages of prose, made of finished runs, so that no number is copied by hand."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence

from experiments.declaration import Artifact, Metric, Numbers, PageTable, Paper, Runs, Shown
from experiments.reporting.comparison import COLLAPSED_BELOW, Cell, compare, metrics_of
from experiments.reporting.document import Block, Grid, Paragraph
from experiments.reporting.finished import Find, read_finished
from experiments.reporting.markdown_page import markdown_text
from experiments.reporting.page_cells import COLLAPSED_MARK, cell_text
from leaf_data import registry

_COLLAPSED_NOTE = (
    f"{COLLAPSED_MARK} The average has collapsed: it is below {COLLAPSED_BELOW:.0%} of the best "
    "one's. That its clients fare alike is not fairness."
)
# The lines around a table.
_LINE = re.compile(r"^<!-- (?:results: (?P<name>\S+)|end of results) -->[ \t]*$", re.MULTILINE)
# By dataset, method and metric.
_Cells = Mapping[tuple[str, str, Metric], Cell]


def names_on(markdown: str) -> list[str]:
    """Returns the names of the tables that a page has a place for, in their order.

    Raises:
        ValueError: If a place has no end, or an end no beginning.
    """
    return [begin["name"] for begin, _ in _places(markdown)]


def with_tables(markdown: str, papers: Iterable[Paper], find: Find) -> str:
    """Returns a page with every table in its place, as the runs have it now.

    Args:
        markdown: The page.
        papers: Those that declare the tables and the artifacts.
        find: Where a configuration's finished run lies.

    Raises:
        ValueError: If the page names a table that there is not, a place has no end, or a table
            cannot be made.
    """
    declared = list(papers)
    tables = {table.name: table for paper in declared for table in paper.page_tables}
    artifacts = {artifact.name: artifact for paper in declared for artifact in paper.artifacts}
    parts, done = [], 0
    for begin, end in _places(markdown):
        table = tables.get(begin["name"])
        if table is None:
            raise ValueError(f"there is no table {begin['name']!r}, only {sorted(tables)}")
        text = table_markdown(table, artifacts, find)
        parts += [markdown[done : begin.end()], f"\n\n{text}\n"]
        done = end.start()
    return "".join((*parts, markdown[done:]))


def without_tables(markdown: str) -> str:
    """Returns a page with nothing in the places of its tables.

    Raises:
        ValueError: As `names_on`.
    """
    parts, done = [], 0
    for begin, end in _places(markdown):
        parts.append(markdown[done : begin.end()] + "\n")
        done = end.start()
    return "".join((*parts, markdown[done:]))


def _places(markdown: str) -> list[tuple[re.Match[str], re.Match[str]]]:
    """The lines before and after each table."""
    lines = list(_LINE.finditer(markdown))
    begins, ends = lines[::2], lines[1::2]
    for line, should_begin in zip(lines, (True, False) * len(lines)):
        if (line["name"] is not None) is not should_begin:
            number = markdown.count("\n", 0, line.start()) + 1
            missing = "beginning" if should_begin else "end before it"
            raise ValueError(f"line {number}, {line[0].strip()!r}, has no {missing}")
    if len(begins) > len(ends):
        raise ValueError(f"the place of {begins[-1]['name']!r} has no end")
    return list(zip(begins, ends))


def table_markdown(table: PageTable, artifacts: Mapping[str, Artifact], find: Find) -> str:
    """Returns a table as Markdown.

    Args:
        table: The table.
        artifacts: All artifacts by name.
        find: Where a configuration's finished run lies.

    Raises:
        ValueError: If a cell names an artifact, a scale, a data set, a method, a metric, a round or
            a paper's column that there is not, or a run of one is not finished.
    """
    wanted: dict[Runs, list[Numbers]] = {}
    for numbers in table.numbers:
        wanted.setdefault(numbers.runs, []).append(numbers)
    try:
        artifact_of = {runs: _artifact(runs, artifacts) for runs in wanted}
        read = {runs: _read(artifact_of[runs], wanted[runs], find) for runs in wanted}
        found = {
            numbers: _cells_of(numbers, artifact_of[numbers.runs], read[numbers.runs])
            for numbers in table.numbers
        }
        rows = [
            [
                each
                if isinstance(each, str)
                else cell_text(found[each], each.shown, each.runs.seeds, each.separator)
                for each in row
            ]
            for row in table.rows
        ]
    except ValueError as error:
        raise ValueError(f"table {table.name}: {error}") from error
    blocks: list[Block] = [Grid(table.header, rows)]
    if any(cell.has_collapsed for cells in found.values() for cell in cells):
        blocks.append(Paragraph(_COLLAPSED_NOTE))
    return markdown_text(blocks)


def _artifact(runs: Runs, artifacts: Mapping[str, Artifact]) -> Artifact:
    artifact = artifacts.get(runs.artifact)
    if artifact is None:
        raise ValueError(f"there is no artifact {runs.artifact!r}")
    if runs.scale not in artifact.scales:
        raise ValueError(f"{runs}: the scale must be one of {', '.join(artifact.scales)}")
    return artifact


def _read(artifact: Artifact, wanted: Sequence[Numbers], find: Find) -> _Cells:
    """Reads all that is wanted of an artifact's runs, and no run of another data set."""
    runs = wanted[0].runs
    datasets = sorted({numbers.dataset for numbers in wanted})
    read = {registry.dataset_name(dataset) for dataset in datasets}
    finished = read_finished(
        artifact,
        runs.scale,
        runs.seeds,
        lambda configuration: find(configuration) if configuration.dataset in read else None,
    )
    if finished is None:
        raise ValueError(f"there is no finished run of {runs}, on {', '.join(datasets)}")
    rounds = artifact.scales[runs.scale].rounds_shown
    metrics = [metric for numbers in wanted for metric in numbers.metrics]
    for metric in metrics if rounds else ():
        if metric.in_round not in rounds:
            raise ValueError(
                f"{runs}: in_round of {metric.label!r} must be one of {rounds}, got "
                f"{metric.in_round}"
            )
    # Its own metrics come first: by the first of them its best-of rows choose. Where it shows
    # several rounds it has all its metrics in each of them.
    asked = dict.fromkeys(artifact.metrics)
    for metric in metrics:
        asked.update(dict.fromkeys(metrics_of(metric)))
    if rounds:
        asked = {dataclasses.replace(metric, in_round=None): None for metric in asked}
    try:
        tables = compare(
            dataclasses.replace(artifact, metrics=tuple(asked)), finished.runs, scale=runs.scale
        )
    except KeyError as error:
        raise ValueError(f"{runs}: there is no metric {error}") from error
    return {
        (cell.dataset, cell.method, cell.metric): cell for table in tables for cell in table.cells
    }


def _cells_of(numbers: Numbers, artifact: Artifact, cells: _Cells) -> list[Cell]:
    """The cells of every method and metric, method by method."""
    _check_paper(numbers, artifact)
    for method in numbers.methods:
        # A best-of row is only that of the best if all that it chooses from are finished.
        for label in artifact.best_of.get(method, (method,)):
            cell = cells.get((numbers.dataset, label, numbers.metrics[0]))
            if cell is None:
                raise ValueError(f"{artifact.name} has no {label!r} on {numbers.dataset!r}")
            missing = [seed for seed in numbers.runs.seeds if seed not in cell.values]
            if missing:
                raise ValueError(
                    f"{artifact.name}, {label} on {numbers.dataset}: seeds {missing} are not "
                    "finished"
                )
    return [
        cells[numbers.dataset, method, metric]
        for method in numbers.methods
        for metric in numbers.metrics
    ]


def _check_paper(numbers: Numbers, artifact: Artifact) -> None:
    if numbers.shown not in (Shown.PAPER, Shown.BESIDE_PAPER):
        return
    asked = dataclasses.replace(artifact, metrics=(*artifact.metrics, *numbers.metrics))
    columns = {column for _, _, column in asked.paper_values()}
    for metric in numbers.metrics:
        if metric.paper_column not in columns:
            raise ValueError(
                f"paper_column of {metric.label!r} must be one of which the files of "
                f"{artifact.name} have numbers, got {metric.paper_column!r}"
            )
