"""FedCav: clients with a high loss count more, and an audit undoes attacked rounds."""

from __future__ import annotations

from experiments.declaration import Algorithm
from experiments.papers.common import of_library
from experiments.papers.fed_cav.artifacts import ARTIFACTS
from experiments.papers.fed_cav.readings import LOG_READINGS, READINGS
from experiments.papers.fed_cav.recipe import RECIPES
from experiments.papers.folder import paper
from tff_weights.protocol import Protocol

PAPER = paper(
    "fedcav",
    __file__,
    title="FedCav",
    citation="Zeng et al., FedCav: Contribution-aware Model Aggregation on Distributed "
    "Heterogeneous Data for Federated Learning, ICPP 2021",
    # The loss of the received model goes up.
    algorithms={
        "fed_cav": of_library("fed_cav", Protocol(scalars_up=1), color="#ffc33b", marker=">"),
        "fed_cav_misreporting": Algorithm(
            "experiments.papers.fed_cav.misreporting:build_fed_cav_misreporting",
            Protocol(scalars_up=1),
            attacked="fed_cav",
        ),
    },
    recipes=RECIPES,
    artifacts=(*ARTIFACTS, LOG_READINGS),
    readings=READINGS,
)
