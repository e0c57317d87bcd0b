"""What a paper is: everything that is known of it, in one place."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from experiments.declaration.algorithm import Algorithm
from experiments.declaration.artifact import Artifact
from experiments.declaration.claim import Claim
from experiments.declaration.page_table import Numbers, PageTable
from experiments.declaration.recipe import Recipe


@dataclasses.dataclass(frozen=True)
class Headline:
    """A paper's row in the table that all results begin with.

    Each is a sentence or two without our runs' numbers, which change and stand further down.

    Attributes:
        claim: What the paper says.
        holds: What of it our runs bear out.
        fails: What of it they do not.
        decides: What makes the difference.
    """

    claim: str
    holds: str
    fails: str
    decides: str


@dataclasses.dataclass(frozen=True)
class Finding:
    """What our runs show, in a sentence that a reader of the claims' verdicts would write.

    Attributes:
        statement: Without numbers, which change with the runs and stand beside the verdicts.
        claims: The names of the paper's claims that it rests on, whose verdicts stand beside it.
    """

    statement: str
    claims: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Paper:
    """One paper, or one body of work beyond the papers.

    Attributes:
        name: What its artifacts' and claims' names begin with, before the slash.
        title: As people call it.
        citation: Authors, title, where and when.
        algorithms: What it adds, by the names of the command line.
        recipes: Its hyperparameters by data set, model and algorithm.
        artifacts: Its tables and figures.
        claims: What it says of them.
        headline: What holds of that and what decides it, for who reads nothing else; None where
            nobody else has said anything.
        findings: The same, claim by claim.
        page_tables: What the page on its results shows of the runs.
    """

    name: str
    title: str
    citation: str
    algorithms: Mapping[str, Algorithm] = dataclasses.field(default_factory=dict)
    recipes: tuple[Recipe, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    claims: tuple[Claim, ...] = ()
    headline: Headline | None = None
    findings: tuple[Finding, ...] = ()
    page_tables: tuple[PageTable, ...] = ()

    def __post_init__(self) -> None:
        """Checks the names.

        Raises:
            ValueError: If the name of an artifact, a claim or a table does not begin with the
                paper's, two tables share one, a claim or a table is about an artifact, a method or
                a data set that there is not, or a finding rests on no claim or one that there is
                not.
        """
        names = (
            *(artifact.name for artifact in self.artifacts),
            *(claim.name for claim in self.claims),
            *(table.name for table in self.page_tables),
        )
        for name in names:
            if not name.startswith(f"{self.name}/"):
                raise ValueError(f"name must begin with '{self.name}/', got {name!r}")
        artifacts = {artifact.name: artifact for artifact in self.artifacts}
        for claim in self.claims:
            artifact = artifacts.get(claim.artifact)
            if artifact is None:
                raise ValueError(
                    f"claim {claim.name}: artifact must be one of {sorted(artifacts)}, got "
                    f"{claim.artifact!r}"
                )
            for method in (claim.better, claim.worse):
                if method is not None and method not in artifact.methods:
                    raise ValueError(
                        f"claim {claim.name}: {method!r} is not a method of {artifact.name}, which "
                        f"has {list(artifact.methods)}"
                    )
            for dataset in claim.datasets or ():
                if dataset not in artifact.datasets:
                    raise ValueError(
                        f"claim {claim.name}: {dataset!r} is not a data set of {artifact.name}"
                    )
        tables = {table.name for table in self.page_tables}
        if len(tables) < len(self.page_tables):
            raise ValueError(f"page_tables of {self.name}: names must differ, got {sorted(tables)}")
        for table in self.page_tables:
            for numbers in table.numbers:
                _check_numbers(table, numbers, artifacts)
        claims = {claim.name for claim in self.claims}
        for finding in self.findings:
            if not finding.claims or not claims.issuperset(finding.claims):
                raise ValueError(
                    f"finding {finding.statement!r}: claims must be some of {sorted(claims)}, got "
                    f"{finding.claims}"
                )


def _check_numbers(table: PageTable, numbers: Numbers, artifacts: Mapping[str, Artifact]) -> None:
    artifact = artifacts.get(numbers.runs.artifact)
    if artifact is None:
        raise ValueError(
            f"table {table.name}: artifact must be one of {sorted(artifacts)}, got "
            f"{numbers.runs.artifact!r}"
        )
    for method in numbers.methods:
        if method not in artifact.methods:
            raise ValueError(
                f"table {table.name}: {method!r} is not a method of {artifact.name}, which has "
                f"{list(artifact.methods)}"
            )
    if numbers.dataset not in artifact.datasets:
        raise ValueError(
            f"table {table.name}: {numbers.dataset!r} is not a data set of {artifact.name}"
        )
