"""What a reading is: one place where a paper leaves something open, with its options.

A specification takes one option of each reading. The main comparison of a paper is run under many
specifications, and its verdict says under how many it holds. Sources: Simonsohn, Simmons and
Nelson, Specification Curve Analysis, Nature Human Behaviour 4, 2020; Steegen et al., Increasing
Transparency Through a Multiverse Analysis, Perspectives on Psychological Science 11, 2016.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.declaration.artifact import Artifact, Variant
from experiments.declaration.metric import Metric
from experiments.declaration.view import SpecificationCurve

# With more combinations of options than that, one option is changed at a time.
MOST_COMBINATIONS = 24


@dataclasses.dataclass(frozen=True)
class Option:
    """One way to read a place.

    Attributes:
        label: In a few words.
        settings: The settings that its runs add to those of a variant; empty if a variant already
            has them.
        algorithms: The algorithms whose runs it changes; None for all.
        not_run: Why it is not run with the others, such as "not offered"; None if it is run.
        shown_in: An artifact that shows this option, and the round after which it does; None if
            there is none.
    """

    label: str
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    algorithms: tuple[str, ...] | None = None
    not_run: str | None = None
    shown_in: tuple[str, int] | None = None

    def is_for(self, algorithm: str) -> bool:
        """Says whether it may change runs of an algorithm."""
        return self.algorithms is None or algorithm in self.algorithms


@dataclasses.dataclass(frozen=True)
class Reading:
    """One place where a paper is silent, ambiguous or contradicts itself.

    Attributes:
        place: Section, equation or line of an algorithm.
        question: What is open, in a few words.
        options: How it can be read, the main one first.
        why: A sentence that says why the first option is the main one. The paper's words decide, or
            else the distance of its baselines from the paper's numbers.
    """

    place: str
    question: str
    options: tuple[Option, ...]
    why: str

    def __post_init__(self) -> None:
        """Checks the options.

        Raises:
            ValueError: If there are fewer than two, two have one label, or the main one is not
                run.
        """
        labels = [option.label for option in self.options]
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise ValueError(
                f"reading {self.question!r}: options must be two or more with labels of their own, "
                f"got {labels}"
            )
        if self.main.not_run is not None:
            raise ValueError(
                f"reading {self.question!r}: the main option {labels[0]!r} must be run"
            )

    @property
    def main(self) -> Option:
        """The option of the runs that claims are judged by."""
        return self.options[0]

    @property
    def run(self) -> tuple[Option, ...]:
        """The options that are run, the main one first."""
        return tuple(option for option in self.options if option.not_run is None)


@dataclasses.dataclass(frozen=True)
class Specification:
    """One option of each reading, and the methods' labels under these options.

    Attributes:
        options: An option for each of the readings, in their order.
        labels: The label of a row, by the method's name in the paper's own table.
    """

    options: tuple[Option, ...]
    labels: Mapping[str, str]


def combinations(readings: Sequence[Reading]) -> list[tuple[Option, ...]]:
    """Returns which options are run together, the main ones first.

    These are all combinations of options, if there are at most `MOST_COMBINATIONS`. Otherwise they
    are the main options, and every change of a single option.
    """
    run = [reading.run for reading in readings]
    if math.prod(map(len, run)) <= MOST_COMBINATIONS:
        return list(itertools.product(*run))
    main = tuple(reading.main for reading in readings)
    return [
        main,
        *(
            (*main[:place], option, *main[place + 1 :])
            for place, options in enumerate(run)
            for option in options[1:]
        ),
    ]


def readings_artifact(
    of: Artifact,
    readings: Sequence[Reading],
    *,
    comparisons: Sequence[tuple[str, str]],
    baselines: Sequence[str],
    metric: Metric,
    chosen_by: Sequence[Metric] | None = None,
    name: str = "readings",
    notes: Sequence[str] = (),
) -> Artifact:
    """Returns an artifact that makes a comparison under every combination of options.

    A method has a row for each combination that may change its runs, or those of its step budget.

    Args:
        of: The artifact whose methods are compared.
        readings: What the paper leaves open.
        comparisons: Pairs of rows of `of`; the first is better according to the paper.
        baselines: The rows that choose the main reading.
        metric: The metric of the curve; one of the metrics of `of`.
        chosen_by: The metrics by which the baselines are compared with the paper; `metric` if None.
        name: What it is called after the paper's name and the slash.
        notes: What else a reader must know.
    """
    variants: dict[str, Variant] = {}
    own = {variant.label: variant for variant in of.variants}
    needed = [*baselines, *(method for pair in comparisons for method in pair)]
    found = []
    for options in combinations(readings):
        changed = [
            option for option, reading in zip(options, readings) if option is not reading.main
        ]
        labels = {each: _under(own[each], options, changed, own, variants).label for each in needed}
        found.append(Specification(options, labels))
    return Artifact(
        name=f"{of.name.partition('/')[0]}/{name}",
        title=f"{of.title}, as the paper can be read",
        datasets=of.datasets,
        variants=tuple(variants.values()),
        scales=of.scales,
        metrics=of.metrics,
        on_datasets=of.on_datasets,
        paper_files=of.paper_files,
        view=SpecificationCurve(
            of=of.name,
            readings=tuple(readings),
            specifications=tuple(found),
            comparisons=tuple(comparisons),
            baselines=tuple(baselines),
            metric=metric,
            chosen_by=(metric,) if chosen_by is None else tuple(chosen_by),
        ),
        notes=(f"Rows without a reading are {of.name}'s, with its notes:", *of.notes, *notes),
    )


def _under(
    variant: Variant,
    options: Sequence[Option],
    changed: Sequence[Option],
    own: Mapping[str, Variant],
    variants: dict[str, Variant],
) -> Variant:
    """Returns a variant under some options, and adds it to the others after its leader.

    The options that are not the main ones, `changed`, are named in its label.
    """
    leader = None
    if variant.step_budget_of is not None:
        leader = _under(own[variant.step_budget_of], options, changed, own, variants).label
    settings = dict(variant.settings)
    for option in options:
        if option.is_for(variant.algorithm):
            settings.update(option.settings)
    algorithms = {variant.algorithm}
    if variant.step_budget_of is not None:  # Its runs depend on its leader's.
        algorithms.add(own[variant.step_budget_of].algorithm)
    named = (option.label for option in changed if any(map(option.is_for, algorithms)))
    label = ", ".join((variant.label, *named))
    made = dataclasses.replace(variant, label=label, settings=settings, step_budget_of=leader)
    return variants.setdefault(label, made)
