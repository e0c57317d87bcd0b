"""All that is finished, what it says about every claim, and how each claim stands."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from collections.abc import Mapping, Sequence

from experiments.declaration import Artifact, Claim, Paper
from experiments.reporting import readings
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Outcome
from experiments.reporting.slots import CONTRADICTED, FAILS_IN_SOME, HOLDS_IN_NONE
from experiments.reporting.verdicts import Verdict, verdicts_on


@dataclasses.dataclass(frozen=True)
class Results:
    """What is there.

    Attributes:
        papers: All papers.
        finished: The finished parts of artifacts, by name. The first one of each decides its
            claims. An artifact without a finished run is missing.
        folders: Folders of figures, which lie in `PAPER/ARTIFACT/SCALE/figure.png`.
    """

    papers: Sequence[Paper]
    finished: Mapping[str, Sequence[FinishedArtifact]]
    folders: Sequence[pathlib.Path] = ()

    @functools.cached_property
    def judged(self) -> Mapping[tuple[str, str], Sequence[Verdict]]:
        """All verdicts on each artifact, by its name and scale."""
        claims = [claim for paper in self.papers for claim in paper.claims]
        return {
            (name, each.scale): verdicts_on(each, claims)
            for name, of_artifact in self.finished.items()
            for each in of_artifact
        }

    @functools.cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Every claim that is judged, by name."""
        return {
            verdict.name: verdict
            for name, (first, *_) in self.finished.items()
            for verdict in self.judged[name, first.scale]
            if verdict.claim is not None
        }

    def first(self, artifact: Artifact) -> FinishedArtifact | None:
        """Returns the finished part of an artifact that decides its claims, if there is one."""
        return next(iter(self.finished.get(artifact.name, ())), None)

    @functools.cached_property
    def holds_in(self) -> Mapping[str, readings.HoldsIn]:
        """In how many readings of its paper each claim holds, by its name."""
        return {
            claim.name: readings.holds_in_paper(claim, paper, self.finished)
            for paper in self.papers
            for claim in paper.claims
        }

    def standing(self, claim: Claim, paper: Paper) -> str:
        """Returns how a claim stands; it is contradicted if it fails in every reading.

        One reading is enough only where the paper leaves nothing open.
        """
        verdict = self.verdicts.get(claim.name)
        outcome = Outcome.NOT_RUN if verdict is None else verdict.judgement.outcome
        if claim.is_control or outcome is not Outcome.FAILS:
            return outcome.value
        found = self.holds_in[claim.name]
        if paper.readings and len(found.outcomes) == 1:
            return outcome.value
        outcomes = {*found.outcomes.values()}
        if outcomes == {Outcome.FAILS}:
            return CONTRADICTED
        holds = outcomes & {Outcome.HOLDS, Outcome.HOLDS_ON_SOME}
        return FAILS_IN_SOME if holds else HOLDS_IN_NONE
