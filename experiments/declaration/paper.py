"""What a paper is: everything that is known of it, in one place."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping

from experiments.declaration.algorithm import Algorithm
from experiments.declaration.artifact import Artifact
from experiments.declaration.claim import Claim
from experiments.declaration.reading import Reading
from experiments.declaration.recipe import Recipe


@dataclasses.dataclass(frozen=True)
class Headline:
    """What all results begin with, of one paper.

    Each is a sentence or two. Measured numbers and verdicts are slots, as in a paper's findings.

    Attributes:
        claim: What the paper says.
        shown: What our runs show of it, and what makes the difference.
        fails: What does not hold, in any reading that was run; empty if there is nothing.
    """

    claim: str
    shown: str
    fails: str = ""


@dataclasses.dataclass(frozen=True)
class Paper:
    """One paper, or one body of work beyond the papers.

    Attributes:
        name: The first part of its artifacts' and claims' names, before the slash.
        title: As people call it.
        citation: Authors, title, where and when.
        algorithms: What it adds, by the names of the command line.
        recipes: Its hyperparameters by data set, model and algorithm.
        artifacts: Its tables and figures.
        claims: What it says about its artifacts.
        readings: What it leaves open, with the options.
        headline: What all results begin with; None for work that is no paper.
        findings: A file with what the runs show, in Markdown. Its measured numbers are slots, such
            as `{{ mean("paper/table", "FedAvg", "average %") }}`; see `reporting.slots`.
        guides: Files `guides/NAME.md.jinja`, each a page of its own, `NAME.md`, with such slots.
    """

    name: str
    title: str
    citation: str
    algorithms: Mapping[str, Algorithm] = dataclasses.field(default_factory=dict)
    recipes: tuple[Recipe, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    claims: tuple[Claim, ...] = ()
    readings: tuple[Reading, ...] = ()
    headline: Headline | None = None
    findings: pathlib.Path | None = None
    guides: tuple[pathlib.Path, ...] = ()

    def __post_init__(self) -> None:
        """Checks the names.

        Raises:
            ValueError: If the name of an artifact or a claim does not begin with the paper's name,
                or two have the same one; or if a claim or its metric names an unknown artifact,
                method or data set.
        """
        for names in ([each.name for each in self.artifacts], [each.name for each in self.claims]):
            for name in names:
                if not name.startswith(f"{self.name}/") or names.count(name) > 1:
                    raise ValueError(f"names must differ and begin with {self.name}/, got {name!r}")
        artifacts = {artifact.name: artifact for artifact in self.artifacts}
        for claim in self.claims:
            artifact = artifacts.get(claim.artifact)
            if artifact is None:
                raise ValueError(
                    f"claim {claim.name}: artifact must be one of {sorted(artifacts)}, got "
                    f"{claim.artifact!r}"
                )
            own = (claim.better, claim.worse or claim.better)
            methods = tuple(filter(None, (*own, *map(claim.metric.other, own))))
            for what, named, known in (
                ("method", methods, artifact.methods),
                ("data set", claim.datasets or (), artifact.datasets),
            ):
                for name in named:
                    if name not in known:
                        raise ValueError(
                            f"claim {claim.name}: {name!r} is not a {what} of {artifact.name}, "
                            f"which has {list(known)}"
                        )
