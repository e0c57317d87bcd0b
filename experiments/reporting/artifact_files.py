"""The files of an artifact: table, numbers, verdicts, rounds and figure."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import pandas as pd

from experiments.papers import catalogue
from experiments.reporting import figures
from experiments.reporting.comparison import Table
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Outcome
from experiments.reporting.markdown import aligned
from experiments.reporting.numbers import metric_text
from experiments.reporting.pages import artifact_section
from experiments.reporting.verdicts import VERDICTS_FILE, Verdict, verdicts_csv, verdicts_on
from experiments.runs.files import write_atomically
from experiments.runs.run_directory import run_name

# The words for a pair whose order differs from the paper's table.
_AGAINST = (Outcome.FAILS, Outcome.FAILS_ON_SOME, Outcome.MIXED, Outcome.LEANS_AGAINST)


TABLE_FILE, CELLS_FILE, FIGURE_FILE = "table.md", "cells.csv", "figure.png"


def write_artifact(
    finished: FinishedArtifact, folder: pathlib.Path, *, facts: Sequence[str] = ()
) -> str:
    """Writes an artifact's table, numbers, verdicts and figure into a folder, which is made.

    The facts say how the runs were made, a sentence each. Returns the table for a terminal.
    """
    folder.mkdir(parents=True, exist_ok=True)
    verdicts = verdicts_on(finished, catalogue.claims())
    figures.draw(finished, (folder / FIGURE_FILE).with_suffix(""))
    facts = [*_not_as_printed(verdicts), *facts, *_conclusions(finished)]
    section = artifact_section(finished, verdicts, figure=FIGURE_FILE, facts=facts)
    write_atomically(folder / TABLE_FILE, f"{section.strip()}\n")
    write_atomically(folder / CELLS_FILE, cells_csv(finished.tables, seeds=finished.seeds))
    judged = {(finished.artifact.name, finished.scale): verdicts}
    write_atomically(folder / VERDICTS_FILE, verdicts_csv(judged))
    return aligned(artifact_section(finished, verdicts, facts=facts, is_plain=True))


def _not_as_printed(verdicts: Sequence[Verdict]) -> list[str]:
    """Names the pairs whose order differs from the paper's table, in a sentence for each metric."""
    names: dict[str, list[str]] = {}
    for each in verdicts:
        if each.name == "pair" and each.judgement.outcome in _AGAINST:
            of_metric = names.setdefault(metric_text(each.metric), [])
            of_metric.append(f"{each.better} over {each.worse} ({each.judgement.text})")
    return [f"Not as in the paper, {by}: {', '.join(pairs)}." for by, pairs in names.items()]


def _conclusions(finished: FinishedArtifact) -> Sequence[str]:
    if finished.artifact.conclude is None:
        return []
    means = {
        (cell.dataset, cell.method, cell.metric.label): cell.mean
        for table in finished.tables
        for cell in table.cells
        if cell.is_shown
    }
    if finished.artifact.left_out_at(finished.scale) or None in means.values():
        return ["Some numbers are missing, so nothing is concluded."]
    return finished.artifact.conclude(lambda *place: means[place] or 0.0)


def cells_csv(tables: Sequence[Table], *, seeds: Sequence[int]) -> str:
    """Returns a row per data set, round, method and metric that is shown, as CSV.

    `round` is empty for the last round, `difference` is the mean minus the paper's number, and each
    seed has a column `seed_S`.
    """
    rows = [
        {
            "dataset": table.dataset,
            "round": cell.metric.in_round,
            "method": cell.method,
            "metric": cell.metric.label,
            "paper": cell.paper,
            "mean": cell.mean,
            "standard_deviation": cell.std,
            "difference": cell.difference,
            "has_collapsed": cell.has_collapsed,
            **{f"seed_{seed}": cell.values.get(seed) for seed in seeds},
        }
        for table in tables
        for cell in table.cells
        if cell.is_shown
    ]
    table = pd.DataFrame(rows, columns=None if rows else ["round"])
    table["round"] = table["round"].astype("Int64")  # Keeps whole numbers even if some are missing.
    return table.round(6).to_csv(index=False)


def write_rounds(finished: FinishedArtifact, path: pathlib.Path) -> None:
    """Writes one row per finished run and round: the run's metrics, and which run it is."""
    tables = []
    for run, record in finished.finished:
        key = {"dataset": run.dataset, "variant": run.variant, "seed": run.seed}
        tables.append(record.rounds.assign(**key, run=run_name(record.resolved)))
    if tables:
        write_atomically(path, pd.concat(tables, ignore_index=True).to_csv(index=False))
