"""What WeiAvg's paper leaves open (Dong et al. 2023)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, Scale, readings_artifact
from experiments.papers.common import read_readings
from experiments.papers.wei_avg.artifacts import LAMBDA

READINGS = read_readings(__file__)

_BASELINES = ("FedAvg",)
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
    comparisons=tuple((ours, baseline) for ours in _OURS for baseline in _BASELINES),
    baselines=_BASELINES,
    metric=Metric("test_weighted_average", "% in the last round"),
    scales={
        "smoke": Scale(
            1,
            settings={"epochs": None, "steps": 2, "clients_per_evaluation": 5},
            datasets=("mnist_entropy",),
        ),
        "short": Scale(
            50,
            settings=_SOMETIMES,
            datasets=("mnist_entropy", "fashion_mnist_entropy"),
            why_left_out="its runs take longest",
        ),
        "paper": Scale(100, settings=_SOMETIMES),
    },
    notes=("The paper prints no accuracies of FedAvg, so its baselines choose no reading.",),
)
