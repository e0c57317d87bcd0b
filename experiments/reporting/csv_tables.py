"""An artifact's tables for other programs: every number, and every verdict, a row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from experiments.declaration import Artifact
from experiments.reporting import verdicts
from experiments.reporting.claims import ClaimVerdict
from experiments.reporting.comparison import Table
from experiments.reporting.differences import Difference

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
_CLAIM_COLUMNS = (
    "claim",
    "outcome",
    "dataset",
    "outcome_on_dataset",
    "reason",
    "metric",
    "better",
    "worse",
    "mean_difference",
    "interval_low",
    "interval_high",
    "bootstrap_low",
    "bootstrap_high",
    "probability_of_improvement",
    "num_seeds",
)
_DIFFERENCE_COLUMNS = (
    "dataset",
    "round",
    "metric",
    "method",
    "reference",
    "mean_difference",
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
        CSV, without what is not shown of a data set. `round` is that of the table or of the metric,
        empty for the last one; `difference` is the mean less the paper's number.
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
        if cell.is_shown
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


def claims_csv(judged: Sequence[ClaimVerdict]) -> str:
    """Returns a row per claim and data set, see `claims.ClaimVerdict`."""
    rows = []
    for verdict in judged:
        claim = verdict.claim
        for on_dataset in verdict.datasets:
            rows.append(
                (
                    claim.name,
                    verdict.outcome.value,
                    on_dataset.dataset,
                    on_dataset.outcome.value,
                    on_dataset.reason,
                    claim.metric.label,
                    claim.better,
                    claim.reference if claim.worse is None else claim.worse,
                    on_dataset.mean,
                    *(on_dataset.interval or (None, None)),
                    *(on_dataset.bootstrap_interval or (None, None)),
                    on_dataset.probability_of_improvement,
                    len(on_dataset.better),
                )
            )
    return _csv(rows, _CLAIM_COLUMNS)


def differences_csv(
    artifact: Artifact, tables: Sequence[Table], found: Mapping[str, Sequence[Difference]]
) -> str:
    """Returns a row per data set, method and metric, see `differences.Difference`."""
    rows = [
        (
            table.dataset,
            each.metric.in_round,
            each.metric.label,
            each.method,
            artifact.reference,
            each.mean,
            *(each.interval or (None, None)),
            len(each.verdict.better),
            each.outcome,
        )
        for table in tables
        for each in found[table.title]
    ]
    return _csv(rows, _DIFFERENCE_COLUMNS)


def _csv(rows: Sequence[Sequence[object]], columns: Sequence[str]) -> str:
    table = pd.DataFrame(rows, columns=list(columns))
    if "round" in table:  # Whole numbers also where some are missing.
        table["round"] = table["round"].astype("Int64")
    return table.round(6).to_csv(index=False)
