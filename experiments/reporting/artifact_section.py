"""What a page of results has of one artifact: how it was run, its figure, tables and verdicts."""

from __future__ import annotations

import functools
import itertools
import json
import pathlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declaration import size_text
from experiments.reporting import differences, figures, verdicts
from experiments.reporting.document import (
    Block,
    Cell,
    Code,
    CodeBlock,
    Details,
    Grid,
    Heading,
    Image,
    Items,
    Paragraph,
)
from experiments.reporting.finished import Files, FinishedArtifact
from experiments.reporting.markdown import method_rows, pair_rows
from experiments.reporting.missing_runs import missing_runs
from experiments.runs.configuration import RunConfiguration

# Larger drawings are shown as pictures of points.
_MOST_SVG_BYTES = 400_000
_FACTS_OF_MACHINE = (
    "platform",
    "processor",
    "cpu_count",
    "usable_cpu_count",
    "intra_op_threads",
    "python",
    "tensorflow",
    "tensorflow-federated",
)


def artifact_section(
    finished: FinishedArtifact, figure_folders: Sequence[pathlib.Path], *, is_first: bool
) -> list[Block]:
    """Returns the section.

    Args:
        finished: The artifact at one scale.
        figure_folders: Where its figure may lie as a file.
        is_first: Whether it is this section that links to the artifact lead to.
    """
    artifact, scale = finished.artifact, finished.scale
    anchor = anchor_of(artifact.name) if is_first else None
    blocks: list[Block] = [
        Heading(3, f"{artifact.name}, scale {scale}: {artifact.title}", anchor),
        Paragraph(_how_it_was_run(finished)),
        CodeBlock(finished.command),
        _figure(finished, figure_folders),
    ]
    has_paper = any(cell.paper is not None for table in finished.tables for cell in table.cells)
    ours = (
        "Ours: mean ± standard deviation over the seeds; the paper's number in brackets where it "
        "has one."
        if has_paper
        else "Mean ± standard deviation over the seeds."
    )
    blocks.append(Paragraph(ours))
    pairs: list[Block] = []
    found = differences.differences(artifact, finished.tables)
    for table in finished.tables:
        header, rows = method_rows(table)
        blocks += [Heading(4, table.title), Grid(header, rows)]
        of_table = found.get(table.title)
        if of_table:
            blocks += [
                Paragraph(f"{differences.heading(artifact)}."),
                Grid(*differences.rows(of_table)),
                Items(differences.RULES),
            ]
        judged = verdicts.judge(table)
        if judged:
            pairs += [Heading(4, table.title), Grid(*pair_rows(judged))]
    if pairs:
        blocks.append(Details("Every pair of methods that the paper tells apart", pairs))
    blocks.append(Details("Configuration: what differs from the recipes", _configuration(finished)))
    if artifact.notes:
        blocks += [Heading(4, "To be read with it"), Items(artifact.notes)]
    missing = missing_runs(artifact, finished.runs, scale=scale)
    if missing:
        blocks.append(Heading(4, "Not run"))
        if artifact.why_not_run:
            blocks.append(Paragraph(artifact.why_not_run))
        blocks.append(Items(missing))
    return blocks


def _how_it_was_run(finished: FinishedArtifact) -> str:
    rounds = [run.configuration.rounds for run, _ in finished.runs]
    machines = [
        ", ".join(f"{name} {machine[name]}" for name in _FACTS_OF_MACHINE if machine.get(name))
        for machine in finished.machines
    ]
    return (
        f"{size_text(finished.scale, rounds)}; "
        f"{seeds_of(finished)}, each for data, cohorts, "
        f"initial weights and shuffling. {len(finished.finished)} of {len(finished.runs)} runs "
        f"finished, {finished.minutes:.1f} minutes of training and evaluation summed over them. "
        f"Made on {'; '.join(machines) or 'a machine that is not recorded'}."
    )


def _configuration(finished: FinishedArtifact) -> list[Block]:
    size = finished.artifact.scales[finished.scale]
    rows: list[list[Cell]] = [["all", "", _settings({"rounds": size.rounds, **size.settings})]]
    rows += [
        [f"all on {dataset}, unless said elsewhere", "", _settings(settings)]
        for on_datasets in (finished.artifact.on_datasets, size.on_datasets)
        for dataset, settings in on_datasets.items()
        if dataset in finished.artifact.datasets_at(finished.scale)
    ]
    rows += [
        [
            variant.label,
            Code(variant.algorithm),
            _settings(variant.settings)
            + (
                f"; as many local steps as {variant.step_budget_of}"
                if variant.step_budget_of
                else ""
            ),
        ]
        for variant in finished.artifact.variants
    ]
    resolved = [
        Paragraph(
            (
                "The whole configuration of the first run of each method, as ",
                Code("configuration.json"),
                " has it:",
            )
        ),
        *(_resolved(label, *first) for label, first in _first_runs(finished).items()),
    ]
    return [Grid(["method", "algorithm", "differs from its recipe"], rows), *resolved]


def _first_runs(finished: FinishedArtifact) -> dict[str, tuple[RunConfiguration, Files | None]]:
    first: dict[str, tuple[RunConfiguration, Files | None]] = {}
    for (run, record), files in itertools.zip_longest(finished.finished, finished.files):
        first.setdefault(run.variant, (record.configuration, files))
    return first


def _resolved(label: str, configuration: RunConfiguration, files: Files | None) -> Block:
    fields: dict[str, Any] = json.loads(configuration.to_json())
    rows = [[name, _value(value)] for name, value in fields.items()]
    file = None if files is None else files.path
    return Details(label, [Grid(["setting", "value"], rows)], file)


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in settings.items()) or "nothing"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return _settings(value) if value else "none"
    return "none" if value is None else str(value)


def _figure(finished: FinishedArtifact, folders: Sequence[pathlib.Path]) -> Block:
    artifact = finished.artifact
    alternative = f"{artifact.name}: {artifact.title}"
    drawn = functools.partial(figures.draw, artifact, finished.tables, finished.finished)
    with tempfile.TemporaryDirectory() as temporary:
        stem = pathlib.Path(temporary) / "figure"
        (svg,) = drawn(stem, endings=(".svg",))
        is_small = svg.stat().st_size <= _MOST_SVG_BYTES
        content = (svg if is_small else drawn(stem, endings=(".png",))[0]).read_bytes()
    places = (folder / artifact.folder(finished.scale) / "figure.png" for folder in folders)
    file = next((place for place in places if place.exists()), None)
    return Image(alternative, content, "image/svg+xml" if is_small else "image/png", file)


def seeds_of(finished: FinishedArtifact) -> str:
    """Names the seeds of which there is a run."""
    seeds = finished.seeds
    return f"{'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}"


def anchor_of(name: str) -> str:
    """Returns by what links find an artifact of this name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())
