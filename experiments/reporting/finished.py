"""The finished part of an artifact: its runs on disk, their tables and verdicts."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

from experiments.declaration import Artifact, Metric
from experiments.papers import catalogue
from experiments.reporting.comparison import Table, by_variant, compare
from experiments.runs.plan import ArtifactRun, artifact_runs
from experiments.runs.record import RunRecord
from experiments.runs.run_folders import Find, find_planned, read_once


class OtherDataError(ValueError):
    """Runs of one table had other data than others."""


@dataclasses.dataclass(frozen=True)
class FinishedArtifact:
    """An artifact at one scale, with the record of each run; None for an unfinished run."""

    artifact: Artifact
    scale: str
    runs: Sequence[tuple[ArtifactRun, RunRecord | None]]

    def __post_init__(self) -> None:
        """Raises `OtherDataError` if runs of the same data set had other data."""
        found: dict[str, str] = {}
        for record in (record for _, record in self.runs if record is not None):
            own, data = record.resolved.configuration, record.data_fingerprint
            if data is not None and data != found.setdefault(own.asked_data, data):
                raise OtherDataError(
                    f"{self.artifact.name}: the data of {own.dataset} changed between its runs; "
                    "choose another --output_dir, or train committed runs again with --fresh"
                )

    @functools.cached_property
    def tables(self) -> Sequence[Table]:
        """Ours beside the paper's."""
        return compare(self.artifact, self.runs, scale=self.scale)

    @functools.cached_property
    def tables_of(self) -> Callable[[Metric], Mapping[str, Table]]:
        """Gives a metric's table by data set, read after the metric's own round or the last one."""
        return functools.cache(self._tables_of)

    def _tables_of(self, metric: Metric) -> Mapping[str, Table]:
        metrics = [metric]
        if metric.read_with is not None:
            name = metric.read_with
            metrics.append(dataclasses.replace(metric, key=name, label=name, read_with=None))
        tables = compare(self.artifact, self.runs, scale=self.scale, metrics=tuple(metrics))
        return {table.dataset: table for table in tables}

    @property
    def finished(self) -> list[tuple[ArtifactRun, RunRecord]]:
        """The runs that are finished."""
        return [(run, record) for run, record in self.runs if record is not None]

    @property
    def labels(self) -> Mapping[str, str]:
        """The label of each data set, with its stand-in."""
        return {table.dataset: table.label for table in self.tables}

    @functools.cached_property
    def by_variant(self) -> Mapping[tuple[str, str], Mapping[int, RunRecord]]:
        """The finished runs by data set and variant, in their order, and then by seed."""
        return by_variant(self.runs)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that have a run."""
        return tuple(sorted({run.seed for run, _ in self.runs}))

    @property
    def whole_seeds(self) -> tuple[int, ...]:
        """The seeds whose runs are all finished."""
        missing = {run.seed for run, record in self.runs if record is None}
        return tuple(seed for seed in self.seeds if seed not in missing)

    def of_comparable_seeds(self) -> FinishedArtifact:
        """Returns it with the seeds in which a data set has two finished methods, or its only one.

        Other artifacts may have run a single method with more seeds.
        """
        there: dict[tuple[int, str], list[bool]] = {}
        for run, record in self.runs:
            there.setdefault((run.seed, run.dataset), []).append(record is not None)
        seeds = {seed for (seed, _), each in there.items() if sum(each) >= min(2, len(each))}
        kept = [(run, record) for run, record in self.runs if run.seed in seeds]
        return dataclasses.replace(self, runs=kept)

    @property
    def command(self) -> str:
        """What makes it again."""
        if self.artifact.command is not None:
            return self.artifact.command
        papers = catalogue.modules_of(self.artifact.name)
        return (
            f"python -m experiments.reproduce --artifact={self.artifact.name} "
            f"--scale={self.scale} --seeds={','.join(map(str, self.seeds))}"
            + (f" --papers={','.join(papers)}" if papers else "")
        )


def read_finished(
    artifact: Artifact, scale: str, seeds: Iterable[int], find: Find
) -> FinishedArtifact | None:
    """Reads an artifact's finished runs, without empty seeds; None if no run is finished."""
    runs: list[tuple[ArtifactRun, RunRecord | None]] = []
    of_seeds: dict[int, list[ArtifactRun]] = {}
    for run in artifact_runs(artifact, scale, tuple(seeds)):
        of_seeds.setdefault(run.seed, []).append(run)
    for planned in of_seeds.values():
        found = [find_planned(run, find) for run in planned]
        if any(found):
            records = [None if files is None else read_once(files) for files in found]
            runs += zip(planned, records)
    return FinishedArtifact(artifact, scale, runs) if runs else None
