"""What runs say under each reading of a paper: which claims hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
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
from experiments.reporting.finished import FinishedArtifact
from experiments.reporting.judgement import Outcome
from experiments.reporting.pairs import Reason
from experiments.reporting.verdicts import verdict_on_claim

_MAIN = "the main reading"
# The remark if an artifact has no baselines with the other option's steps.
_SAME_STEPS = ", with the baselines' steps of the main reading"


@dataclasses.dataclass(frozen=True)
class HoldsIn:
    """Under how many of a paper's readings a claim holds.

    Attributes:
        outcomes: By the text of each specification that was run, the claim's outcome.
    """

    outcomes: Mapping[str, Outcome]

    @property
    def text(self) -> str:
        """`holds in 6 of 8 readings, open in 2 (averaged model; equal steps)`."""
        if len(self.outcomes) < 2:
            return "run in one reading" if self.outcomes else ""
        names: dict[str, list[str]] = {Outcome.HOLDS.value: []}
        for name, outcome in self.outcomes.items():
            names.setdefault(outcome.value, []).append(name)
        holding = len(names.pop(Outcome.HOLDS.value))
        rest = (f"{word} in {len(each)} ({'; '.join(each)})" for word, each in names.items())
        return ", ".join([f"holds in {holding} of {len(self.outcomes)} readings", *rest])


def holds_in_paper(
    claim: Claim, paper: Paper, finished: Mapping[str, Sequence[FinishedArtifact]]
) -> HoldsIn:
    """Judges a claim under every reading of its paper that was run, the main one first.

    `finished` is by the artifact's name.
    """
    if claim.artifact not in finished:
        return HoldsIn({})
    own, *_ = finished[claim.artifact]
    artifacts = {artifact.name: artifact for artifact in paper.artifacts}
    found = [finished[name][0] for name in artifacts if name in finished]
    specified = [
        (*each, where)
        for where in found
        for each in _under_specifications(claim, where.artifact, artifacts)
        if each[0] != _MAIN
    ]
    in_rounds = [
        (*each, where)
        for where in found
        for each in _in_other_rounds(claim, where.artifact, artifacts, paper.readings)
    ]
    own_options = _in_its_artifact(claim, own.artifact, paper.readings)
    varied = specified or [(*each, own) for each in own_options]
    outcomes = {}
    for name, of_reading, where in [(_MAIN, claim, own), *varied, *in_rounds]:
        judgement = verdict_on_claim(of_reading, where).judgement
        reasons = {each.reason for each in judgement.datasets}
        is_run = Reason.FEWER_ROUNDS not in reasons and reasons != {Reason.NO_PAIR}
        if judgement.outcome is not Outcome.NOT_RUN and is_run:
            outcomes[name] = judgement.outcome
    return HoldsIn(outcomes)


def _in_its_artifact(
    claim: Claim, artifact: Artifact, readings: Sequence[Reading]
) -> Iterator[tuple[str, Claim]]:
    """Yields a claim under options that its own artifact has as variants."""
    own = {variant.label: variant for variant in artifact.variants}

    def under(option: Option, label: str | None) -> str | None:
        if label not in own or not option.is_for(own[label].algorithm):
            return label
        settings = {**own[label].settings, **option.settings}
        wanted = _what_is_run(dataclasses.replace(own[label], settings=settings), artifact)
        same = (each.label for each in own.values() if _what_is_run(each, artifact) == wanted)
        return next(same, None)

    for option in (option for reading in readings for option in reading.options[1:]):
        better, worse = under(option, claim.better), under(option, claim.worse)
        if better is None or (worse is None) is not (claim.worse is None) or better == worse:
            continue
        if (better, worse) != (claim.better, claim.worse):
            # The baselines' steps are not varied here.
            name = option.label + (_SAME_STEPS if worse and own[worse].step_budget_of else "")
            yield name, dataclasses.replace(claim, better=better, worse=worse)


def _under_specifications(
    claim: Claim, artifact: Artifact, artifacts: Mapping[str, Artifact]
) -> Iterator[tuple[str, Claim]]:
    """Yields a claim under the specifications of an artifact of readings, equal runs once.

    It yields nothing for a claim about methods or data sets that the artifact does not vary.
    """
    view = artifact.view
    datasets = claim.datasets or artifacts[claim.artifact].datasets
    if not isinstance(view, SpecificationCurve) or not set(datasets) <= set(artifact.datasets):
        return
    names = _names_in(artifacts[view.of], artifacts[claim.artifact])
    known: list[Claim] = []
    for specification in view.specifications:
        labels = {
            label: specification.labels[name]
            for label, name in names.items()
            if name in specification.labels
        }
        asked = _asked(claim, artifact, labels, datasets=datasets)
        if asked is not None and asked not in known:
            known.append(asked)
            yield options_text(view, specification), asked


def _in_other_rounds(
    claim: Claim, artifact: Artifact, artifacts: Mapping[str, Artifact], readings: Sequence[Reading]
) -> Iterator[tuple[str, Claim]]:
    """Yields a claim under options that an artifact shows after particular rounds."""
    datasets = set(claim.datasets or artifacts[claim.artifact].datasets)
    if not (datasets <= set(artifact.datasets) or datasets >= set(artifact.datasets)):
        return
    labels = _names_in(artifact, artifacts[claim.artifact])
    for option in (option for reading in readings for option in reading.options):
        name, number = option.shown_in or (None, None)
        metric = dataclasses.replace(claim.metric, in_round=number)
        asked = _asked(claim, artifact, labels, metric=metric)
        has_metric = any(each.key == claim.metric.key for each in artifact.metrics)
        if name == artifact.name and has_metric and asked is not None:
            yield option.label, asked


def _asked(
    claim: Claim, artifact: Artifact, labels: Mapping[str, str], **changes: Any
) -> Claim | None:
    """Returns a claim about an artifact with other labels; None where it lacks a method."""
    if claim.better not in labels or (claim.worse is not None and claim.worse not in labels):
        return None
    worse = None if claim.worse is None else labels[claim.worse]
    changes |= {"artifact": artifact.name, "better": labels[claim.better], "worse": worse}
    return dataclasses.replace(claim, **changes)


def _names_in(varied: Artifact, other: Artifact) -> Mapping[str, str]:
    """Maps the label of each method of one artifact to its label in another with the same runs."""
    names = {_what_is_run(variant, varied): variant.label for variant in varied.variants}
    return {
        variant.label: names[_what_is_run(variant, other)]
        for variant in other.variants
        if _what_is_run(variant, other) in names
    }


def _what_is_run(variant: Variant, artifact: Artifact) -> tuple[object, ...]:
    own = {each.label: each for each in artifact.variants}
    leader = None if variant.step_budget_of is None else own[variant.step_budget_of]
    return (
        variant.algorithm,
        tuple(sorted(variant.settings.items())),
        None if leader is None else _what_is_run(leader, artifact),
    )


def options_text(view: SpecificationCurve, specification: Specification) -> str:
    """Returns a specification's options that are not the main ones, as text."""
    changed = [
        option.label
        for option, reading in zip(specification.options, view.readings)
        if option is not reading.main
    ]
    return ", ".join(changed) or _MAIN
