"""Reads the files beside a paper's modules: notes, claims, readings and the headline."""

from __future__ import annotations

import csv
import pathlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import jinja2

from experiments import toml
from experiments.declaration import Artifact, Claim, Headline, Metric, Option, Paper, Reading
from experiments.declaration.fairness import FAIRNESS_NOTE
from experiments.papers.common import rounds_to

_NOTES_OF_SEVERAL_PAPERS = {
    "fairness": FAIRNESS_NOTE,
    "stand_in": "FEMNIST is here a part of FEMNIST; a run's environment.json names the file. "
    "Letters of other sets are used only on request, and give no numbers on FEMNIST.",
}


def paper(name: str, module: str, **parts: Any) -> Paper:
    """Returns a paper of these parts and of the files in its folder.

    The files hold its claims, its headline, its findings and its guides.

    Args:
        name: The paper's name.
        module: The path of one of its modules.
        **parts: Other attributes of the `Paper`.
    """
    folder = pathlib.Path(module).parent
    return Paper(
        name,
        claims=_claims(name, folder),
        headline=_headline(folder / "headline.md.jinja"),
        findings=folder / "findings.md.jinja",
        guides=tuple(sorted(folder.glob("guides/*.md.jinja"))),
        **parts,
    )


def noted(paper: str, module: str, **settings: object) -> Callable[..., Artifact]:
    """Returns a function that makes a paper's artifacts, each with its notes.

    The arguments are those of `read_notes`, after the paper's name.
    """
    notes = read_notes(module, **settings)

    def artifact(name: str, title: str, **parts: Any) -> Artifact:
        return Artifact(f"{paper}/{name}", title, notes=notes[name], **parts)

    return artifact


def read_notes(module: str, **settings: object) -> dict[str, tuple[str, ...]]:
    """Reads what a reader must know of a paper's artifacts, from `notes.md.jinja` in its folder.

    Args:
        module: The path of one of the paper's modules.
        **settings: Values for the names in the file.

    Returns:
        The items of each list, by every name in the heading above it; commas separate the names.
    """
    text = pathlib.Path(module).with_name("notes.md.jinja").read_text(encoding="utf-8")
    template = jinja2.Template(text, undefined=jinja2.StrictUndefined, trim_blocks=True)
    rendered = template.render(_NOTES_OF_SEVERAL_PAPERS, **settings)
    notes = {}
    for section in re.split(r"^## ", rendered, flags=re.MULTILINE)[1:]:
        names, *items = section.split("\n- ")
        for name in names.split(", "):
            notes[name] = tuple(" ".join(item.split()) for item in items)
    return notes


def _headline(file: pathlib.Path) -> Headline | None:
    """Reads a headline, which has a heading for each field; None if there is no such file."""
    if not file.exists():
        return None
    text = file.read_text(encoding="utf-8")
    sections = (each.partition("\n") for each in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    return Headline(**{name: " ".join(field.split()) for name, _, field in sections})


def read_readings(module: str) -> tuple[Reading, ...]:
    """Reads what a paper leaves open, from `readings.toml` in its folder.

    Each `[[reading]]` has the fields of a `Reading`, and its `[[reading.options]]` the fields of an
    `Option`.
    """
    readings = toml.read(pathlib.Path(module).with_name("readings.toml"))["reading"]
    return tuple(
        Reading(**{**fields, "options": tuple(map(_option, fields["options"]))})
        for fields in readings
    )


def _option(fields: Mapping[str, Any]) -> Option:
    """Returns an option of its fields, with tuples for lists."""
    return Option(
        **{name: tuple(each) if isinstance(each, list) else each for name, each in fields.items()}
    )


def _claims(paper: str, folder: pathlib.Path) -> tuple[Claim, ...]:
    """Reads a paper's claims from `claims.csv`, a row each; none if there is no such file.

    A row has the fields of a `Claim`; an empty one is the default. Names of claims and artifacts
    are without the paper's, and spaces separate data sets. A metric is the name of a table of
    `metrics.toml`, whose keys are fields of `Metric`, or `rounds_to_TARGET`.
    """
    if not (folder / "claims.csv").exists():
        return ()
    declared = toml.read(folder / "metrics.toml")
    metrics = {name: Metric(**fields) for name, fields in declared.items()}
    metrics |= {f"rounds_to_{target}": rounds_to(target) for target in (70, 80, 90, 95)}
    with open(folder / "claims.csv", encoding="utf-8", newline="") as file:
        return tuple(
            Claim(
                name=f"{paper}/{row['name']}",
                statement=row["statement"],
                source=row["source"],
                artifact=f"{paper}/{row['artifact']}",
                metric=metrics[row["metric"]],
                better=row["better"],
                worse=row["worse"] or None,
                reference=float(row["reference"] or 0.0),
                datasets=tuple(row["datasets"].split()) or None,
                kind=row["kind"] or "better",  # type: ignore[arg-type]  # `Claim` checks it.
            )
            for row in csv.DictReader(file)
        )
