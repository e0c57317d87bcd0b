"""The progress of many runs: a bar or lines, with the time left, estimated from finished runs."""

from __future__ import annotations

import collections
import contextlib
import csv
import statistics
import sys
import threading
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

import tqdm

from experiments.runs import dropped_clients
from experiments.runs.committed import Files
from experiments.runs.configuration import RunConfiguration
from experiments.runs.configure import ResolvedRun
from experiments.runs.plan import ArtifactRun

if TYPE_CHECKING:
    from experiments.runs.sweep import EndedRun

_BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
_SECONDS_BETWEEN_LINES = 60.0


class SweepProgress(contextlib.AbstractContextManager["SweepProgress"]):
    """The progress of a sweep on standard error, with the time left.

    On a terminal it is a bar, with a line for every run above it. Elsewhere it is a line a minute,
    and one for every run that failed or had been damaged.
    """

    def __init__(
        self,
        left: Mapping[ResolvedRun | ArtifactRun, str],
        num_finished: int,
        estimate: TimeEstimate,
        *,
        workers: int,
    ):
        """Shows the progress: `left` are the runs that are not finished, with their names.

        A run whose settings depend on others is planned: it is an `ArtifactRun`.
        """
        self._left = dict(left)
        self._total = num_finished + len(left)
        self._estimate = estimate
        self._workers = workers
        self._has_ended = threading.Event()
        self._bar = tqdm.tqdm(
            total=self._total,
            initial=num_finished,
            unit="run",
            desc="runs",
            dynamic_ncols=True,
            bar_format=_BAR,
            disable=None,  # Unless standard error is a terminal.
        )
        self._bar.set_postfix_str(self._time_left())
        if self._bar.disable:
            threading.Thread(target=self._print_lines, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        """Leaves the bar as it is and ends its line."""
        self._has_ended.set()
        self._bar.close()

    def becomes(self, planned: ArtifactRun, actual: ResolvedRun) -> None:
        """Notes what a planned run is; two may turn out to be the same."""
        if planned in self._left:
            if actual in self._left:
                self.skipped(planned)
            else:
                self._left[actual] = self._left.pop(planned)

    def skipped(self, run: ResolvedRun | ArtifactRun) -> None:
        """Skips a run that is finished already, or that cannot be trained."""
        if self._left.pop(run, None) is not None:
            self._bar.update()
            self._bar.set_postfix_str(self._time_left())

    def ended(self, run: EndedRun) -> None:
        """Reports a run's outcome, and moves on."""
        configuration, result = run.resolved.configuration, run.result
        if result is None:
            end = f"failed: {run.error}"
        else:
            self._estimate.add(run.files)
            average = result.get("test_average")
            end = f"test loss {result['test_loss']:.4g}" if average is None else f"{average:.1f} %"
        took = "" if run.seconds is None else f", {run.seconds:.1f} s"
        name = self._left.get(run.resolved, configuration.algorithm)
        said = dropped_clients.sentences(configuration, result or {})
        said += [] if run.recovery is None else [run.recovery]
        if not self._bar.disable or result is None or said:
            seed = configuration.seeds.data  # A sweep's runs have the same number four times.
            line = f"{configuration.dataset}, {name}, seed {seed}: {end}{took}"
            tqdm.tqdm.write("\n    ".join([line, *said]), file=sys.stderr)
        self.skipped(run.resolved)

    def line(self) -> str:
        """Returns how far the sweep is in a line."""
        done = f"{self._total - len(self._left)} of {self._total} runs done"
        return f"{done}, {self._time_left()}" if self._left else done

    def _time_left(self) -> str:
        if not self._left:
            return ""
        at_once = min(self._workers, len(self._left))
        runs = [each.resolved if isinstance(each, ArtifactRun) else each for each in [*self._left]]
        return f"{time_text(self._estimate.total(runs), at_once)} left"

    def _print_lines(self) -> None:
        while not self._has_ended.wait(_SECONDS_BETWEEN_LINES):
            print(self.line(), file=sys.stderr, flush=True)


class TimeEstimate:
    """Estimates the seconds of runs from the rounds of finished ones."""

    def __init__(self, runs: Iterable[Files] = ()):
        self._seconds: dict[tuple[str | None, ...], list[float]] = collections.defaultdict(list)
        for files in runs:
            self.add(files)

    def add(self, files: Files) -> None:
        """Adds a finished run; a run that was not timed or cannot be read is ignored."""
        try:
            configuration = RunConfiguration.from_json(files.configuration.read_text())
            seconds = files.read_seconds()
        except (ValueError, OSError, csv.Error):
            return
        if seconds is not None:
            for key in _keys(configuration):
                self._seconds[key].append(seconds.total / configuration.rounds)

    def total(self, runs: Collection[ResolvedRun]) -> float | None:
        """Returns the seconds that several runs will take, one after the other.

        A run takes its rounds times the median seconds of a round, evaluation included, of all
        finished runs of the same model on the same data set: of its algorithm, or else of any. One
        without such runs counts as the mean of the others. None if no run has any.
        """
        known = []
        for each in (run.configuration for run in runs):
            if of_alike := next(filter(None, map(self._seconds.get, _keys(each))), None):
                known.append(each.rounds * statistics.median(of_alike))
        return statistics.mean(known) * len(runs) if known else None


def _keys(run: RunConfiguration) -> tuple[tuple[str | None, ...], ...]:
    """Returns what alike runs have in common, the most first."""
    return (run.dataset, run.model, run.algorithm), (run.dataset, run.model)


def time_text(seconds: float | None, runs_at_once: int) -> str:
    """Returns how long runs will take, as people say it.

    Runs at once share the processors. Small models run well side by side. A network uses all cores
    by itself, and two at once take hardly less time than one after the other. So both extremes are
    given. `seconds` is what they take one after the other.
    """
    if seconds is None:
        return "an unknown time"
    least, most = _duration_text(seconds / runs_at_once), _duration_text(seconds)
    return f"about {most}" if least == most else f"{least} to {most}"


def _duration_text(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"
