"""Verdicts on an artifact: on a paper's claims, pairs of its table, and differences."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from experiments.declaration import Claim, Metric, SpecificationCurve
from experiments.reporting.comparison import Table
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Judgement, judge
from experiments.reporting.pairs import Pair, pair

# A smaller difference between a paper's numbers is no claim: most numbers have two decimals.
TIE = 0.05
# Beside an artifact's table, and below a folder of results for all artifacts there.
VERDICTS_FILE = "verdicts.csv"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One question and the answer of the runs.

    Attributes:
        name: The claim's name; `pair` for a pair of the paper's table, `difference` for a
            difference from the artifact's reference, and `reading` for a comparison under one
            specification.
        metric: By what the methods are compared.
        better: The method whose lead is claimed or asked for.
        worse: The other method, or the number that it is compared with.
        judgement: The answer.
        datasets: The data sets of the judgement, by their own names.
        claim: The claim, where there is one.
        paper_differences: By how much the first method is better in the paper's table, for each
            data set; None where there is no such table.
    """

    name: str
    metric: Metric
    better: str
    worse: str
    judgement: Judgement
    datasets: tuple[str, ...]
    claim: Claim | None = None
    paper_differences: tuple[float, ...] | None = None


def verdict_on_claim(claim: Claim, finished: FinishedArtifact) -> Verdict:
    """Returns the verdict on a claim by the runs of its artifact.

    It covers the data sets that the claim names, or else all on which both methods are declared to
    run.

    Raises:
        ValueError: If the claim is about another artifact.
    """
    artifact = finished.artifact
    if claim.artifact != artifact.name:
        raise ValueError(f"claim {claim.name} is about {claim.artifact}, not {artifact.name}")
    tables = finished.tables_of(claim.metric)
    methods = [each for each in artifact.variants if each.label in (claim.better, claim.worse)]
    datasets = claim.datasets or tuple(
        dataset for dataset in artifact.datasets if all(each.is_run_on(dataset) for each in methods)
    )
    if claim.is_control:  # No paper says how many rounds it should have.
        tables = {name: dataclasses.replace(each, is_short=False) for name, each in tables.items()}
    pairs = [
        pair(tables[dataset], claim.metric, claim.better, claim.worse, reference=claim.reference)
        if dataset in tables
        else Pair(dataset, missing="not run at this scale")
        for dataset in datasets
    ]
    return Verdict(
        claim.name,
        claim.metric,
        claim.better,
        f"{claim.reference:g}" if claim.worse is None else claim.worse,
        judge(pairs, is_equal=claim.kind == "equal"),
        datasets,
        claim,
    )


def verdicts_on_pairs(finished: FinishedArtifact) -> list[Verdict]:
    """Returns verdicts on the pairs that differ in a paper's table, "A is better than B".

    There is one for each metric and pair, on the data sets where the paper's numbers differ.
    """
    claimed: dict[tuple[Metric, str, str], dict[str, tuple[Table, float]]] = {}
    for table, metric in [(each, metric) for each in finished.tables for metric in each.shown]:
        cells = [cell for cell in table.column(metric) if cell.paper is not None]
        for one, other in itertools.combinations(cells, 2):
            # Rounded, because differences of decimals are inexact in binary.
            difference = round((one.paper or 0.0) - (other.paper or 0.0), 6)
            if abs(difference) > TIE:
                first, second = (one, other)
                if (difference < 0) is not metric.smaller_is_better:
                    first, second = second, first
                of_pair = claimed.setdefault((metric, first.method, second.method), {})
                of_pair[table.dataset] = table, abs(difference)
    return [
        _verdict(
            "pair",
            *names,
            [table for table, _ in of_pair.values()],
            paper_differences=tuple(difference for _, difference in of_pair.values()),
        )
        for names, of_pair in claimed.items()
    ]


def verdicts_on_differences(finished: FinishedArtifact) -> list[Verdict]:
    """Returns verdicts on whether each other method is better than the reference, if any."""
    reference = finished.artifact.reference
    if reference is None:
        return []
    run = [
        dataclasses.replace(table, is_short=False)  # No paper says how many rounds it should have.
        for table in finished.tables
        if any(cell.values for cell in table.rows[reference])
    ]
    found, metrics = [], dict.fromkeys(metric for table in run for metric in table.metrics)
    for method in dict.fromkeys(method for table in run for method in table.rows):
        for metric in metrics if method != reference else ():
            shown = [each for each in run if method in each.rows and metric in each.shown]
            found.append(_verdict("difference", metric, method, reference, shown))
    return found


def verdicts_on_readings(finished: FinishedArtifact) -> list[Verdict]:
    """Returns verdicts on the comparisons of an artifact of readings under every specification."""
    view = finished.artifact.view
    if not isinstance(view, SpecificationCurve):
        return []
    compared = dict.fromkeys(
        (specification.labels[better], specification.labels[worse])
        for specification in view.specifications
        for better, worse in view.comparisons
    )
    return [
        _verdict("reading", metric, better, worse, finished.tables)
        for better, worse in compared
        for metric in finished.artifact.metrics
    ]


def verdicts_on(finished: FinishedArtifact, claims: Iterable[Claim]) -> list[Verdict]:
    """Returns all verdicts on an artifact; claims about others are left out."""
    own = (claim for claim in claims if claim.artifact == finished.artifact.name)
    return [
        *(verdict_on_claim(claim, finished) for claim in own),
        *verdicts_on_pairs(finished),
        *verdicts_on_differences(finished),
        *verdicts_on_readings(finished),
    ]


def _verdict(
    name: str,
    metric: Metric,
    better: str,
    worse: str,
    tables: Sequence[Table],
    *,
    paper_differences: tuple[float, ...] | None = None,
) -> Verdict:
    pairs = (pair(table, metric, better, worse) for table in tables)
    datasets = tuple(table.dataset for table in tables)
    return Verdict(name, metric, better, worse, judge(pairs), datasets, None, paper_differences)


def verdicts_csv(judged: Mapping[tuple[str, str], Iterable[Verdict]]) -> str:
    """Returns a row per question and data set: the numbers, and the verdicts on it and on all.

    Args:
        judged: The verdicts on each artifact, by its name and scale.
    """
    rows = []
    every = ((*key, verdict) for key, verdicts in judged.items() for verdict in verdicts)
    for artifact, scale, verdict in every:
        pooled, pooled_interval = verdict.judgement.pooled or (None, None)
        for place, (dataset, found) in enumerate(zip(verdict.datasets, verdict.judgement.datasets)):
            of_paper = verdict.paper_differences
            rows.append(
                (
                    *(artifact, scale, verdict.name, verdict.judgement.text, dataset),
                    *(verdict.metric.in_round, verdict.metric.label, verdict.better, verdict.worse),
                    *(found.text, None if of_paper is None else of_paper[place], found.pair.mean),
                    *(found.pair.interval or _NO_ENDS),
                    *(found.pair.bootstrap_interval or _NO_ENDS),
                    *(found.p_value, len(found.pair.better)),
                    *(pooled, *(pooled_interval or _NO_ENDS)),
                )
            )
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table["round"] = table["round"].astype("Int64")  # Keeps whole numbers even if some are missing.
    return table.round(6).to_csv(index=False)


_NO_ENDS = (None, None)
_COLUMNS = (
    *("artifact", "scale", "name", "verdict", "dataset"),
    *("round", "metric", "better", "worse"),
    *("verdict_on_dataset", "paper_difference", "mean_difference"),
    *("interval_low", "interval_high"),
    *("bootstrap_low", "bootstrap_high"),
    *("p_value", "num_seeds"),
    *("pooled", "pooled_low", "pooled_high"),
)
