"""The papers' tables and figures, declared as data."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.artifacts import fed_cav, fed_fa, fed_veca, overview
from experiments.artifacts.artifact import SCALES, Artifact, ArtifactRun, Metric, Variant, View

ARTIFACTS: Mapping[str, Artifact] = {
    artifact.name: artifact
    for artifact in (
        *fed_fa.ARTIFACTS,
        *fed_veca.ARTIFACTS,
        *fed_cav.ARTIFACTS,
        *overview.ARTIFACTS,
    )
}

__all__ = ["ARTIFACTS", "SCALES", "Artifact", "ArtifactRun", "Metric", "Variant", "View"]
