"""WeiAvg: clients with diverse labels, or updates along the mean, count more."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any

from experiments.declaration import Headline, Paper
from experiments.papers.common import of_library
from experiments.papers.wei_avg.artifacts import ARTIFACTS
from experiments.papers.wei_avg.claims import CLAIMS
from experiments.papers.wei_avg.readings import READINGS, READINGS_ARTIFACT
from experiments.papers.wei_avg.recipe import RECIPES
from tff_weights.protocol import Protocol


def _protocol(hyperparameters: Mapping[str, Any]) -> Protocol:
    """The label entropy goes up; where updates are projected, nothing but these."""
    return Protocol(scalars_up=int(hyperparameters["by"] == "entropy"))


PAPER = Paper(
    name="weiavg",
    title="WeiAvg",
    citation="Dong et al., WeiAvg: Federated Learning Model Aggregation Promoting Data Diversity, "
    "2023",
    algorithms={"wei_avg": of_library("wei_avg", _protocol, color="#00d5af", marker="*")},
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, READINGS_ARTIFACT),
    claims=CLAIMS,
    readings=READINGS,
    headline=Headline(
        claim="The projection of an update on the mean update shows how diverse a client's labels "
        "are. Weights by it beat FedAvg.",
        shown="On MNIST Pearson's r of projection and entropy is "
        """{{ spread("weiavg/fig2", "FedAvg", "Pearson's r", dataset="mnist_entropy") }}. So far """
        "there are few seeds, and half the rounds that we decided for.",
    ),
    findings=pathlib.Path(__file__).parent / "findings.md.jinja",
)
