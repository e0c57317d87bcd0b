"""How far an artifact is: how many of its runs are finished, and how long the others will take."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Artifact
from experiments.runs.configuration import RunConfiguration
from experiments.runs.durations import Durations
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.progress import time_text
from experiments.runs.sweep import Outcome, SweepOptions, finished_run, with_step_budget


@dataclasses.dataclass(frozen=True)
class ArtifactStatus:
    """How far an artifact is at one scale.

    Attributes:
        num_runs: All runs.
        num_finished: Those that need not be trained.
        num_committed: Those of them that travel with the software.
        num_unknown: Those that are left and of which nothing near was measured.
        seconds_left: How long the others that are left will take, one after the other.
        runs_at_once: How many are trained at once.
    """

    num_runs: int
    num_finished: int
    num_committed: int
    num_unknown: int
    seconds_left: float
    runs_at_once: int = 1

    def __str__(self) -> str:
        """Says it in one line."""
        runs = f"{self.num_runs} {'run' if self.num_runs == 1 else 'runs'}"
        if self.num_finished == 0:
            return f"not started, {runs}, {self._time()}"
        committed = f" ({self.num_committed} committed)" if self.num_committed else ""
        if self.num_finished == self.num_runs:
            return f"done, {runs}{committed}"
        return f"{self.num_finished} of {runs} done{committed}, {self._time(' left')}"

    def _time(self, left: str = "") -> str:
        num_known = self.num_runs - self.num_finished - self.num_unknown
        if not num_known:
            return f"time{left} unknown"
        time = f"{time_text(self.seconds_left, min(self.runs_at_once, num_known))}{left}"
        if not self.num_unknown:
            return time
        return f"{time} for {num_known} of them, unknown for {self.num_unknown}"


def artifact_status(
    artifact: Artifact,
    scale: str,
    seeds: tuple[int, ...],
    options: SweepOptions,
    durations: Durations,
) -> ArtifactStatus:
    """Looks up the runs of an artifact; trains nothing and loads no data.

    Args:
        artifact: The artifact.
        scale: One of `SCALES`.
        seeds: Those of the runs.
        options: Where finished runs are, and how many are trained at once.
        durations: What finished runs took.
    """
    runs = list(artifact_runs(artifact, scale, seeds))
    outcomes = [_finished(run, options) for run in runs]
    left: list[RunConfiguration] = [
        run.configuration for run, outcome in zip(runs, outcomes) if outcome is None
    ]
    estimates = [durations.seconds(configuration) for configuration in left]
    known = [seconds for seconds in estimates if seconds is not None]
    finished = [outcome for outcome in outcomes if outcome is not None]
    return ArtifactStatus(
        num_runs=len(runs),
        num_finished=len(finished),
        num_committed=sum(outcome.is_committed for outcome in finished),
        num_unknown=len(left) - len(known),
        seconds_left=sum(known),
        runs_at_once=options.workers,
    )


def _finished(run: ArtifactRun, options: SweepOptions) -> Outcome | None:
    if run.step_budget_of is None:
        return finished_run(run.configuration, options)
    leader = finished_run(run.step_budget_of, options)
    return (
        None
        if leader is None
        else finished_run(with_step_budget(run.configuration, leader), options)
    )
