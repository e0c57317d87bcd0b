"""What WeiAvg's paper leaves open (Dong et al. 2023)."""

from __future__ import annotations

import dataclasses

from experiments.declaration import Metric, Option, Reading, Scale, readings_artifact
from experiments.papers.wei_avg.artifacts import LAMBDA

_WEI_AVG = ("wei_avg",)
_MODEL_OF_THE_FIGURES = "FedAdp's CNN"
_TOO_LONG = "with M images for each client a run takes hours; figures 2 to 11 have it with M in all"

READINGS = (
    Reading(
        place="Section IV and table I",
        question="M",
        options=(
            Option("M for each client", {"per_client": True}),
            Option("M in all", {"per_client": False}),
        ),
        why="Table I has batches of 64, and every client has the same amount of samples. With M in "
        "all a client has 30 or 40 images, less than one batch. Figures 2 to 11 were run so.",
    ),
    Reading(
        place="Section IV, p",
        question="number of classes of a client",
        options=(
            Option("P(c) ∝ 1 − p (c − 1) / 10", {"skew": "linear"}),
            Option("P(c) ∝ (1 − p)^(c − 1)", {"skew": "geometric"}),
        ),
        why="The paper gives no formula. With the second one FedAvg stays near a guess at its "
        "default p = 0.8, and in its figures FedAvg learns. Figures 2 to 11 were run with it.",
    ),
    Reading(
        place="Section IV",
        question="model",
        options=(
            Option("perceptron", {"model": "perceptron"}),
            Option("LeNet-5", {"model": "le_net"}),
            Option(_MODEL_OF_THE_FIGURES, {"model": "fed_adp_cnn"}, not_run=_TOO_LONG),
        ),
        why="The paper names none. The perceptron is run with as many seeds as the paper has.",
    ),
    Reading(
        place="Table I",
        question="rate",
        options=(
            Option("rate 0.01", {"learning_rate": 0.01}),
            Option("rate 0.001", {"learning_rate": 0.001}),
            Option("rate 0.1", {"learning_rate": 0.1}),
        ),
        why="The paper names lr and gives no number; 0.01 with momentum 0.9 is common.",
    ),
    Reading(
        place="Algorithms 1 and 2, LinearTransform",
        question="shift",
        options=(
            Option("ε (max v − min v)", {"transform": "range"}, _WEI_AVG),
            Option("a constant ε", {"transform": "constant"}, _WEI_AVG),
        ),
        why='The paper has "a small shift" above 0; one in units of the range is small whatever '
        "the scale of v.",
    ),
    Reading(
        place="Section III-C, figures 2 and 10",
        question="mean of a client's projections",
        options=(
            Option("raw projections"),
            Option(
                "relative to the round's mean",
                not_run="it changes no run; the table has the correlations of both",
            ),
        ),
        why='The paper says "concat all projection values … and average them based on the client '
        'ID", and divides by nothing.',
    ),
)

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
