"""What the terminal shows of many runs: a line for each that ends, and one bar for all."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import tqdm

from experiments.runs import dropped_clients
from experiments.runs.configuration import RunConfiguration
from experiments.runs.durations import Duration, Durations

_BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"


class SweepProgress:
    """A bar over all runs of a sweep on standard error, with the time left, and lines above it."""

    def __init__(
        self,
        total: int,
        left: Iterable[RunConfiguration],
        *,
        names: Mapping[str, str],
        durations: Durations,
        workers: int,
    ):
        """Initializes the progress and shows the bar.

        Args:
            total: How many runs there are in all.
            left: Those of them that are not finished.
            names: How the lines call the runs, by their configurations as JSON; by their algorithms
                where a name is missing.
            durations: What finished runs took.
            workers: How many runs are trained at once.
        """
        self._names = dict(names)
        self._durations = durations
        self._workers = workers
        self._left = {configuration.to_json(): configuration for configuration in left}
        self._bar = tqdm.tqdm(
            total=total,
            initial=total - len(self._left),
            unit="run",
            desc="runs",
            dynamic_ncols=True,
            bar_format=_BAR,
        )
        self._show_time_left()
        self._bar.refresh()

    def __enter__(self) -> SweepProgress:
        """Returns the progress."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves the bar as it is and ends its line."""
        self._bar.close()

    def becomes(self, planned: RunConfiguration, actual: RunConfiguration) -> None:
        """Notes that a run is executed with another configuration than was planned."""
        name = self._names.get(planned.to_json(), planned.algorithm)
        self._names.setdefault(actual.to_json(), name)
        if self._left.pop(planned.to_json(), None) is not None:
            self._left[actual.to_json()] = actual

    def skipped(self, configuration: RunConfiguration) -> None:
        """Moves the bar past a run that turned out to be finished, or that cannot be."""
        if self._left.pop(configuration.to_json(), None) is not None:
            self._show_time_left()
            self._bar.update()
            self._bar.refresh()

    def ended(
        self,
        configuration: RunConfiguration,
        *,
        result: Mapping[str, Any] | None,
        error: str | None,
        seconds: float | None,
        duration: Duration | None,
        recovery: str | None = None,
    ) -> None:
        """Writes the line of a run that has ended, and moves the bar.

        Args:
            configuration: The run's.
            result: Its metrics, if it did not fail.
            error: Why it failed, if it did.
            seconds: What it took now, from start to end.
            duration: What its rounds took.
            recovery: What of it had been damaged and where it went on, if anything had.
        """
        name = self._names.get(configuration.to_json(), configuration.algorithm)
        if result is None:
            end = f"failed: {error}"
        elif "test_average" in result:
            end = f"{result['test_average']:.1f} %"
        else:
            end = f"test loss {result['test_loss']:.4g}"
        took = "" if seconds is None else f", {seconds:.1f} s"
        line = f"{configuration.dataset}, {name}, {_seeds(configuration)}: {end}{took}"
        tqdm.tqdm.write(line, file=sys.stderr)
        for sentence in dropped_clients.sentences(configuration, result or {}):
            tqdm.tqdm.write(f"    {sentence}", file=sys.stderr)
        if recovery is not None:
            tqdm.tqdm.write(f"    {recovery}", file=sys.stderr)
        if duration is not None:
            self._durations.add(duration)
        self.skipped(configuration)

    def _show_time_left(self) -> None:
        if not self._left:
            self._bar.set_postfix_str("", refresh=False)
            return
        seconds = self._durations.total(self._left.values())
        if seconds is None:
            shown = "time left unknown"
        else:
            shown = f"{time_text(seconds, min(self._workers, len(self._left)))} left"
        self._bar.set_postfix_str(shown, refresh=False)


def time_text(seconds: float, runs_at_once: int) -> str:
    """Returns how long runs will take, as people say it.

    Runs at once share the processors. Small models leave each other room; a network takes all cores
    by itself, and two of them hardly less time than one after the other: both ends are given.

    Args:
        seconds: What the runs take one after the other.
        runs_at_once: How many are trained at once.
    """
    least, most = _duration_text(seconds / runs_at_once), _duration_text(seconds)
    return f"about {most}" if least == most else f"{least} to {most}"


def _duration_text(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _seeds(configuration: RunConfiguration) -> str:
    seeds = dataclasses.asdict(configuration.seeds)
    if len(set(seeds.values())) == 1:
        return f"seed {configuration.seeds.data}"
    return "seeds " + ", ".join(f"{name} {seed}" for name, seed in seeds.items())
