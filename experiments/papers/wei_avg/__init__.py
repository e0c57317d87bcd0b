"""WeiAvg: clients with diverse labels, or updates along the mean, count more."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from experiments.declaration import Recipe
from experiments.papers.common import of_library
from experiments.papers.folder import paper
from experiments.papers.wei_avg.artifacts import ARTIFACTS, DATASETS, READINGS
from tff_weights.protocol import Protocol


def _protocol(hyperparameters: Mapping[str, Any]) -> Protocol:
    """Clients send the label entropy, or, if updates are projected, only their update."""
    return Protocol(scalars_up=int(hyperparameters["by"] == "entropy"))


_on_its_data = functools.partial(Recipe, datasets=DATASETS)

PAPER = paper(
    "weiavg",
    __file__,
    title="WeiAvg",
    citation="Dong et al., WeiAvg: Federated Learning Model Aggregation Promoting Data Diversity, "
    "2023",
    algorithms={"wei_avg": of_library("wei_avg", _protocol, color="#00d5af", marker="*")},
    recipes=(
        _on_its_data({"learning_rate": 0.01}, source="Decision: the paper does not say"),
        _on_its_data({"client_momentum": 0.9}, source="before table I"),
        _on_its_data({"clients_per_round": 10}, source="table I"),
        *(
            Recipe({"batch_size": size, "epochs": epochs}, source="table I", datasets=(dataset,))
            for dataset, size, epochs in zip(DATASETS, (64, 32, 32), (10, 10, 20))
        ),
        _on_its_data({"proximal_strength": 0.05}, source="section IV-B", algorithms=("fed_prox",)),
    ),
    artifacts=ARTIFACTS,
    readings=READINGS,
)
