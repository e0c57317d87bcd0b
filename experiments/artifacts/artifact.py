"""What an artifact is: one table or figure of one paper, as data."""

from __future__ import annotations

import csv
import dataclasses
import enum
import math
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

from experiments.configuration import RunConfiguration, Seeds
from experiments.recipes import configure

SCALES = ("smoke", "short", "paper")

_PAPER_RESULTS = pathlib.Path(__file__).resolve().parent.parent / "paper_results"


@dataclasses.dataclass(frozen=True)
class Variant:
    """One method of an artifact.

    Attributes:
        label: As the tables and figures name it.
        algorithm: A name of `ALGORITHMS`.
        settings: What differs from the recipe of the algorithm on the data set.
        step_budget_of: The label of the variant, of FedVeca, that runs first and of which this one
            takes as many local steps on the same data set with the same seed; see `step_budget`.
    """

    label: str
    algorithm: str
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    step_budget_of: str | None = None


@dataclasses.dataclass(frozen=True)
class Metric:
    """One number of a finished run.

    Attributes:
        key: Its name in `result.json` or among `reporting.derived.derived_results`, with
            `in_round` one of `result.json`.
        label: As tables and figures name it.
        paper_column: Its column in the paper's CSV files, if there is one.
        relative_to: A variant's label, if the number is shown as a multiple of that variant's for
            the same data set and seed.
        in_round: The round after which the evaluation is read, counted from 1; after the last one
            where it is `None`.
        smaller_is_better: Which of two methods is the better one by this number.
        read_with: The key of another metric, if this one says nothing where that one has
            collapsed: all clients of a useless model fare alike, which is not fairness.
    """

    key: str
    label: str
    paper_column: str | None = None
    relative_to: str | None = None
    in_round: int | None = None
    smaller_is_better: bool = False
    read_with: str | None = None

    @property
    def result_key(self) -> str:
        """Its name among a run's results."""
        return self.key if self.in_round is None else f"{self.key}_in_round_{self.in_round}"


class View(enum.Enum):
    """How an artifact is drawn."""

    BARS = "bars"
    ACCURACY_HISTOGRAMS = "accuracy histograms"


@dataclasses.dataclass(frozen=True)
class Artifact:
    """One table or figure of one paper: which runs, which metrics, which rule.

    Attributes:
        name: `paper/artifact`, as `--artifact` takes it.
        title: One line.
        datasets: The data sets, each run with every variant.
        variants: The methods.
        rounds: The number of rounds at every scale of `SCALES`.
        metrics: What the table shows.
        paper_files: CSV files below `experiments/paper_results` with the columns `dataset`,
            `method` and the metrics' `paper_column`; a method is a label of `variants` or
            `best_of`.
        best_of: Labels of rows that show, per data set, the best of several variants by the first
            metric, as some papers do.
        targets: Accuracies on the pooled test examples, in percent, for the metrics
            `rounds_to_T` and `megabytes_to_T`.
        rounds_shown: For an artifact that shows the same table after several rounds: these rounds
            at every scale. Its runs are evaluated no more often than they ask for.
        by_seed: Whether the terminal, too, shows every seed's numbers.
        view: How the figure is drawn.
        seconds_per_round: Measured on two cores, for the cost estimate.
        notes: What a reader must know to compare with the paper.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    variants: tuple[Variant, ...]
    rounds: Mapping[str, int]
    metrics: tuple[Metric, ...]
    paper_files: tuple[str, ...] = ()
    best_of: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    targets: tuple[float, ...] = ()
    rounds_shown: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    by_seed: bool = False
    view: View = View.BARS
    seconds_per_round: float = 0.2
    notes: tuple[str, ...] = ()

    def runs(self, scale: str, seeds: tuple[int, ...]) -> Iterator[ArtifactRun]:
        """Yields every run; a seed seeds data, cohorts, initial weights and shuffling alike."""
        variants = {variant.label: variant for variant in self.variants}
        for dataset in self.datasets:
            for variant in self.variants:
                for seed in seeds:
                    configuration = self._configure(variant, dataset, scale, seed)
                    first = None
                    if variant.step_budget_of is not None:
                        first = self._configure(
                            variants[variant.step_budget_of], dataset, scale, seed
                        )
                    yield ArtifactRun(dataset, variant.label, seed, configuration, first)

    def _configure(self, variant: Variant, dataset: str, scale: str, seed: int) -> RunConfiguration:
        settings = {
            "rounds": self.rounds[scale],
            **self._evaluations(scale),
            **variant.settings,
            "seeds": Seeds(data=seed, sampling=seed, model=seed, shuffling=seed),
        }
        return configure(variant.algorithm, dataset, settings)

    def _evaluations(self, scale: str) -> dict[str, int]:
        if not self.rounds_shown:
            return {}
        return {"rounds_per_evaluation": math.gcd(*self.rounds_shown[scale])}

    def tables(self, scale: str) -> Mapping[int | None, tuple[Metric, ...]]:
        """Returns the metrics of each of its tables by the round they are read after.

        Args:
            scale: One of `SCALES`.

        Returns:
            One table of the last round, by `None`, or one for each of the rounds shown.
        """
        if not self.rounds_shown:
            return {None: self.metrics}
        return {
            round_number: tuple(
                dataclasses.replace(metric, in_round=round_number) for metric in self.metrics
            )
            for round_number in self.rounds_shown[scale]
        }

    def estimated_minutes(self, scale: str, num_seeds: int, workers: int) -> float:
        """Returns the time the runs take with so many workers, all starting up once."""
        num_runs = len(self.datasets) * len(self.variants) * num_seeds
        return num_runs * self.rounds[scale] * self.seconds_per_round / workers / 60

    def paper_values(self) -> dict[tuple[str, str, str], float]:
        """Returns the paper's numbers by data set, method and the metric's key."""
        values = {}
        for file in self.paper_files:
            with open(_PAPER_RESULTS / file, newline="") as rows:
                for row in csv.DictReader(rows):
                    for metric in self.metrics:
                        if metric.paper_column is None:
                            continue
                        values[row["dataset"], row["method"], metric.key] = float(
                            row[metric.paper_column]
                        )
        return values


@dataclasses.dataclass(frozen=True)
class ArtifactRun:
    """One run of an artifact.

    Attributes:
        dataset: The data set.
        variant: The variant's label.
        seed: The seed of everything.
        configuration: What is run.
        step_budget_of: What runs first, where the steps of `configuration` are not yet those that
            it is run with, but are to be as many as this run takes; see `step_budget`.
    """

    dataset: str
    variant: str
    seed: int
    configuration: RunConfiguration
    step_budget_of: RunConfiguration | None = None
