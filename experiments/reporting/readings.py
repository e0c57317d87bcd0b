"""What runs say under each reading of a paper: differences, baselines, and which claims hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declaration import (
    Artifact,
    Claim,
    Option,
    Paper,
    Reading,
    Specification,
    SpecificationCurve,
    Variant,
)
from experiments.reporting.comparison import Table
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Outcome, Pair
from experiments.reporting.markdown import escaped, grid
from experiments.reporting.verdicts import pair, verdict_on_claim

# Whose claim holds there.
_HOLDS = (Outcome.HOLDS, Outcome.HOLDS_ON_SOME)
_FAILS = (Outcome.FAILS, Outcome.FAILS_ON_SOME)
_MAIN = "the main reading"
# Where an artifact has no baselines with the steps of the other option.
_SAME_STEPS = ", with the baselines' steps of the main reading"


@dataclasses.dataclass(frozen=True)
class Difference:
    """How far one method is ahead of another on one data set, under one specification.

    Attributes:
        specification: The options.
        better: The method that the paper has ahead, by its name there.
        worse: The other.
        pair: Their numbers by seed.
    """

    specification: Specification
    better: str
    worse: str
    pair: Pair

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return self.pair.mean or 0.0


def differences(view: SpecificationCurve, table: Table) -> list[Difference]:
    """Returns the differences of a data set under all specifications that were run, in order.

    Args:
        view: What is compared.
        table: Its artifact's table of the data set.

    Returns:
        The one that is most against the paper first.
    """
    metric = next(each for each in table.metrics if each.key == view.metric.key)
    found = [
        Difference(
            specification,
            better,
            worse,
            pair(table, metric, specification.labels[better], specification.labels[worse]),
        )
        for specification in view.specifications
        for better, worse in view.comparisons
    ]
    run = [each for each in found if each.pair.mean is not None]
    return sorted(run, key=lambda each: each.mean)


@dataclasses.dataclass(frozen=True)
class HoldsIn:
    """Under how many of a paper's readings a claim holds.

    Attributes:
        outcomes: By the text of each specification that was run, the claim's outcome.
    """

    outcomes: Mapping[str, Outcome]

    @property
    def is_contradicted(self) -> bool:
        """Whether it fails under every reading that was run."""
        return set(self.outcomes.values()) == {Outcome.FAILS}

    @property
    def text(self) -> str:
        """`holds in 7 of 8 readings, fails in 1; not with: averaged model`.

        Nothing for fewer than two. Where it holds in none, those count in which it leans for.
        """
        if len(self.outcomes) < 2:
            return ""
        holding = {name for name, outcome in self.outcomes.items() if outcome in _HOLDS}
        leaning = {name for name, outcome in self.outcomes.items() if outcome is Outcome.LEANS_FOR}
        counted = holding or leaning
        not_with = [name for name in self.outcomes if name not in counted]
        word = "leans for" if leaning and not holding else "holds"
        num_failing = sum(outcome in _FAILS for outcome in self.outcomes.values())
        text = f"{word} in {len(counted)} of {len(self.outcomes)} readings"
        text += f", fails in {num_failing}" if num_failing else ""
        return f"{text}; not with: {'; '.join(not_with)}" if counted and not_with else text


def holds_in_paper(
    claim: Claim, paper: Paper, finished: Mapping[str, Sequence[FinishedArtifact]]
) -> HoldsIn:
    """Judges a claim under every reading of its paper that was run, the main one first.

    Args:
        claim: The claim.
        paper: Its paper.
        finished: What is finished, by the artifact's name.
    """
    if claim.artifact not in finished:
        return HoldsIn({})
    own, *_ = finished[claim.artifact]
    main = _outcome(claim, own)
    found = {_MAIN: main, **_in_its_artifact(claim, own, paper.readings)}
    artifacts = {artifact.name: artifact for artifact in paper.artifacts}
    for first in (finished[name][0] for name in artifacts if name in finished):
        found |= holds_in(claim, first, artifacts).outcomes
        found |= _in_other_rounds(claim, first, artifacts, paper.readings)
    found[_MAIN] = main
    return HoldsIn({name: each for name, each in found.items() if each is not Outcome.NOT_RUN})


def _in_other_rounds(
    claim: Claim,
    finished: FinishedArtifact,
    artifacts: Mapping[str, Artifact],
    readings: Sequence[Reading],
) -> dict[str, Outcome]:
    """Judges a claim under the options that an artifact shows after rounds of their own."""
    artifact = finished.artifact
    labels = _names_in(artifact, artifacts[claim.artifact])
    found = {}
    for option in (option for reading in readings for option in reading.options):
        name, number = option.shown_in or (None, None)
        metric = dataclasses.replace(claim.metric, in_round=number)
        asked = _asked(claim, artifact, labels, metric=metric)
        if name == artifact.name and claim.metric in artifact.metrics and asked is not None:
            found[option.label] = _outcome(asked, finished)
    return found


def _asked(
    claim: Claim, artifact: Artifact, labels: Mapping[str, str], **changes: Any
) -> Claim | None:
    """Returns a claim about an artifact with other labels; None where it lacks a method."""
    if claim.better not in labels or (claim.worse is not None and claim.worse not in labels):
        return None
    worse = None if claim.worse is None else labels[claim.worse]
    changes |= {"artifact": artifact.name, "better": labels[claim.better], "worse": worse}
    return dataclasses.replace(claim, **changes)


def _in_its_artifact(
    claim: Claim, finished: FinishedArtifact, readings: Sequence[Reading]
) -> dict[str, Outcome]:
    """Judges a claim under the options that its own artifact has as other variants."""
    own = {variant.label: variant for variant in finished.artifact.variants}
    found: dict[str, Outcome] = {}

    def under(option: Option, label: str | None) -> str | None:
        if label not in own or not option.is_for(own[label].algorithm):
            return label
        wanted = {**own[label].settings, **option.settings}
        changed = dataclasses.replace(own[label], label="", settings=wanted)
        same = (each for each in own.values() if dataclasses.replace(each, label="") == changed)
        return next((each.label for each in same), None)

    for option in (option for reading in readings for option in reading.run[1:]):
        better, worse = under(option, claim.better), under(option, claim.worse)
        if better is None or (worse is None) is not (claim.worse is None):
            continue
        if (better, worse) != (claim.better, claim.worse):
            # The baselines' steps are not varied here.
            name = option.label + (_SAME_STEPS if worse and own[worse].step_budget_of else "")
            asked = dataclasses.replace(claim, better=better, worse=worse)
            found[name] = _outcome(asked, finished)
    return found


def _outcome(claim: Claim, finished: FinishedArtifact) -> Outcome:
    return verdict_on_claim(claim, finished).judgement.outcome


def holds_in(
    claim: Claim, finished: FinishedArtifact, artifacts: Mapping[str, Artifact]
) -> HoldsIn:
    """Judges a claim under every specification of its paper's readings that was run.

    Specifications with the same runs of both methods count once.

    Args:
        claim: The claim.
        finished: An artifact of readings; a claim about other methods or data sets than those it
            varies is judged under none.
        artifacts: The paper's, by name.
    """
    view = finished.artifact.view
    datasets = claim.datasets or artifacts[claim.artifact].datasets
    if not isinstance(view, SpecificationCurve) or not set(datasets) <= set(
        finished.artifact.datasets
    ):
        return HoldsIn({})
    names = _names_in(artifacts[view.of], artifacts[claim.artifact])
    outcomes: dict[str, Outcome] = {}
    known: list[Claim] = []
    for specification in view.specifications:
        labels = {
            label: specification.labels[name]
            for label, name in names.items()
            if name in specification.labels
        }
        asked = _asked(claim, finished.artifact, labels, datasets=datasets)
        if asked is None or asked in known:
            continue
        known.append(asked)
        outcome = _outcome(asked, finished)
        if outcome is not Outcome.NOT_RUN:
            outcomes[options_text(view, specification)] = outcome
    return HoldsIn(outcomes)


def _names_in(varied: Artifact, other: Artifact) -> Mapping[str, str]:
    """Returns by the label of each method of an artifact the label that it has in another one.

    A variant is the same if its runs are, and a best-of row if it has the same name and members.
    """
    names = {_what_is_run(variant, varied): variant.label for variant in varied.variants}
    found = {
        variant.label: names[_what_is_run(variant, other)]
        for variant in other.variants
        if _what_is_run(variant, other) in names
    }
    for label, members in other.best_of.items():
        if tuple(found.get(member) for member in members) == varied.best_of.get(label):
            found[label] = label
    return found


def _what_is_run(variant: Variant, artifact: Artifact) -> tuple[object, ...]:
    own = {each.label: each for each in artifact.variants}
    leader = None if variant.step_budget_of is None else own[variant.step_budget_of]
    return (
        variant.algorithm,
        tuple(sorted(variant.settings.items())),
        None if leader is None else _what_is_run(leader, artifact),
    )


def options_text(view: SpecificationCurve, specification: Specification) -> str:
    """Returns what of a specification is not the main reading, `averaged model, equal steps`."""
    changed = [
        option.label
        for option, reading in zip(specification.options, view.readings)
        if option is not reading.main
    ]
    return ", ".join(changed) or _MAIN


def readings_grid(readings: Sequence[Reading]) -> str:
    """Returns a row for each reading: place, question, options and why; nothing without any."""
    if not readings:
        return ""
    rows = []
    for reading in readings:
        options = [
            option.label + (f" (not run: {option.not_run})" if option.not_run else "")
            for option in reading.options
        ]
        options[0] += " (main)"
        rows.append([reading.question, reading.place, "; ".join(options), reading.why])
    header = ["what is open", "where", "options", "why the main one"]
    return grid(header, [[escaped(cell) for cell in row] for row in rows])
