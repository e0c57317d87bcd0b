"""What is judged of an artifact: a paper's claims, pairs of its table, and differences."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from experiments.declaration import Artifact, Claim, Metric, SpecificationCurve
from experiments.reporting.comparison import Cell, Table, compare, metrics_of
from experiments.reporting.judgement import Judgement, Pair, judge, rounding_deviation
from experiments.reporting.metrics import margin
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

# Numbers of a paper that differ by no more claim nothing: most have two decimals.
TIE = 0.05

Records = Sequence[tuple[ArtifactRun, "RunRecord | None"]]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One question and the answer of the runs.

    Attributes:
        name: The claim's name; `pair` for a pair of the paper's table, `difference` for a
            difference from the artifact's reference, and `reading` for a comparison under one
            specification.
        metric: By what the methods are compared.
        better: The method that is said, or asked, to be the better one.
        worse: The other method, or the number that is compared with.
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


def judge_claim(claim: Claim, artifact: Artifact, records: Records, *, scale: str) -> Verdict:
    """Judges a claim by the runs of its artifact.

    Args:
        claim: The claim.
        artifact: The artifact that it names.
        records: Every run with what it left behind, None where it was not run.
        scale: The runs' scale.

    Returns:
        The verdict on the data sets that the claim names; if it names none, on those of the
        artifact on which both methods are declared to run.

    Raises:
        ValueError: If the claim is about another artifact.
    """
    if claim.artifact != artifact.name:
        raise ValueError(f"claim {claim.name} is about {claim.artifact}, not {artifact.name}")
    # The first metric chooses what a best-of row shows.
    metrics = tuple(dict.fromkeys((artifact.metrics[0], *metrics_of(claim.metric))))
    scales = {
        name: dataclasses.replace(size, rounds_shown=()) for name, size in artifact.scales.items()
    }
    asked = dataclasses.replace(artifact, metrics=metrics, scales=scales, paper_files=())
    tables = {table.dataset: table for table in compare(asked, records, scale=scale)}
    datasets = claim.datasets or tuple(
        dataset for dataset in artifact.datasets if _is_about(claim, artifact, dataset)
    )
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


def _is_about(claim: Claim, artifact: Artifact, dataset: str) -> bool:
    variants = {variant.label: variant for variant in artifact.variants}
    return all(
        any(variants[name].is_run_on(dataset) for name in artifact.best_of.get(label, (label,)))
        for label in (claim.better, claim.worse)
        if label is not None
    )


def judge_pairs(tables: Sequence[Table]) -> list[Verdict]:
    """Judges every pair of methods that a paper's table tells apart, "A is better than B".

    Args:
        tables: Ours beside the paper's.

    Returns:
        A verdict for each metric and pair, on the data sets of which the paper says it.
    """
    claimed: dict[tuple[Metric, str, str], dict[str, tuple[Table, float]]] = {}
    for table, metric in [(each, metric) for each in tables for metric in each.shown]:
        cells = [cell for cell in table.column(metric) if cell.paper is not None]
        for one, other in itertools.combinations(cells, 2):
            # Round: two-decimal differences are inexact in binary.
            difference = round((one.paper or 0.0) - (other.paper or 0.0), 6)
            if abs(difference) > TIE:
                first, second = (one, other)
                if (difference < 0) is not metric.smaller_is_better:
                    first, second = second, first
                of_pair = claimed.setdefault((metric, first.method, second.method), {})
                of_pair[table.dataset] = table, abs(difference)
    return [
        Verdict(
            "pair",
            metric,
            better,
            worse,
            judge(pair(table, metric, better, worse) for table, _ in of_pair.values()),
            tuple(of_pair),
            paper_differences=tuple(difference for _, difference in of_pair.values()),
        )
        for (metric, better, worse), of_pair in claimed.items()
    ]


def judge_differences(artifact: Artifact, tables: Sequence[Table]) -> list[Verdict]:
    """Judges whether each other method is better than an artifact's reference.

    Args:
        artifact: The artifact; without a reference nothing is judged.
        tables: What `comparison.compare` made of the runs.
    """
    reference = artifact.reference
    if reference is None:
        return []
    run = [table for table in tables if any(cell.values for cell in table.rows[reference])]
    methods = dict.fromkeys(method for table in run for method in table.rows)
    found = []
    for method in methods:
        for metric in artifact.metrics if method != reference else ():
            of_metric = [table for table in run if method in table.rows and metric in table.shown]
            found.append(
                Verdict(
                    "difference",
                    metric,
                    method,
                    reference,
                    judge(pair(table, metric, method, reference) for table in of_metric),
                    tuple(table.dataset for table in of_metric),
                )
            )
    return found


def judge_readings(artifact: Artifact, tables: Sequence[Table]) -> list[Verdict]:
    """Judges the comparisons of an artifact of readings under every specification.

    Args:
        artifact: Of another artifact nothing is judged.
        tables: What `comparison.compare` made of its runs.
    """
    view = artifact.view
    if not isinstance(view, SpecificationCurve):
        return []
    verdicts = []
    for specification in view.specifications:
        for better, worse in view.comparisons:
            labels = specification.labels[better], specification.labels[worse]
            for metric in artifact.metrics:
                pairs = [pair(table, metric, *labels) for table in tables]
                verdicts.append(
                    Verdict(
                        "reading",
                        metric,
                        *labels,
                        judge(pairs),
                        tuple(table.dataset for table in tables),
                    )
                )
    return verdicts


def judge_artifact(
    artifact: Artifact,
    claims: Iterable[Claim],
    records: Records,
    tables: Sequence[Table],
    *,
    scale: str,
) -> list[Verdict]:
    """Judges all that there is to judge of an artifact.

    Args:
        artifact: The artifact.
        claims: All claims; those about other artifacts are left out.
        records: Every run with what it left behind, None where it was not run.
        tables: What `comparison.compare` made of them.
        scale: The runs' scale.
    """
    return [
        *(
            judge_claim(claim, artifact, records, scale=scale)
            for claim in claims
            if claim.artifact == artifact.name
        ),
        *judge_pairs(tables),
        *judge_differences(artifact, tables),
        *judge_readings(artifact, tables),
    ]


def pair(
    table: Table, metric: Metric, better: str, worse: str | None, *, reference: float = 0.0
) -> Pair:
    """Returns two methods' numbers by the seeds that both have one for.

    Args:
        table: What `comparison.compare` made of the runs.
        metric: One of its metrics.
        better: The method that may be the better one.
        worse: The other; None for the reference.
        reference: What is compared with where there is no other method.

    Returns:
        The pair. A target that a run missed counts as its bound; where both missed it, both count
        as the smaller bound, which is all that they have in common. No run counts whose model
        never changed.
    """
    first = _cell(table, metric, better)
    cells = [first] if worse is None else [first, _cell(table, metric, worse)]
    absent = [cell.method for cell in cells if not cell.values]
    if absent:
        return Pair(table.label, missing=f"not run: {', '.join(absent)}")
    common = set.intersection(*(set(cell.counted) for cell in cells))
    seeds = sorted(common.difference(*(cell.unchanged for cell in cells)))
    missed = [seeds_of.intersection(seeds) for seeds_of in (set(cell.bounds) for cell in cells)]
    both_missed = set.intersection(*missed) if worse is not None else set()

    def counted(cell: Cell, seed: int) -> float:
        both = (each.counted[seed] for each in cells)
        return min(both) if seed in both_missed else cell.counted[seed]

    found = Pair(
        table.label,
        {seed: counted(first, seed) for seed in seeds},
        {seed: reference if worse is None else counted(cells[1], seed) for seed in seeds},
        metric.smaller_is_better,
        margin=margin(metric),
        least_deviation=rounding_deviation(*(cell.step for cell in cells)),
        censored=frozenset().union(*missed),
        undecided=frozenset(both_missed),
    )
    ahead = first if (found.mean or 0.0) > 0 else cells[-1]
    is_ahead = found.mean and (found.mean > 0 or worse is not None)
    if is_ahead and ahead.has_collapsed:
        return dataclasses.replace(found, collapsed=ahead.method)
    return found


def _cell(table: Table, metric: Metric, method: str) -> Cell:
    """Returns a method's cell; one without numbers where the table does not have the method."""
    of_method = (cell for cell in table.column(metric) if cell.method == method)
    return next(of_method, Cell(table.dataset, method, metric, paper=None, values={}))


def verdicts_csv(verdicts: Iterable[Verdict]) -> str:
    """Returns a row per question and data set: the numbers, and the verdicts on it and on all."""
    rows = []
    for verdict in verdicts:
        pooled, pooled_interval = verdict.judgement.pooled or (None, None)
        for place, (dataset, found) in enumerate(zip(verdict.datasets, verdict.judgement.datasets)):
            of_paper = verdict.paper_differences
            rows.append(
                {
                    "name": verdict.name,
                    "verdict": verdict.judgement.text,
                    "dataset": dataset,
                    "round": verdict.metric.in_round,
                    "metric": verdict.metric.label,
                    "better": verdict.better,
                    "worse": verdict.worse,
                    "verdict_on_dataset": found.text,
                    "paper_difference": None if of_paper is None else of_paper[place],
                    "mean_difference": found.pair.mean,
                    **_ends("interval", found.pair.interval),
                    **_ends("bootstrap", found.pair.bootstrap_interval),
                    "p_value": found.p_value,
                    "num_seeds": len(found.pair.better),
                    "pooled": pooled,
                    **_ends("pooled", pooled_interval),
                }
            )
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table["round"] = table["round"].astype("Int64")  # Whole numbers also where some are missing.
    return table.round(6).to_csv(index=False)


_COLUMNS = (
    *("name", "verdict", "dataset", "round", "metric", "better", "worse", "verdict_on_dataset"),
    *("paper_difference", "mean_difference", "interval_low", "interval_high"),
    *("bootstrap_low", "bootstrap_high", "p_value", "num_seeds"),
    *("pooled", "pooled_low", "pooled_high"),
)


def _ends(name: str, interval: tuple[float, float] | None) -> Mapping[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}
