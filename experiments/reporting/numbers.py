"""Numbers as text: the same digits on the terminal, on every page and in all prose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.declaration import Metric
from experiments.reporting.comparison import COLLAPSED_BELOW, Cell
from experiments.reporting.judgement import Judgement
from experiments.reporting.pairs import Pair

ABSENT = "–"
COLLAPSED_MARK = "*"
COLLAPSED_NOTE = (
    f"{COLLAPSED_MARK} The model has collapsed: its average is below {COLLAPSED_BELOW:.0%} of the "
    "best one's. That its clients fare alike is not fairness."
)
UNCHANGED_MARK = "†"
UNCHANGED_NOTE = (
    f"{UNCHANGED_MARK} In a run behind this number the model did not change in any round. Nothing "
    "is judged by it; its result.json says why."
)
# The decimals of a difference in standard deviations.
_POOLED_DECIMALS = 2


def number(value: float, decimals: int) -> str:
    """Returns a number with so many decimals, and commas between thousands."""
    # Adding 0 avoids −0.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def signed(value: float, decimals: int) -> str:
    """Returns a number with its sign; none for 0."""
    text = number(value, decimals)
    return f"+{text}" if round(value, decimals) > 0 else text


def metric_text(metric: Metric) -> str:
    """Returns a metric's label, with its round if the label does not say it."""
    has_round = metric.in_round and "round" not in metric.label
    return f"{metric.label}, round {metric.in_round:,}" if has_round else metric.label


def interval(ends: tuple[float, float], decimals: int) -> str:
    """Returns an interval in brackets."""
    return f"[{', '.join(number(end, decimals) for end in ends)}]"


def cell_text(cell: Cell) -> str:
    """Returns `mean ± standard deviation (paper)`, without the parts that are missing."""
    decimals = cell.metric.decimals
    if cell.mean is None:
        shown = cell.absence
    else:
        shown = number(cell.mean, decimals)
        shown += "" if cell.std is None else f" ± {number(cell.std, decimals)}"
        shown += f" ({cell.some_of_seeds})" if cell.some_of_seeds else ""
        shown += COLLAPSED_MARK if cell.has_collapsed else ""
        shown += UNCHANGED_MARK if cell.unchanged else ""
    return shown if cell.paper is None else f"{shown} ({number(cell.paper, decimals)})"


def seeds_text(seeds: Iterable[int]) -> str:
    """Returns `seed 3` or `seeds 1 to 5, 7`; three or more in a row become one part."""
    parts: list[list[int]] = []
    ordered = sorted(set(seeds))
    for seed in ordered:
        if parts and seed == parts[-1][-1] + 1:
            parts[-1].append(seed)
        else:
            parts.append([seed])
    shown = (f"{each[0]} to {each[-1]}" if each[2:] else str(each)[1:-1] for each in parts)
    return f"{'seeds' if ordered[1:] else 'seed'} {', '.join(shown)}"


def count_seeds(cells: Iterable[Cell]) -> int:
    """Returns how many seeds some cells have together."""
    return len({seed for cell in cells for seed in cell.values})


def cell_legend(cells: Sequence[Cell]) -> str:
    """Says what the cells of a table show; a row with fewer seeds names their number."""
    num_seeds = count_seeds(cells)
    if num_seeds < 2:
        return "one seed"
    rows: dict[tuple[str, str], int] = {}
    for cell in cells:
        place = cell.dataset, cell.method
        rows[place] = max(rows.get(place, 0), len(cell.values))
    are_fewer = any(0 < number_of_row < num_seeds for number_of_row in rows.values())
    also = ", or over as many as a row names" if are_fewer else ""
    return f"mean ± standard deviation over {num_seeds} seeds{also}"


def notes(cells: Iterable[Cell]) -> list[str]:
    """Returns the meaning of the marks at a table's numbers, if there are any."""
    shown = [cell for cell in cells if cell.mean is not None]
    found = [COLLAPSED_NOTE] if any(cell.has_collapsed for cell in shown) else []
    return found + ([UNCHANGED_NOTE] if any(cell.unchanged for cell in shown) else [])


def difference_text(pair: Pair, metric: Metric) -> str:
    """Returns a mean difference with its interval, or a dash."""
    return _with_interval(pair.mean, pair.interval, metric.decimals)


def pooled_text(judgement: Judgement) -> str:
    """Returns a pooled difference with its interval, or a dash."""
    mean, ends = judgement.pooled or (None, None)
    return _with_interval(mean, ends, _POOLED_DECIMALS)


def _with_interval(mean: float | None, ends: tuple[float, float] | None, decimals: int) -> str:
    if mean is None:
        return ABSENT
    return signed(mean, decimals) + ("" if ends is None else f" {interval(ends, decimals)}")
