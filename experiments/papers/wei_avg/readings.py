"""What WeiAvg's paper leaves open (Dong et al. 2023)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, Scale, readings_artifact
from experiments.papers.common import few_steps, scales
from experiments.papers.folder import read_readings
from experiments.papers.wei_avg.artifacts import LAMBDA
from experiments.papers.wei_avg.recipe import DATASETS

READINGS = read_readings(__file__)

# Evaluating the 300,000 images of all clients takes as long as a round.
_SOMETIMES = {"rounds_per_evaluation": 5}
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
    metric=Metric("test_weighted_average", "% in the last round"),
    scales=scales(
        Scale(1, few_steps(2, clients=5), datasets=DATASETS[:1]),
        Scale(50, _SOMETIMES, datasets=DATASETS[:2], why_left_out="its runs take longest"),
        Scale(100, _SOMETIMES),
    ),
    notes=("The paper prints no accuracies of FedAvg, so its baselines choose no reading.",),
)
