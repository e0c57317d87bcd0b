"""From an artifact to its runs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from experiments.declaration import SCALES, Artifact, Tuning, Variant
from experiments.runs.configuration import Seeds
from experiments.runs.configure import ResolvedRun, configure

_VALIDATION_FRACTION = 0.2  # Of the runs by which settings are chosen.


@dataclasses.dataclass(frozen=True)
class ArtifactRun:
    """One run of an artifact.

    Attributes:
        resolved: With the first candidate's settings if there are `candidates`.
        step_budget_of: The run whose number of steps this one takes, instead of those of
            `resolved`; see `step_budget`. It runs first.
        candidates: Runs on validation data, which run first. This run takes the settings of the
            best one; see `declaration.Tuning`.
        chosen_by: By which column of their evaluation.
    """

    dataset: str
    variant: str
    seed: int
    resolved: ResolvedRun
    step_budget_of: ResolvedRun | None = None
    candidates: tuple[ResolvedRun, ...] = ()
    chosen_by: str = ""

    @property
    def first(self) -> tuple[ResolvedRun, ...]:
        """The runs on which its settings depend."""
        return self.candidates if self.step_budget_of is None else (self.step_budget_of,)

    def tuned(self, candidate: ResolvedRun) -> ResolvedRun:
        """Returns it with the settings of a candidate."""
        kept = ("rounds_per_evaluation", "validation_fraction", "seeds")
        own = self.resolved.configuration
        return candidate.with_settings(**{name: getattr(own, name) for name in kept})


def artifact_runs(artifact: Artifact, scale: str, seeds: tuple[int, ...]) -> Iterator[ArtifactRun]:
    """Yields every run of an artifact at a scale; each number sets all four seeds of a run.

    Raises:
        ValueError: If a variant's settings do not fit its algorithm or data set.
    """
    variants = {variant.label: variant for variant in artifact.variants}
    tuning = artifact.tuning
    for dataset in artifact.datasets_at(scale):
        for variant in artifact.variants:
            if not variant.is_run_on(dataset):
                continue
            if tuning is not None:
                yield from _tuned(artifact, tuning, variant, dataset, scale, seeds)
                continue
            for seed in seeds:
                first = None
                if variant.step_budget_of is not None:
                    leader = variants[variant.step_budget_of]
                    first = _configure(artifact, leader, dataset, scale, seed)
                resolved = _configure(artifact, variant, dataset, scale, seed)
                yield ArtifactRun(dataset, variant.label, seed, resolved, first)


def _tuned(
    artifact: Artifact,
    tuning: Tuning,
    variant: Variant,
    dataset: str,
    scale: str,
    seeds: tuple[int, ...],
) -> Iterator[ArtifactRun]:
    """Yields the runs of a variant whose settings are chosen, with those that try each setting."""
    rates, tries = tuning.learning_rates, variant.tries
    if scale == SCALES[0]:  # Which shows nothing: one setting is enough.
        rates, tries = rates[:1], tries[:1]
    given = ({**variant.settings, **each, "learning_rate": rates[0]} for each in tries)
    variants = [dataclasses.replace(variant, settings=settings) for settings in given]
    tried = [_configure(artifact, each, dataset, scale, tuning.seed) for each in variants]
    candidates = tuple(
        # They are evaluated in the end alone.
        each.with_settings(
            learning_rate=rate,
            validation_fraction=_VALIDATION_FRACTION,
            rounds_per_evaluation=each.configuration.rounds,
        )
        for each in tried
        for rate in rates
    )
    for seed in seeds:
        resolved = tried[0].with_settings(seeds=Seeds(seed, seed, seed, seed))
        yield ArtifactRun(dataset, variant.label, seed, resolved, None, candidates, tuning.by)


def _configure(
    artifact: Artifact, variant: Variant, dataset: str, scale: str, seed: int
) -> ResolvedRun:
    size = artifact.scales[scale]
    shown = {"rounds_per_evaluation": math.gcd(*size.rounds_shown)} if size.rounds_shown else {}
    settings = {
        **artifact.on_datasets.get(dataset, {}),
        "rounds": size.rounds,
        **shown,
        **size.settings,
        **size.on_datasets.get(dataset, {}),
        **variant.settings,
        "seeds": Seeds(seed, seed, seed, seed),
    }
    return configure(variant.algorithm, dataset, settings)
