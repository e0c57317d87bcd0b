"""What a paper declares: its algorithms, recipes, artifacts and claims, all of them data."""

from __future__ import annotations

from experiments.declaration.algorithm import Algorithm, FineTunedModel
from experiments.declaration.artifact import ONLY_SCALE, SCALES, Artifact, Scale, Tuning, Variant
from experiments.declaration.builder import Argument
from experiments.declaration.claim import Claim
from experiments.declaration.metric import BEST, Metric
from experiments.declaration.paper import Headline, Paper
from experiments.declaration.reading import Option, Reading, Specification, readings_artifact
from experiments.declaration.recipe import Hyperparameter, OfAllClients, Recipe
from experiments.declaration.view import (
    AccuracyHistograms,
    Bars,
    ClientCurves,
    ClientHistograms,
    Curve,
    Curves,
    Drawn,
    ParameterSweep,
    Scatter,
    SpecificationCurve,
)

__all__ = [
    "BEST",
    "ONLY_SCALE",
    "SCALES",
    "AccuracyHistograms",
    "Algorithm",
    "Argument",
    "Artifact",
    "Bars",
    "Claim",
    "ClientCurves",
    "ClientHistograms",
    "Curve",
    "Curves",
    "Drawn",
    "FineTunedModel",
    "Headline",
    "Hyperparameter",
    "Metric",
    "OfAllClients",
    "Option",
    "Paper",
    "ParameterSweep",
    "Reading",
    "Recipe",
    "Scale",
    "Scatter",
    "Specification",
    "SpecificationCurve",
    "Tuning",
    "Variant",
    "readings_artifact",
]
