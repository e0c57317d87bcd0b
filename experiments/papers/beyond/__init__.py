"""What no paper shows: all algorithms side by side, and clients that train alone."""

from __future__ import annotations

import tff_weights
from experiments.declaration import Algorithm, Paper
from experiments.papers.beyond.artifacts import ARTIFACTS
from experiments.papers.beyond.claims import CLAIMS
from experiments.papers.beyond.findings import FINDINGS
from tff_weights import Protocol

PAPER = Paper(
    name="beyond",
    title="Beyond the papers",
    citation="No paper: comparisons and controls of this project",
    algorithms={
        "trained_alone": Algorithm(
            tff_weights.build_trained_alone,
            Protocol(models_down=0, models_up=0),
            trains_alone=True,
        ),
    },
    artifacts=ARTIFACTS,
    claims=CLAIMS,
    findings=FINDINGS,
)
