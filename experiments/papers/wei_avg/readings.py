"""What WeiAvg's paper leaves open (Dong et al. 2023)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, readings_artifact
from experiments.papers.wei_avg.artifacts import LAMBDA, LATE, READINGS

_OURS = ("WeiAvg by entropy, λ = 1", "WeiAvg by projection, λ = 1")

READINGS_ARTIFACT = readings_artifact(
    dataclasses.replace(
        LAMBDA,
        metrics=(
            *LAMBDA.metrics,
            Metric("correlation", "r of raw projections"),
            Metric("relative_correlation", "r of relative projections"),
        ),
    ),
    READINGS,
    comparisons=tuple((ours, "FedAvg") for ours in _OURS),
    baselines=("FedAvg",),
    metric=LATE,
    notes=("The paper prints no accuracies of FedAvg, so its baselines choose no reading.",),
)
