"""Whether our runs bear out a paper's headline claims."""

from __future__ import annotations

import dataclasses
import enum
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import stats

from experiments.declaration import Artifact, Claim, Metric
from experiments.reporting.comparison import (
    COLLAPSED_BELOW,
    Cell,
    Table,
    compare,
    metrics_of,
    paired,
    told_apart,
)
from experiments.reporting.data_labels import data_label
from experiments.reporting.intervals import CONFIDENCE, rounding_deviation, t_interval
from experiments.reporting.metrics import has_target
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord

_RESAMPLES = 9999
_BOOTSTRAP_SEED = 0
# Numbers of accuracies in percent that differ by less differ by their rounding.
_ROUNDING = 1e-6
_NO_PAIR = "no seed that both have a number for"
_NOT_REACHED = "target not reached"

RULES = (
    "A claim says that one method is better than another by one metric. Ours are paired by seed: "
    "the same data, cohorts, initial weights and shuffling; a difference is positive where the "
    "method of the claim is the better one.",
    f"On one data set a claim is confirmed where the {CONFIDENCE:.0%} t interval of the mean "
    "difference lies above 0, contradicted where it lies below, and undecided where it holds 0 or "
    "there are fewer than two seeds. The BCa bootstrap interval and the probability of improvement "
    "(of all pairs of a seed of the one and a seed of the other, the share in which the method of "
    "the claim is the better one, ties a half: Mann and Whitney's U over its largest value) are "
    "shown beside it and decide nothing.",
    "The whole claim is confirmed where it is on every data set that it names, in part where it is "
    "on some, whatever the others say, contradicted where it is on one or more and confirmed on "
    "none, not run where there are not both methods' runs on any, and undecided otherwise.",
    "Rounds to a target are those of the rounds that were run, which is known of every seed: a "
    "target that is not reached counts as reached one round after the last. Where one method "
    "reaches it, this makes the difference smaller than it is; where neither does, it makes none. "
    "What is compared is thus the restricted mean, as of survival times (Royston and Parmar 2013). "
    "Where no seed reaches the target the claim is undecided.",
    "A target is seen to be reached in an evaluated round alone: the seeds' differences count as "
    "spread at least as far as that rounding spreads them, so that seeds that agree are not taken "
    "for certain.",
    f"A small variance of a model whose average is below {COLLAPSED_BELOW:.0%} of the best "
    "method's is no merit: it neither confirms a claim nor contradicts one.",
)


class Outcome(enum.Enum):
    """What our runs say to one claim."""

    CONFIRMED = "confirmed"
    IN_PART = "in part"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


@dataclasses.dataclass(frozen=True)
class DatasetVerdict:
    """One claim on one data set.

    Attributes:
        dataset: The data set.
        better: By seed, the numbers of the method that the claim says is better.
        worse: By the same seeds, those of the other, or the reference.
        smaller_is_better: Which way the metric goes.
        collapsed: The method that is ahead by a merit that is none, if it is.
        missing: Why there are no numbers, where there are none.
        is_run: Whether there are runs of both.
        is_out_of_reach: Whether neither method reaches the target with any of the seeds.
        least_deviation: What the standard deviation of the differences counts as at least, in the
            metric's units: what the rounding of the numbers alone makes.
        origins: Where the raw data of the runs came from, each source once.
    """

    dataset: str
    better: Mapping[int, float] = dataclasses.field(default_factory=dict)
    worse: Mapping[int, float] = dataclasses.field(default_factory=dict)
    smaller_is_better: bool = False
    collapsed: str | None = None
    missing: str | None = None
    is_run: bool = True
    is_out_of_reach: bool = False
    least_deviation: float = 0.0
    origins: tuple[str | None, ...] = ()

    @property
    def label(self) -> str:
        """The data set, and what stood in for it."""
        return data_label(self.dataset, self.origins)

    @property
    def differences(self) -> Mapping[int, float]:
        """By seed, by how much the method of the claim is better; negative where it is worse."""
        sign = -1.0 if self.smaller_is_better else 1.0
        return {
            seed: sign * (value - self.worse[seed]) + 0.0  # And no minus before nothing.
            for seed, value in self.better.items()
        }

    @property
    def is_equal(self) -> bool:
        """Whether there are pairs and their numbers are equal, but for rounding."""
        found = self.differences.values()
        return bool(found) and max(map(abs, found)) <= _ROUNDING

    @property
    def mean(self) -> float | None:
        """The mean difference, None without a pair."""
        return float(np.mean([*self.differences.values()])) if self.better else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The paired t interval of the mean difference, None for fewer than two seeds."""
        return t_interval(self.differences.values(), least_deviation=self.least_deviation)

    @property
    def bootstrap_interval(self) -> tuple[float, float] | None:
        """The BCa bootstrap interval of the mean difference, None where there is none."""
        values = np.array([*self.differences.values()])
        if len(values) < 2:
            return None
        if np.ptp(values) == 0:
            return float(values[0]), float(values[0])
        with warnings.catch_warnings():  # That it is not defined is said by its not being there.
            warnings.simplefilter("ignore", stats.DegenerateDataWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            interval = stats.bootstrap(
                (values,),
                np.mean,
                n_resamples=_RESAMPLES,
                confidence_level=CONFIDENCE,
                method="BCa",
                random_state=np.random.default_rng(_BOOTSTRAP_SEED),
            ).confidence_interval
        low, high = float(interval.low), float(interval.high)
        return None if math.isnan(low) or math.isnan(high) else (low, high)

    @property
    def probability_of_improvement(self) -> float | None:
        """Mann and Whitney's U over the number of pairs, see `RULES`; None without a seed."""
        if not self.better:
            return None
        ours, theirs = [*self.better.values()], [*self.worse.values()]
        first, second = (theirs, ours) if self.smaller_is_better else (ours, theirs)
        # Its p value, which is not used, is not defined where all are equal.
        with np.errstate(invalid="ignore", divide="ignore"):
            above = float(stats.mannwhitneyu(first, second).statistic)
        return above / (len(first) * len(second))

    @property
    def outcome(self) -> Outcome:
        """Confirmed, contradicted or undecided, by `RULES`."""
        interval = self.interval
        if interval is None or self.collapsed is not None or self.is_equal:
            return Outcome.UNDECIDED
        if interval[0] > 0:
            return Outcome.CONFIRMED
        return Outcome.CONTRADICTED if interval[1] < 0 else Outcome.UNDECIDED

    @property
    def reason(self) -> str:
        """Why it is undecided, in a few words; empty where it is not."""
        if self.outcome is not Outcome.UNDECIDED:
            return ""
        if self.missing is not None:
            return self.missing
        if self.collapsed is not None:
            return f"{self.collapsed} has collapsed"
        if self.is_out_of_reach:
            return _NOT_REACHED
        if self.is_equal:
            return "no difference"
        return "one seed" if len(self.better) < 2 else "within seed noise"


@dataclasses.dataclass(frozen=True)
class ClaimVerdict:
    """One claim and what our runs say to it, on every data set that it is about."""

    claim: Claim
    datasets: tuple[DatasetVerdict, ...]

    @property
    def outcome(self) -> Outcome:
        """What holds of all data sets together, by `RULES`."""
        found = [verdict.outcome for verdict in self.datasets]
        if not any(verdict.is_run for verdict in self.datasets):
            return Outcome.NOT_RUN
        if all(outcome is Outcome.CONFIRMED for outcome in found):
            return Outcome.CONFIRMED
        if Outcome.CONFIRMED in found:
            return Outcome.IN_PART
        return Outcome.CONTRADICTED if Outcome.CONTRADICTED in found else Outcome.UNDECIDED

    @property
    def sentence(self) -> str:
        """The verdict in one line: the claim, what became of it, and on how many data sets."""
        confirmed = sum(verdict.outcome is Outcome.CONFIRMED for verdict in self.datasets)
        return (
            f"{self.claim.statement} ({self.claim.source}): {self.outcome.value}, confirmed on "
            f"{confirmed} of {len(self.datasets)} data sets"
        )


def judge(
    claim: Claim,
    artifact: Artifact,
    records: Sequence[tuple[ArtifactRun, RunRecord | None]],
    *,
    scale: str,
) -> ClaimVerdict:
    """Judges a claim by the runs of its artifact.

    Args:
        claim: The claim.
        artifact: The artifact that it names.
        records: Every run with what it left behind, None where it was not run.
        scale: The runs' scale.

    Returns:
        A verdict for each data set that the claim names; if it names none, for each of the
        artifact's on which both methods are declared to run. A data set that is left out at this
        scale is undecided.

    Raises:
        ValueError: If the claim is about another artifact.
    """
    if claim.artifact != artifact.name:
        raise ValueError(f"claim {claim.name} is about {claim.artifact}, not {artifact.name}")
    read_by_claim = (*metrics_of(claim.metric), *metrics_of(_worse_metric(claim)))
    # The first metric chooses what a best-of row shows.
    metrics = tuple(dict.fromkeys((artifact.metrics[0], *read_by_claim)))
    scales = {
        name: dataclasses.replace(size, rounds_shown=()) for name, size in artifact.scales.items()
    }
    asked = dataclasses.replace(artifact, metrics=metrics, scales=scales, paper_files=())
    tables = {table.dataset: table for table in compare(asked, records, scale=scale)}
    datasets = claim.datasets or tuple(
        d for d in artifact.datasets if _is_about(claim, artifact, d)
    )
    return ClaimVerdict(
        claim,
        tuple(
            judge_table(claim, tables[dataset])
            if dataset in tables
            else DatasetVerdict(dataset, missing="not run at this scale", is_run=False)
            for dataset in datasets
        ),
    )


def judge_all(
    of_claims: Iterable[Claim],
    artifact: Artifact,
    records: Sequence[tuple[ArtifactRun, RunRecord | None]],
    *,
    scale: str,
) -> list[ClaimVerdict]:
    """Judges those of several claims that are about an artifact; see `judge`."""
    return [
        judge(claim, artifact, records, scale=scale)
        for claim in of_claims
        if claim.artifact == artifact.name
    ]


def _worse_metric(claim: Claim) -> Metric:
    return claim.metric if claim.worse_metric is None else claim.worse_metric


def _is_about(claim: Claim, artifact: Artifact, dataset: str) -> bool:
    variants = {variant.label: variant for variant in artifact.variants}
    return all(
        any(variants[name].is_run_on(dataset) for name in artifact.best_of.get(label, (label,)))
        for label in (claim.better, claim.worse)
        if label is not None
    )


def judge_table(claim: Claim, table: Table) -> DatasetVerdict:
    """Judges a claim on the data set of a table.

    Args:
        claim: The claim, whose metrics and methods the table has.
        table: What `comparison.compare` made of the runs.
    """
    first = _cell(table, claim.metric, claim.better)
    second = None if claim.worse is None else _cell(table, _worse_metric(claim), claim.worse)
    absent = [cell.method for cell in (first, second) if cell is not None and not cell.values]
    if absent:
        missing = f"not run: {', '.join(absent)}"
        return DatasetVerdict(table.dataset, missing=missing, is_run=False, origins=table.origins)
    if second is None:
        pairs = {seed: (value, claim.reference) for seed, value in first.counted.items()}
        is_out_of_reach = False
    else:
        pairs = paired(first, second)
        is_out_of_reach = bool(pairs) and not told_apart(first, second)
    run = first.values if second is None else first.values.keys() & second.values.keys()
    why_none = _NOT_REACHED if run and has_target(claim.metric) else _NO_PAIR
    verdict = DatasetVerdict(
        table.dataset,
        {seed: number for seed, (number, _) in pairs.items()},
        {seed: other for seed, (_, other) in pairs.items()},
        claim.metric.smaller_is_better,
        missing=None if pairs else why_none,
        is_out_of_reach=is_out_of_reach,
        least_deviation=rounding_deviation(*(cell.step for cell in (first, second) if cell)),
        origins=table.origins,
    )
    if verdict.mean is None or verdict.mean == 0:
        return verdict
    ahead = first if verdict.mean > 0 else second
    if ahead is not None and ahead.has_collapsed:
        return dataclasses.replace(verdict, collapsed=ahead.method)
    return verdict


def _cell(table: Table, metric: Metric, method: str) -> Cell:
    """Returns a method's cell; one without numbers where the table does not have the method."""
    of_method = (cell for cell in table.column(metric) if cell.method == method)
    return next(of_method, Cell(table.dataset, method, metric, paper=None, values={}))
