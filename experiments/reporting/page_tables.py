"""Tables on pages of prose, made of finished runs, so that no number is copied by hand."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence

from experiments.declaration import Artifact, Metric, Numbers, PageTable, Paper, Runs, Shown
from experiments.reporting.comparison import COLLAPSED_BELOW, Cell, compare, paired
from experiments.reporting.document import Block, Grid, Paragraph
from experiments.reporting.finished import Find, read_finished
from experiments.reporting.intervals import t_interval
from experiments.reporting.markdown_page import markdown_pages

_COLLAPSED = "¹"
_COLLAPSED_NOTE = (
    f"{_COLLAPSED} The average has collapsed: it is below {COLLAPSED_BELOW:.0%} of the best one's. "
    "That its clients fare alike is not fairness."
)
_ABSENT = "–"
_MINUS = "\N{MINUS SIGN}"
_PLACE = re.compile(
    r"(?P<begin>^<!-- results: (?P<name>\S+) -->\n).*?(?P<end>^<!-- end of results -->$)",
    re.DOTALL | re.MULTILINE,
)
# By dataset, method and metric.
_Cells = Mapping[tuple[str, str, Metric], Cell]


def names_on(markdown: str) -> list[str]:
    """Returns the names of the tables that a page has a place for, in their order."""
    return [found["name"] for found in _PLACE.finditer(markdown)]


def with_tables(markdown: str, papers: Iterable[Paper], find: Find) -> str:
    """Returns a page with every table in its place, as the runs have it now.

    Args:
        markdown: The page.
        papers: Those that declare the tables and the artifacts.
        find: Where a configuration's finished run lies.

    Raises:
        ValueError: If the page names a table that there is not, or runs of one are not finished.
    """
    declared = list(papers)
    tables = {table.name: table for paper in declared for table in paper.page_tables}
    artifacts = {artifact.name: artifact for paper in declared for artifact in paper.artifacts}

    def placed(found: re.Match[str]) -> str:
        table = tables.get(found["name"])
        if table is None:
            raise ValueError(f"there is no table {found['name']!r}, only {sorted(tables)}")
        return f"{found['begin']}\n{table_markdown(table, artifacts, find)}\n{found['end']}"

    return _PLACE.sub(placed, markdown)


def table_markdown(table: PageTable, artifacts: Mapping[str, Artifact], find: Find) -> str:
    """Returns a table as Markdown.

    Args:
        table: The table.
        artifacts: All artifacts by name.
        find: Where a configuration's finished run lies.

    Raises:
        ValueError: If a cell names an artifact, a data set or a method that there is not, or a run
            of one is not finished.
    """
    wanted: dict[Runs, list[Numbers]] = {}
    for numbers in table.numbers:
        wanted.setdefault(numbers.runs, []).append(numbers)
    try:
        cells = {runs: _read(runs, numbers, artifacts, find) for runs, numbers in wanted.items()}
        rows = [
            [each if isinstance(each, str) else _text(each, cells[each.runs]) for each in row]
            for row in table.rows
        ]
    except ValueError as error:
        raise ValueError(f"table {table.name}: {error}") from error
    blocks: list[Block] = [Grid(table.header, rows)]
    if any(cell.endswith(f"({_COLLAPSED})") for row in rows for cell in row):
        blocks.append(Paragraph(_COLLAPSED_NOTE))
    (text,) = markdown_pages(blocks, pathlib.Path("page.md")).values()
    return text


def _read(
    runs: Runs, wanted: Sequence[Numbers], artifacts: Mapping[str, Artifact], find: Find
) -> _Cells:
    """Reads all that is wanted of one artifact's runs, and no run of another data set."""
    datasets = {numbers.dataset for numbers in wanted}
    metrics = tuple(dict.fromkeys(metric for numbers in wanted for metric in numbers.metrics))
    artifact = artifacts.get(runs.artifact)
    finished = None
    if artifact is not None:
        finished = read_finished(
            artifact,
            runs.scale,
            runs.seeds,
            lambda run: find(run) if run.dataset in datasets else None,
        )
    if artifact is None or finished is None:
        raise ValueError(f"there is no finished run of {runs}, on {', '.join(sorted(datasets))}")
    if artifact.scales[runs.scale].rounds_shown:  # Then it has all its metrics in each of them.
        metrics = tuple(dataclasses.replace(metric, in_round=None) for metric in metrics)
    # Its own metrics come first: by the first of them its best-of rows choose.
    asked = dataclasses.replace(
        artifact, metrics=tuple(dict.fromkeys((*artifact.metrics, *metrics)))
    )
    return {
        (cell.dataset, cell.method, cell.metric): cell
        for table in compare(asked, finished.runs, scale=runs.scale)
        for cell in table.cells
    }


def _text(numbers: Numbers, cells: _Cells) -> str:
    found = [
        _cell(numbers, cells, method, metric)
        for method in numbers.methods
        for metric in numbers.metrics
    ]
    if numbers.shown is Shown.LEAD:
        half = len(numbers.metrics)
        shown = [_lead(better, worse) for better, worse in zip(found[:half], found[half:])]
    elif numbers.shown is Shown.RANGE:
        values = [value for cell in found for value in cell.values.values()]
        shown = [_number(found[0], min(values)), _number(found[0], max(values))]
    else:
        shown = [text for cell in found for text in _of_cell(cell, numbers)]
    # What no method reached is said once.
    return _ABSENT if set(shown) == {_ABSENT} else numbers.separator.join(shown)


def _cell(numbers: Numbers, cells: _Cells, method: str, metric: Metric) -> Cell:
    cell = cells.get((numbers.dataset, method, metric))
    if cell is None:
        raise ValueError(f"{numbers.runs.artifact} has no {method!r} on {numbers.dataset!r}")
    missing = [seed for seed in numbers.runs.seeds if seed not in cell.values]
    if missing and numbers.shown is not Shown.PAPER:
        raise ValueError(
            f"{numbers.runs.artifact}, {method} on {numbers.dataset}: seeds {missing} are not "
            "finished"
        )
    return cell


def _of_cell(cell: Cell, numbers: Numbers) -> list[str]:
    if numbers.shown is Shown.PAPER:
        return [_ABSENT if cell.paper is None else _number(cell, cell.paper)]
    if numbers.shown is Shown.SEEDS:
        return [
            _number(cell, cell.values[seed]) if seed in cell.reached else _ABSENT
            for seed in numbers.runs.seeds
        ]
    if cell.mean is None:
        return [_ABSENT]
    text = _number(cell, cell.mean)
    if numbers.shown is not Shown.MEAN and cell.std is not None:
        text += f" ± {_number(cell, cell.std)}"
    if cell.some_of_seeds:
        text += f" ({cell.some_of_seeds})"
    if numbers.shown is Shown.BESIDE_PAPER and cell.paper is not None:
        text += f" ({_number(cell, cell.paper)})"
    return [f"{text} ({_COLLAPSED})" if cell.has_collapsed else text]


def _lead(better: Cell, worse: Cell) -> str:
    differences = [ours - theirs for ours, theirs in paired(better, worse).values()]
    if not differences:
        return _ABSENT
    shown = _number(better, sum(differences) / len(differences))
    interval = t_interval(differences)
    if interval is None:
        return shown
    return f"{shown} [{', '.join(_number(better, end) for end in interval)}]"


def _number(cell: Cell, value: float) -> str:
    # Rounded first, so that nothing has no sign.
    rounded = round(value, cell.metric.decimals) + 0.0
    return f"{rounded:,.{cell.metric.decimals}f}".replace("-", _MINUS)
