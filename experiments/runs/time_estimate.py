"""How long runs will take, from the seconds that finished ones took."""

from __future__ import annotations

import collections
import csv
import statistics
from collections.abc import Iterable

from experiments.runs.configuration import RunConfiguration
from experiments.runs.record import RunFiles


class TimeEstimate:
    """The seconds of a round of finished runs, and from them those of others."""

    def __init__(self, runs: Iterable[RunFiles] = ()):
        """Initializes it.

        Args:
            runs: The files of finished runs.
        """
        self._seconds: dict[tuple[str, str | None], list[float]] = collections.defaultdict(list)
        for files in runs:
            self.add(files)

    def add(self, files: RunFiles) -> None:
        """Adds a finished run; one that was not timed, or cannot be read, says nothing."""
        try:
            configuration = RunConfiguration.from_json(files.configuration.read_text())
            seconds = files.read_seconds()
        except (ValueError, OSError, csv.Error):
            return
        if seconds is not None:
            of_alike = self._seconds[configuration.dataset, configuration.model]
            of_alike.append(seconds.total / configuration.rounds)

    def seconds(self, configuration: RunConfiguration) -> float | None:
        """Returns the seconds that a run will take.

        Returns:
            Its rounds times the median seconds of a round of all finished runs of the same model
            on the same data set, evaluation included; None where there is none.
        """
        known = self._seconds.get((configuration.dataset, configuration.model))
        return configuration.rounds * statistics.median(known) if known else None

    def total(self, configurations: Iterable[RunConfiguration]) -> float | None:
        """Returns the seconds that several runs will take, one after the other.

        Returns:
            The seconds, where a run of which nothing is known counts as the mean of the others;
            None where nothing is known of any.
        """
        estimates = [self.seconds(configuration) for configuration in configurations]
        known = [estimate for estimate in estimates if estimate is not None]
        return statistics.mean(known) * len(estimates) if known else None


def time_text(seconds: float | None, runs_at_once: int) -> str:
    """Returns how long runs will take, as people say it.

    Runs at once share the processors. Small models leave some of them to each other; a network uses
    all cores by itself, and two of them take hardly less time than one after the other: both ends
    are given.

    Args:
        seconds: What the runs take one after the other; None if that is unknown.
        runs_at_once: How many are trained at once.
    """
    if seconds is None:
        return "time unknown"
    least, most = _duration_text(seconds / runs_at_once), _duration_text(seconds)
    return f"about {most}" if least == most else f"{least} to {most}"


def _duration_text(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"
