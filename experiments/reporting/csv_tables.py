"""An artifact's tables for other programs: every number, and every verdict, a row each."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from experiments.reporting import verdicts
from experiments.reporting.comparison import Table

_CELL_COLUMNS = (
    "dataset",
    "round",
    "method",
    "chosen",
    "metric",
    "paper",
    "mean",
    "standard_deviation",
    "difference",
    "has_collapsed",
)
_VERDICT_COLUMNS = (
    "dataset",
    "round",
    "metric",
    "better_in_paper",
    "worse_in_paper",
    "paper_margin",
    "mean_margin",
    "interval_low",
    "interval_high",
    "num_seeds",
    "verdict",
)


def cells_csv(tables: Sequence[Table], *, seeds: Sequence[int]) -> str:
    """Returns a row per data set, round, method and metric.

    Args:
        tables: What `compare` returned.
        seeds: A column `seed_S` for each.

    Returns:
        CSV. `round` is that of the table or of the metric, empty for the last one; `difference` is
        the mean less the paper's number.
    """
    rows = [
        (
            table.dataset,
            cell.metric.in_round,
            cell.method,
            cell.chosen,
            cell.metric.label,
            cell.paper,
            cell.mean,
            cell.std,
            cell.difference,
            cell.has_collapsed,
            *(cell.values.get(seed) for seed in seeds),
        )
        for table in tables
        for cell in table.cells
    ]
    return _csv(rows, (*_CELL_COLUMNS, *(f"seed_{seed}" for seed in seeds)))


def verdicts_csv(tables: Sequence[Table]) -> str:
    """Returns a row per claim of the paper, see `verdicts.Verdict`."""
    rows = []
    for table in tables:
        for verdict in verdicts.judge(table):
            low, high = verdict.interval or (None, None)
            metric = verdict.better.metric
            rows.append(
                (
                    table.dataset,
                    metric.in_round,
                    metric.label,
                    verdict.better.method,
                    verdict.worse.method,
                    verdict.paper_margin,
                    verdict.mean_margin,
                    low,
                    high,
                    len(verdict.margins),
                    verdict.outcome.value,
                )
            )
    return _csv(rows, _VERDICT_COLUMNS)


def _csv(rows: Sequence[Sequence[object]], columns: Sequence[str]) -> str:
    table = pd.DataFrame(rows, columns=list(columns))
    if "round" in table:  # Whole numbers also where some are missing.
        table["round"] = table["round"].astype("Int64")
    return table.round(6).to_csv(index=False)
