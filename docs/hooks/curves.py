"""An algorithm's curve beside FedAvg's, from the results that come with the software."""

from __future__ import annotations

import dataclasses
import functools
import io
from collections.abc import Iterator, Mapping
from typing import Any

from experiments.declaration import Artifact, Curve, Curves, Metric, Variant
from experiments.papers import catalogue
from experiments.reporting.figures import curves
from experiments.reporting.finished import FinishedArtifact, read_finished
from experiments.runs.record import EVALUATION_PREFIX
from experiments.runs.run_folders import RunFolders

_BASELINE = "fed_avg"
_DATASET = "synthetic_1_1"
_METRICS = (Metric("test_average", "average %"), Metric("test_worst_20", "worst 20 %"))
_VIEW = Curves(tuple(Curve(EVALUATION_PREFIX + metric.key, metric.label) for metric in _METRICS))
_SCALES = ("paper", "short")
_PIXELS_PER_INCH = 110


@functools.cache
def curve_of(algorithm: str) -> tuple[bytes, str] | None:
    """Returns a picture and what it shows; None where there is no finished run.

    It is of the artifact with the most seeds, and among these with the most rounds.
    """
    found = max(_finished(algorithm), key=_size, default=None)
    if found is None:
        return None
    figure = curves.draw(_VIEW, found)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_PIXELS_PER_INCH)
    seeds = ", ".join(map(str, found.seeds))
    return picture.getvalue(), (
        f"Test accuracy over the clients of {_DATASET}, mean and standard deviation over the seeds "
        f"{seeds}; from `{found.artifact.name}` at the scale *{found.scale}*."
    )


def narrowed(artifact: Artifact, algorithm: str) -> Artifact | None:
    """Returns the part of an artifact that has an algorithm and FedAvg on the data set.

    Returns:
        The artifact with both algorithms' plainest variants, on that data set alone; None where it
        does not have both there.
    """
    if _DATASET not in artifact.datasets:
        return None
    variants = [_plainest(artifact, name) for name in dict.fromkeys((_BASELINE, algorithm))]
    if None in variants:
        return None
    return dataclasses.replace(
        artifact,
        datasets=(_DATASET,),
        variants=tuple(dataclasses.replace(variant, datasets=None) for variant in variants),
        metrics=_METRICS,
        on_datasets=_there(artifact.on_datasets),
        reference=None,
        paper_files=(),
        view=_VIEW,
        scales={
            name: dataclasses.replace(scale, datasets=None, on_datasets=_there(scale.on_datasets))
            for name, scale in artifact.scales.items()
        },
    )


def _finished(algorithm: str) -> Iterator[FinishedArtifact]:
    """Yields what is finished of both algorithms, of each artifact that has both."""
    folders = RunFolders(())
    seeds = folders.seeds()
    for artifact in catalogue.artifacts().values():
        both = narrowed(artifact, algorithm)
        for scale in _SCALES if both is not None else ():
            finished = read_finished(both, scale, seeds, folders.find)
            if finished is not None and None not in [record for _, record in finished.runs]:
                yield finished


def _there(on_datasets: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    """What is set on the data set, of what is set on several."""
    return {name: settings for name, settings in on_datasets.items() if name == _DATASET}


def _plainest(artifact: Artifact, algorithm: str) -> Variant | None:
    """The algorithm's variant of the fewest settings of its own."""
    variants = [v for v in artifact.variants if v.algorithm == algorithm and v.is_run_on(_DATASET)]
    return min(variants, key=lambda variant: len(variant.settings), default=None)


def _size(finished: FinishedArtifact) -> tuple[int, int]:
    return len(finished.seeds), max(len(record.rounds) for _, record in finished.finished)
