"""WeiAvg: clients with diverse labels, or updates along the mean, count more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.papers.common import of_library
from experiments.papers.folder import paper
from experiments.papers.wei_avg.artifacts import ARTIFACTS, READINGS
from experiments.papers.wei_avg.readings import READINGS_ARTIFACT
from experiments.papers.wei_avg.recipe import RECIPES
from tff_weights.protocol import Protocol


def _protocol(hyperparameters: Mapping[str, Any]) -> Protocol:
    """Clients send the label entropy, or, if updates are projected, only their update."""
    return Protocol(scalars_up=int(hyperparameters["by"] == "entropy"))


PAPER = paper(
    "weiavg",
    __file__,
    title="WeiAvg",
    citation="Dong et al., WeiAvg: Federated Learning Model Aggregation Promoting Data Diversity, "
    "2023",
    algorithms={"wei_avg": of_library("wei_avg", _protocol, color="#00d5af", marker="*")},
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, READINGS_ARTIFACT),
    readings=READINGS,
)
