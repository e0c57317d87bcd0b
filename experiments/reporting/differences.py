"""By how much methods differ from one of them, and whether that is more than seed noise."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from experiments.declaration import Artifact, Claim, Metric
from experiments.reporting import claims
from experiments.reporting.claims import DatasetVerdict, Outcome
from experiments.reporting.comparison import COLLAPSED_BELOW, Table
from experiments.reporting.intervals import CONFIDENCE

RULES = (
    "Differences are paired by seed: the same data, cohorts, initial weights and shuffling. The "
    "differences' spread counts as at least what reading a target in evaluated rounds alone makes. "
    f"Better and worse: the {CONFIDENCE:.0%} t interval of the mean difference over the seeds does "
    "not hold 0. Undecided: it does, or the smaller variance is that of a model whose average is "
    f"below {COLLAPSED_BELOW:.0%} of the best method's, which is no merit.",
    "Every interval stands by itself: of many methods without any difference one in twenty is told "
    "apart by chance. Two seeds make wide intervals; each further one narrows them.",
)
ONE_SEED = (
    "One seed cannot tell whether a difference is more than noise: choose several, --seeds=1,2,3."
)
_WORDS = {Outcome.CONFIRMED: "better", Outcome.CONTRADICTED: "worse"}


@dataclasses.dataclass(frozen=True)
class Difference:
    """A method less the artifact's reference, by one metric on one data set.

    Attributes:
        method: The method's label.
        metric: What is measured.
        verdict: What the runs say to the claim that the method is the better one.
    """

    method: str
    metric: Metric
    verdict: DatasetVerdict

    @property
    def mean(self) -> float | None:
        """The mean over the seeds, in the metric's units; None where there is no pair."""
        mean = self.verdict.mean
        return -mean if mean is not None and self.metric.smaller_is_better else mean

    @property
    def interval(self) -> tuple[float, float] | None:
        """The paired t interval of the mean, None for fewer than two seeds."""
        interval = self.verdict.interval
        if interval is None or not self.metric.smaller_is_better:
            return interval
        return -interval[1], -interval[0]

    @property
    def outcome(self) -> str:
        """Better, worse, or undecided with the reason."""
        word = _WORDS.get(self.verdict.outcome)
        return word or f"{Outcome.UNDECIDED.value}: {self.verdict.reason}"


def differences(artifact: Artifact, tables: Sequence[Table]) -> dict[str, list[Difference]]:
    """Returns by how much every other method differs from an artifact's reference.

    Args:
        artifact: The artifact; without a reference nothing is compared.
        tables: What `comparison.compare` made of the runs.

    Returns:
        By the table's title, method by method, a difference for each metric; none where the
        reference was not run.
    """
    reference = artifact.reference
    if reference is None:
        return {}
    return {
        table.title: [
            Difference(method, metric, _verdict(artifact, table, metric, method))
            for method in table.rows
            if method != reference and any(cell.values for cell in table.rows[reference])
            for metric in table.shown
        ]
        for table in tables
    }


def _verdict(artifact: Artifact, table: Table, metric: Metric, method: str) -> DatasetVerdict:
    statement = f"{method} over {artifact.reference} by {metric.label}"
    claim = Claim(
        name=f"{artifact.name}/{statement}",
        statement=statement,
        source="No paper",
        artifact=artifact.name,
        metric=metric,
        better=method,
        worse=artifact.reference,
    )
    return claims.judge_table(claim, table)


def heading(artifact: Artifact) -> str:
    """Returns what stands above the rows."""
    return (
        f"Difference from {artifact.reference}, paired by seed: mean over the seeds "
        f"[{CONFIDENCE:.0%} t interval]"
    )


def rows(of_table: Sequence[Difference]) -> tuple[list[str], list[list[str]]]:
    """Returns the header and a row per method and metric."""
    header = ["method", "metric", "difference", "seeds", "verdict"]
    return header, [
        [each.method, each.metric.label, _number(each), str(len(each.verdict.better)), each.outcome]
        for each in of_table
    ]


def lines(artifact: Artifact, found: Mapping[str, Sequence[Difference]]) -> list[str]:
    """Returns the rows of all tables for the terminal, in columns."""
    by_table = {title: rows(of_table)[1] for title, of_table in found.items() if of_table}
    every = [row for of_table in by_table.values() for row in of_table]
    if not every:
        return []
    shown = ["", heading(artifact)]
    widths = [max(len(row[column]) for row in every) + 2 for column in range(4)]
    for title, of_table in by_table.items():
        shown += [title] if len(by_table) > 1 else []
        for place, (method, metric, difference, _, outcome) in enumerate(of_table):
            is_first = place == 0 or of_table[place - 1][0] != method
            shown.append(
                f"{method if is_first else '':<{widths[0]}}{metric:<{widths[1]}}"
                f"{difference:<{widths[2]}}{outcome}"
            )
    return shown


def _number(difference: Difference) -> str:
    if difference.mean is None:
        return "–"
    shown, interval = _signed(difference.mean), difference.interval
    return shown if interval is None else f"{shown} [{', '.join(map(_signed, interval))}]"


def _signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"  # And no minus before nothing.
