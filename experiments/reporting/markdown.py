"""An artifact's table as text: Markdown for the file, a compact one for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.artifacts import Artifact
from experiments.reporting.comparison import Cell

_COLUMNS = (
    "data set",
    "method",
    "metric",
    "paper",
    "ours (mean ± std over {seeds} seed{plural})",
    "difference",
    "same ranking?",
)


def comparison_markdown(
    artifact: Artifact, cells: Sequence[Cell], *, num_seeds: int, facts: Sequence[str]
) -> str:
    """Returns the artifact's page.

    Args:
        artifact: The artifact.
        cells: What `compare` returned.
        num_seeds: How many seeds were asked for.
        facts: How the runs were made, a sentence each.
    """
    header = [
        column.format(seeds=num_seeds, plural="" if num_seeds == 1 else "s") for column in _COLUMNS
    ]
    rows = [
        [
            cell.dataset,
            f"{cell.method} = {cell.chosen}" if cell.chosen else cell.method,
            cell.metric.label,
            _number(cell.paper),
            _ours(cell),
            _number(cell.difference, signed=True),
            _ranking(cell),
        ]
        for cell in cells
    ]
    lines = [f"# {artifact.name}: {artifact.title}", "", *_table(header, rows), ""]
    lines += [f"- {sentence}" for sentence in (*artifact.notes, *facts)]
    return "\n".join(lines) + "\n"


def compact_text(artifact: Artifact, cells: Sequence[Cell]) -> str:
    """Returns one line per method and data set, `ours (paper)` for each metric."""
    label_width = max(max(len(cell.method), len(cell.dataset)) for cell in cells)
    width = max(max(len(_compact(cell)), len(cell.metric.label)) for cell in cells) + 2
    lines = []
    for dataset in artifact.datasets:
        labels = "".join(f"{metric.label:>{width}}" for metric in artifact.metrics)
        lines += ["", f"{dataset:<{label_width}}{labels}"]
        of_dataset = [cell for cell in cells if cell.dataset == dataset]
        for method in dict.fromkeys(cell.method for cell in of_dataset):
            texts = "".join(
                f"{_compact(cell):>{width}}" for cell in of_dataset if cell.method == method
            )
            lines.append(f"{method:<{label_width}}{texts}")
    return "\n".join(["ours (paper)", *lines[1:]])


def _compact(cell: Cell) -> str:
    ours = _ours(cell)
    return ours if cell.paper is None else f"{ours} ({cell.paper:.2f})"


def _ours(cell: Cell) -> str:
    if not cell.values:
        return "not run"
    if cell.mean is None:
        return "not reached"
    shown = f"{cell.mean:.2f}" + ("" if cell.std is None else f" ± {cell.std:.2f}")
    if len(cell.reached) < len(cell.values):
        shown += f" ({len(cell.reached)} of {len(cell.values)} seeds)"
    return shown


def _number(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "–"
    return f"{value:+.2f}" if signed else f"{value:.2f}"


def _ranking(cell: Cell) -> str:
    if cell.paper_rank is None:
        return "–"
    if cell.paper_rank == cell.our_rank:
        return f"yes ({cell.our_rank})"
    return f"no ({cell.paper_rank} there, {cell.our_rank} here)"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    separator = ["---"] * len(header)
    return ["| " + " | ".join(row) + " |" for row in (header, separator, *rows)]
