"""The files of an artifact: table, numbers, verdicts or differences, rounds and figure."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping, Sequence

import pandas as pd

from experiments.declaration import Artifact, size_text
from experiments.papers import catalogue
from experiments.reporting import claims, comparison, csv_tables, differences, figures, markdown
from experiments.reporting.missing_runs import missing_runs
from experiments.runs.files import write_atomically
from experiments.runs.plan import ArtifactRun
from experiments.runs.record import RunRecord
from experiments.runs.run_directory import run_name


@dataclasses.dataclass(frozen=True)
class ArtifactFiles:
    """What was written of an artifact.

    Attributes:
        table: The page in Markdown.
        figure: The figure as PNG.
        text: The table as the terminal shows it, with notes and facts below.
        judged: The names of the files that say what is more than noise.
    """

    table: pathlib.Path
    figure: pathlib.Path
    text: str
    judged: tuple[str, ...]


def write_artifact(
    artifact: Artifact,
    runs: Sequence[ArtifactRun],
    records: Sequence[RunRecord | None],
    folder: pathlib.Path,
    *,
    scale: str,
    facts: Sequence[str],
) -> ArtifactFiles:
    """Writes an artifact's table, numbers, verdicts and figure from the runs that are finished.

    Args:
        artifact: The artifact.
        runs: Its runs.
        records: What each of them left behind; None for those that are not finished.
        folder: Where the files go; it is made.
        scale: The runs' scale.
        facts: How the runs were made, a sentence each; they stand below those of the scale.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = comparison.compare(artifact, list(zip(runs, records)), scale=scale)
    finished = [(run, record) for run, record in zip(runs, records) if record is not None]
    rounds = [run.configuration.rounds for run in runs]
    seeds = sorted({run.seed for run in runs})
    all_facts = (
        f"{size_text(scale, rounds)}; "
        f"seeds {', '.join(map(str, seeds))}, each for data, cohorts, initial weights, shuffling.",
        *facts,
    )
    table = folder / "table.md"
    pairs = list(zip(runs, records))
    judged = claims.judge_all(catalogue.claims(), artifact, pairs, scale=scale)
    found = differences.differences(artifact, tables)
    page = markdown.comparison_markdown(
        artifact,
        tables,
        num_seeds=len(seeds),
        facts=all_facts,
        judged_claims=judged,
        found_differences=found,
        missing=missing_runs(artifact, pairs, scale=scale),
    )
    write_atomically(table, page)
    write_atomically(folder / "cells.csv", csv_tables.cells_csv(tables, seeds=seeds))
    if artifact.reference is None:
        judgements = {
            "verdicts.csv": csv_tables.verdicts_csv(tables),
            "claims.csv": csv_tables.claims_csv(judged),
        }
    else:
        judgements = {"differences.csv": csv_tables.differences_csv(artifact, tables, found)}
    for name, content in judgements.items():
        write_atomically(folder / name, content)
    images = figures.draw(artifact, tables, finished, folder / "figure")
    text = "\n".join(
        (
            f"{artifact.name}: {artifact.title}\n",
            markdown.compact_text(artifact, tables),
            *_difference_lines(artifact, found, num_seeds=len(seeds)),
            *_claim_lines(judged, num_seeds=len(seeds)),
            "",
            *artifact.notes,
            *all_facts,
        )
    )
    return ArtifactFiles(table, images[0], text, tuple(judgements))


def _difference_lines(
    artifact: Artifact,
    found: Mapping[str, Sequence[differences.Difference]],
    *,
    num_seeds: int,
) -> list[str]:
    """The differences from the reference; with one seed none of them can be judged."""
    if num_seeds < 2 and any(found.values()):
        return ["", differences.ONE_SEED]
    return differences.lines(artifact, found)


def _claim_lines(judged: Sequence[claims.ClaimVerdict], *, num_seeds: int) -> list[str]:
    """What became of the claims, a line each; with one seed none of them can be judged."""
    if not judged:
        return []
    if num_seeds < 2:
        return ["", f"{len(judged)} claims rest on this: they are judged from two seeds on."]
    return ["", *(verdict.sentence for verdict in judged)]


def write_rounds(
    runs: Sequence[ArtifactRun], records: Sequence[RunRecord | None], path: pathlib.Path
) -> None:
    """Writes one row per finished run and round: the run's metrics, and which run it is."""
    tables = [
        record.rounds.assign(
            dataset=run.dataset,
            variant=run.variant,
            seed=run.seed,
            run=run_name(record.configuration),
        )
        for run, record in zip(runs, records)
        if record is not None
    ]
    if tables:
        write_atomically(path, pd.concat(tables, ignore_index=True).to_csv(index=False))
