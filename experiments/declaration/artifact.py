"""What an artifact is: one table or figure of one paper, as data."""

from __future__ import annotations

import csv
import dataclasses
import math
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from experiments.declaration.metric import BEST, Metric
from experiments.declaration.view import Bars, View

SCALES = ("smoke", "short", "paper")
# The scale of an artifact that has only one.
ONLY_SCALE = "only"

# From our number by data set, row and metric label to sentences about the table.
Conclude = Callable[[Callable[[str, str, str], float]], Sequence[str]]


@dataclasses.dataclass(frozen=True)
class Variant:
    """One method of an artifact.

    Attributes:
        label: Its name in tables and figures.
        algorithm: The name of an algorithm.
        settings: What differs from the recipe of the algorithm on the data set.
        step_budget_of: The label of a variant whose server sets its steps. That variant runs first.
            This one then takes as many local steps on the same data set with the same seed; see
            `runs.step_budget`.
        group: The line of a parameter sweep that it belongs to; None if there is only one line.
        datasets: The artifact's data sets that it is run on; None for all.
        tries: Where the artifact has a `Tuning`: the settings among which it chooses.
    """

    label: str
    algorithm: str
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    step_budget_of: str | None = None
    group: str | None = None
    datasets: tuple[str, ...] | None = None
    tries: tuple[Mapping[str, Any], ...] = ({},)

    def is_run_on(self, dataset: str) -> bool:
        """Says whether it is run on a data set of its artifact."""
        return self.datasets is None or dataset in self.datasets


@dataclasses.dataclass(frozen=True)
class Scale:
    """How large an artifact's runs are.

    Attributes:
        rounds: The number of rounds, where a variant does not say its own.
        settings: What differs from the recipes for all variants; a variant's own settings count
            more.
        rounds_shown: The rounds after which the artifact shows its table, if there are several. Its
            runs are evaluated no more often than these rounds need.
        datasets: The artifact's data sets that are run at this scale; None for all.
        why_left_out: A clause that says why the other data sets are left out; None if they are too
            large.
        on_datasets: By data set, settings at this scale for all variants. They override `rounds`
            and `settings`.
    """

    rounds: int
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    rounds_shown: tuple[int, ...] = ()
    datasets: tuple[str, ...] | None = None
    why_left_out: str | None = None
    on_datasets: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    def rounds_on(self, dataset: str) -> int:
        """Returns the number of rounds on a data set, where a variant does not say its own."""
        own = {"rounds": self.rounds, **self.settings, **self.on_datasets.get(dataset, {})}
        return int(own["rounds"])


@dataclasses.dataclass(frozen=True)
class Tuning:
    """How each method's settings are chosen on each data set, at the same budget for all.

    A method is run once with each of the learning rates and of its `Variant.tries`, on a validation
    part of the training data. The settings of the best run are those of its own runs, which train
    on all training data and are tested. Of equal runs the first counts.

    Attributes:
        learning_rates: The same ones for all methods.
        by: The column of the evaluation that is to be large, such as `test_average`; there the
            validation part replaces the test data.
        seed: Of these runs; none of the others should have it.
    """

    learning_rates: tuple[float, ...]
    by: str = "test_average"
    seed: int = 0


def size_text(scale: str, rounds: Iterable[int]) -> str:
    """Returns a scale and its rounds in words, `Scale short: 100 rounds`; or the rounds alone."""
    numbers = sorted(set(rounds))
    shown = f"{', '.join(map(str, numbers))} {'round' if numbers == [1] else 'rounds'}"
    return shown if scale == ONLY_SCALE else f"Scale {scale}: {shown}"


@dataclasses.dataclass(frozen=True)
class Artifact:
    """One table or figure of one paper: which runs, which metrics, which rule.

    Attributes:
        name: `paper/artifact`, as `--artifact` takes it.
        title: One line.
        datasets: The data sets, each run with every variant.
        variants: The methods.
        scales: How large the runs are, for every one of `SCALES`; or for `ONLY_SCALE`.
        on_datasets: By data set, settings for all variants that differ from the recipes. Those of a
            scale and of a variant override them.
        metrics: What the table shows.
        paper_files: CSV files with the columns `dataset`, `method` and the metrics'
            `paper_column`; a method is a label of `variants`. An empty field means that the
            paper has no number there.
        reference: The label of the variant with which all others are compared, if no paper makes
            claims about the table.
        tuning: How each variant's settings are chosen before its runs; None where it has them.
        view: How the figure is drawn.
        notes: What a reader must know to compare with the paper.
        conclude: Makes the closing sentences of the table and the terminal from the numbers.
        command: The command that makes it; None for `reproduce`.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    variants: tuple[Variant, ...]
    scales: Mapping[str, Scale]
    metrics: tuple[Metric, ...]
    on_datasets: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    paper_files: tuple[pathlib.Path, ...] = ()
    reference: str | None = None
    tuning: Tuning | None = None
    view: View = Bars()
    notes: tuple[str, ...] = ()
    conclude: Conclude | None = None
    command: str | None = None

    def __post_init__(self) -> None:
        """Checks that the parts fit together.

        Raises:
            ValueError: If a name is unknown, labels are equal, or steps and settings are chosen.
        """
        if self.tuning and any(variant.step_budget_of for variant in self.variants):
            raise ValueError(f"{self.name}: step_budget_of and tuning exclude each other")
        if set(self.scales) not in (set(SCALES), {ONLY_SCALE}):
            raise ValueError(f"{self.name}: scales must be {SCALES}, got {tuple(self.scales)}")
        labels = [variant.label for variant in self.variants]
        if len(set(labels)) != len(labels):
            raise ValueError(f"{self.name}: labels must differ, got {labels}")
        named = {
            *(v.step_budget_of for v in self.variants),
            *({metric.compared_with for metric in self.metrics} - {BEST}),
            self.reference,
        }
        for label in named - {None, *labels}:
            raise ValueError(f"{self.name}: there is no variant {label!r}, only {labels}")
        scales = self.scales.values()
        parts: tuple[Variant | Metric | Scale, ...] = (*self.variants, *self.metrics, *scales)
        chosen = {dataset for part in parts for dataset in part.datasets or ()}
        differing = {dataset for scale in scales for dataset in scale.on_datasets}
        for dataset in (chosen | differing | self.on_datasets.keys()) - set(self.datasets):
            raise ValueError(f"{self.name}: {dataset!r} is none of its {self.datasets}")

    @property
    def methods(self) -> tuple[str, ...]:
        """The labels of its rows."""
        return tuple(variant.label for variant in self.variants)

    def folder(self, scale: str) -> str:
        """Returns where its files lie below a folder of tables, with slashes."""
        return self.name if scale == ONLY_SCALE else f"{self.name}/{scale}"

    def datasets_at(self, scale: str) -> tuple[str, ...]:
        """Returns the data sets that are run at a scale."""
        chosen = self.scales[scale].datasets
        return self.datasets if chosen is None else chosen

    def left_out_at(self, scale: str) -> str | None:
        """Returns a line on the data sets that are not run at a scale; None if all are."""
        left_out = [each for each in self.datasets if each not in self.datasets_at(scale)]
        if not left_out:
            return None
        why = self.scales[scale].why_left_out
        said = f"{', '.join(left_out)}: left out at the scale {scale}"
        return said if why is None else f"{said}: {why}"

    def tables(self, scale: str) -> Mapping[int | None, tuple[Metric, ...]]:
        """Returns the metrics of each table by the round they are read after, None the last."""
        shown = self.scales[scale].rounds_shown
        return {
            number: tuple(dataclasses.replace(metric, in_round=number) for metric in self.metrics)
            for number in shown
        } or {None: self.metrics}

    def paper_values(self) -> dict[tuple[str, str, str], float]:
        """Returns the paper's numbers by data set, method and the metric's column.

        Raises:
            ValueError: If a file cannot be read, lacks a column that is needed, has a value in
                it that is no finite number, or two for one place.
        """
        columns = {metric.paper_column for metric in self.metrics if metric.paper_column}
        values: dict[tuple[str, str, str], float] = {}
        for file in self.paper_files:
            of_file = dict[tuple[str, str, str], float]()
            try:
                with open(file, encoding="utf-8-sig", newline="") as lines:
                    rows = csv.DictReader(lines)
                    known = columns.intersection(rows.fieldnames or ())
                    if not known or not {"dataset", "method"}.issubset(rows.fieldnames or ()):
                        raise ValueError(
                            f"its columns must be dataset, method and some of {sorted(columns)}, "
                            f"which its metrics name as paper_column, got {rows.fieldnames}"
                        )
                    for row in rows:
                        for column in known:
                            if row[column]:
                                place = row["dataset"], row["method"], column
                                found = float(row[column])
                                if place in of_file or not math.isfinite(found):
                                    raise ValueError(f"{place} has {row[column]!r} or two values")
                                of_file[place] = found
            except (OSError, ValueError) as error:
                raise ValueError(f"{self.name}: paper_files: {file}: {error}") from error
            values |= of_file
        return values
