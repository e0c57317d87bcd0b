"""From an artifact to its runs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from experiments.declaration import Artifact, Variant
from experiments.runs.configuration import RunConfiguration, Seeds
from experiments.runs.configure import configure


@dataclasses.dataclass(frozen=True)
class ArtifactRun:
    """One run of an artifact.

    Attributes:
        step_budget_of: The run whose number of steps this one takes, instead of those of
            `configuration`; see `step_budget`. It runs first.
    """

    dataset: str
    variant: str
    seed: int
    configuration: RunConfiguration
    step_budget_of: RunConfiguration | None = None


def artifact_runs(artifact: Artifact, scale: str, seeds: tuple[int, ...]) -> Iterator[ArtifactRun]:
    """Yields every run of an artifact at a scale; each number sets all four seeds of a run.

    Raises:
        ValueError: If a variant's settings do not fit its algorithm or data set.
    """
    variants = {variant.label: variant for variant in artifact.variants}
    for dataset in artifact.datasets_at(scale):
        for variant in artifact.variants:
            if not variant.is_run_on(dataset):
                continue
            for seed in seeds:
                first = None
                if variant.step_budget_of is not None:
                    leader = variants[variant.step_budget_of]
                    first = _configure(artifact, leader, dataset, scale, seed)
                configuration = _configure(artifact, variant, dataset, scale, seed)
                yield ArtifactRun(dataset, variant.label, seed, configuration, first)


def _configure(
    artifact: Artifact, variant: Variant, dataset: str, scale: str, seed: int
) -> RunConfiguration:
    size = artifact.scales[scale]
    shown = {"rounds_per_evaluation": math.gcd(*size.rounds_shown)} if size.rounds_shown else {}
    settings = {
        **artifact.on_datasets.get(dataset, {}),
        "rounds": size.rounds,
        **shown,
        **size.settings,
        **size.on_datasets.get(dataset, {}),
        **variant.settings,
        "seeds": Seeds(data=seed, sampling=seed, model=seed, shuffling=seed),
    }
    return configure(variant.algorithm, dataset, settings)
