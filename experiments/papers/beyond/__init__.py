"""What no paper shows: all algorithms side by side."""

from __future__ import annotations

from experiments.declaration import Paper
from experiments.papers.beyond.artifacts import ARTIFACTS

PAPER = Paper(
    name="beyond",
    title="Beyond the papers",
    citation="No paper: comparisons and controls of this project",
    artifacts=ARTIFACTS,
)
