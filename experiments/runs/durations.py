"""How long runs will take, from the seconds that finished ones took."""

from __future__ import annotations

import collections
import csv
import dataclasses
import pathlib
import statistics
from collections.abc import Iterable

from experiments.papers import catalogue
from experiments.runs import committed, local_work
from experiments.runs.configuration import RunConfiguration
from experiments.runs.record import RunFiles
from experiments.runs.run_directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Duration:
    """What a finished run took.

    Attributes:
        configuration: The run's.
        seconds: All its rounds and evaluations, in seconds.
        once: The part of it that does not grow with the rounds, such as compilation.
        training: One round's training, in seconds.
        evaluation: One evaluation, in seconds.
    """

    configuration: RunConfiguration
    seconds: float
    once: float
    training: float
    evaluation: float

    def estimate(self, configuration: RunConfiguration) -> float:
        """Returns the seconds that another run takes, if its clients are like this one's."""
        rounds = configuration.rounds
        work = _work_per_round(configuration) / _work_per_round(self.configuration)
        evaluations = 1 + rounds // configuration.rounds_per_evaluation
        here, there = configuration.clients_per_evaluation, self.configuration
        share = 1.0
        if here is not None and there.clients_per_evaluation is not None:
            share = here / there.clients_per_evaluation
        return self.once + rounds * work * self.training + evaluations * share * self.evaluation


class Durations:
    """The durations of finished runs, and from them those of others."""

    def __init__(self, durations: Iterable[Duration] = ()):
        """Initializes it with what was measured already."""
        self._by_kind: dict[tuple[object, ...], list[Duration]] = collections.defaultdict(list)
        for duration in durations:
            self.add(duration)

    def add(self, duration: Duration) -> None:
        """Adds what another run took."""
        self._by_kind[_kind(duration.configuration)].append(duration)

    def seconds(self, configuration: RunConfiguration) -> float | None:
        """Returns the seconds that a run will take.

        They are the median over the nearest finished runs. Only those of the same model count whose
        local work is given in the same way, in epochs, in steps, or by an algorithm's server, and
        in epochs only those of the same data set: a client of another may have a hundred times as
        many examples. Of these the nearest are of the same data set, then of the same algorithm,
        then with the same options of the data set.

        Returns:
            The seconds; None where nothing near was measured.
        """
        near = self._by_kind.get(_kind(configuration), [])
        if not near:
            return None
        nearness = [_nearness(duration.configuration, configuration) for duration in near]
        best = max(nearness)
        return statistics.median(
            duration.estimate(configuration)
            for duration, of_duration in zip(near, nearness)
            if of_duration == best
        )

    def total(self, configurations: Iterable[RunConfiguration]) -> float | None:
        """Returns the seconds that several runs will take, one after the other.

        A run of which nothing near was measured counts as the mean of the others.

        Returns:
            The seconds; None where nothing near was measured of any.
        """
        estimates = [self.seconds(configuration) for configuration in configurations]
        known = [estimate for estimate in estimates if estimate is not None]
        return statistics.mean(known) * len(estimates) if known else None


def measured_durations(
    runs_dir: pathlib.Path, results_dir: pathlib.Path | None = None
) -> Durations:
    """Reads what all finished runs of two folders took.

    Args:
        runs_dir: The folder of runs on disk.
        results_dir: The folder of results that travel with the software; None to leave them out.
    """
    found: list[RunFiles] = [
        RunDirectory(path.parent) for path in sorted(runs_dir.glob("*/*/result.json"))
    ]
    if results_dir is not None:
        found += committed.all_runs(results_dir)
    measured = (read_duration(files) for files in found)
    return Durations(duration for duration in measured if duration is not None)


def read_duration(files: RunFiles) -> Duration | None:
    """Reads what a finished run took; None where nobody has measured it, or nobody can read it."""
    try:
        configuration = RunConfiguration.from_json(files.configuration.read_text())
        seconds = files.read_seconds()
    except (ValueError, OSError, csv.Error):  # Damaged, or of another form.
        return None
    return None if seconds is None else Duration(configuration, *seconds)


def _kind(configuration: RunConfiguration) -> tuple[object, ...]:
    known = catalogue.algorithms().get(configuration.algorithm)  # One of one's own may be gone.
    sets_its_steps = known is not None and known.sets_its_steps
    in_epochs_of = None if configuration.steps is not None else configuration.dataset
    return configuration.model, in_epochs_of, sets_its_steps


def _nearness(one: RunConfiguration, other: RunConfiguration) -> tuple[bool, ...]:
    return (
        one.dataset == other.dataset,
        one.algorithm == other.algorithm,
        one.dataset_options == other.dataset_options,
        one.batch_size == other.batch_size,
        one.hyperparameters == other.hyperparameters,
    )


def _work_per_round(configuration: RunConfiguration) -> float:
    """Returns the work of a round in a unit that two runs of one kind share."""
    per_client = configuration.steps if configuration.epochs is None else configuration.epochs
    if configuration.epochs_per_client is not None:
        drawn = local_work.epochs_per_client(configuration.epochs_per_client)
        per_client = drawn.share * (drawn.least + drawn.most) / 2 + (1 - drawn.share) * drawn.most
    return max(1.0, configuration.clients_per_round * float(per_client or 0))
