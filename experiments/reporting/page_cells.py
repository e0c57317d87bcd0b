"""The text of one cell of a table on a page of prose."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from experiments.declaration import Shown
from experiments.reporting.comparison import Cell
from experiments.reporting.intervals import rounding_deviation, t_interval
from experiments.reporting.metrics import has_target

COLLAPSED_MARK = "¹"
_ABSENT = "–"
_MINUS = "\N{MINUS SIGN}"


def cell_text(cells: Sequence[Cell], shown: Shown, seeds: Sequence[int], separator: str) -> str:
    """Returns what stands in a cell.

    Args:
        cells: A number of each method and metric, method by method, with a value for each seed.
        shown: What is shown of the values.
        seeds: The seeds, in the order in which they are shown.
        separator: What stands between two numbers.

    Returns:
        The numbers, a dash for a target that was not reached and for a number that the paper does
        not have; one dash where that is all there is.

    Raises:
        ValueError: If a run has no number, for another reason than that a target was not reached,
            or a difference or a range is asked of what was not reached.
    """
    if shown is not Shown.PAPER:
        for cell in cells:
            _check_numbers(cell, only_reached=shown in (Shown.DIFFERENCE, Shown.RANGE))
    if shown is Shown.DIFFERENCE:
        half = len(cells) // 2
        texts = [_difference(*pair, seeds) for pair in zip(cells[:half], cells[half:])]
    elif shown is Shown.RANGE:
        values = [value for cell in cells for value in cell.values.values()]
        texts = [_number(cells[0], end) for end in (min(values), max(values))]
    else:
        texts = [text for cell in cells for text in _texts(cell, shown, seeds)]
    return _ABSENT if set(texts) == {_ABSENT} else separator.join(texts)


def _check_numbers(cell: Cell, *, only_reached: bool) -> None:
    missing = [seed for seed, value in cell.values.items() if math.isnan(value)]
    if missing and (only_reached or not has_target(cell.metric)):
        where = "" if cell.metric.in_round is None else f" in round {cell.metric.in_round}"
        raise ValueError(
            f"{cell.method} on {cell.dataset} has no {cell.metric.label!r}{where}, seeds {missing}"
        )


def _texts(cell: Cell, shown: Shown, seeds: Sequence[int]) -> list[str]:
    if shown is Shown.PAPER:
        return [_paper(cell)]
    mark = f" ({COLLAPSED_MARK})" if cell.has_collapsed else ""
    if shown is Shown.SEEDS:
        return [
            f"{_number(cell, cell.values[seed])}{mark}" if seed in cell.reached else _ABSENT
            for seed in seeds
        ]
    text = _ABSENT if cell.mean is None else _number(cell, cell.mean)
    if shown is not Shown.MEAN and cell.std is not None:
        text += f" ± {_number(cell, cell.std)}"
    if cell.some_of_seeds:
        text += f" ({cell.some_of_seeds})"
    if shown is Shown.BESIDE_PAPER and cell.paper is not None:
        text += f" ({_paper(cell)})"
    return [text + mark]


def _paper(cell: Cell) -> str:
    return _ABSENT if cell.paper is None else _number(cell, cell.paper)


def _difference(first: Cell, second: Cell, seeds: Sequence[int]) -> str:
    differences = [first.values[seed] - second.values[seed] for seed in seeds]
    shown = _number(first, float(np.mean(differences)))
    rounding = rounding_deviation(first.step, second.step)
    interval = t_interval(differences, least_deviation=rounding)
    if interval is None:
        return shown
    return f"{shown} [{', '.join(_number(first, end) for end in interval)}]"


def _number(cell: Cell, value: float) -> str:
    rounded = round(value, cell.metric.decimals) + 0.0  # No sign before nothing.
    return f"{rounded:,.{cell.metric.decimals}f}".replace("-", _MINUS)
