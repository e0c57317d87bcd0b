"""An artifact and what it runs, for tests of the papers' packages."""

from __future__ import annotations

from experiments.papers import catalogue
from experiments.runs.plan import artifact_runs


def artifact_of(name):
    return catalogue.artifacts()[name]


def configurations_of(name, scale="paper"):
    """With seed 1, by data set and variant."""
    return {
        (run.dataset, run.variant): run.configuration
        for run in artifact_runs(artifact_of(name), scale, (1,))
    }
