"""How far an artifact is: how many of its runs are finished, and how long the others will take."""

from __future__ import annotations

from experiments.declaration import Artifact
from experiments.runs.committed import CommittedRun
from experiments.runs.plan import artifact_runs
from experiments.runs.run_folders import find_planned
from experiments.runs.sweep import SweepOptions
from experiments.runs.time_estimate import TimeEstimate, time_text


def artifact_status(
    artifact: Artifact,
    scale: str,
    seeds: tuple[int, ...],
    options: SweepOptions,
    estimate: TimeEstimate,
) -> str:
    """Says in a line how far an artifact is; trains nothing and loads no data.

    Args:
        artifact: The artifact.
        scale: One of `SCALES`.
        seeds: Those of the runs.
        options: Where finished runs are, and how many are trained at once.
        estimate: From what finished runs took.
    """
    planned = list(artifact_runs(artifact, scale, seeds))
    found = [find_planned(run, options.folders.find_whole) for run in planned]
    left = [run.configuration for run, files in zip(planned, found) if files is None]
    num_committed = sum(isinstance(files, CommittedRun) for files in found)
    runs = f"{len(planned)} {'run' if len(planned) == 1 else 'runs'}"
    committed = f" ({num_committed} committed)" if num_committed else ""
    if not left:
        return f"done, {runs}{committed}"
    time = time_text(estimate.total(left), min(options.workers, len(left)))
    if len(left) == len(planned):
        return f"not started, {runs}, {time}"
    return f"{len(planned) - len(left)} of {runs} done{committed}, {time} left"
